import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { Effect } from '../src/context.ts';
import { testForge } from './forge-fixture.ts';
import type { TestForge } from './forge-fixture.ts';

let box: TestForge;
let work: string;

beforeAll(async () => {
  box = await testForge();
  work = join(box.directory, 'work');
  await mkdir(work);
  await box.git(work, 'init', '-q', '-b', 'main');
  await writeFile(join(work, 'a.yaml'), 'a: 1\n');
  await box.git(work, 'add', '.');
  await box.git(work, 'commit', '-q', '-m', 'One');
  await box.git(work, 'push', '-q', box.remote('bob-token', 'acme/open'), 'main').catch(() => {});
  await box.git(work, 'push', '-q', box.remote('alice-token', 'acme/open'), 'main');
  await box.git(work, 'push', '-q', box.remote('alice-token', 'acme/blueprints'), 'main');
});
afterAll(() => box[Symbol.asyncDispose]());

const file = (path: string) => ({ owner: 'acme', repo: 'open', path, message: path, content: '' });

async function commit(name: string, content = name): Promise<string> {
  await mkdir(join(work, name, '..'), { recursive: true });
  await writeFile(join(work, name), content);
  await box.git(work, 'add', '-A');
  await box.git(work, 'commit', '-q', '-m', `Change ${name}`);
  return (await box.git(work, 'rev-parse', 'HEAD')).trim();
}

describe('reading', () => {
  test('anybody clones a public repository, with and without .git, whole and partial', async () => {
    for (const [index, path] of ['acme/open', 'acme/open.git'].entries()) {
      await box.git(box.directory, 'clone', '-q', `${box.forge.gitUrl}/${path}`, `open-${index}`);
      expect(await box.git(join(box.directory, `open-${index}`), 'show', 'HEAD:a.yaml')).toBe('a: 1\n');
    }
    await box.git(
      box.directory,
      'clone',
      '-q',
      '--bare',
      '--filter=blob:none',
      `${box.forge.gitUrl}/acme/open`,
      'part',
    );
    const part = join(box.directory, 'part');
    expect(await box.git(part, 'rev-list', '--objects', '--missing=print', 'HEAD')).toMatch(/^\?/m);
    expect(await box.git(part, 'show', 'HEAD:a.yaml')).toBe('a: 1\n');
  });

  test.each([
    ['anonymous', '', 'could not read Username'],
    ['a wrong token', 'nonsense', 'Authentication failed'],
    ['an outsider', 'eve-token', 'not found'],
  ])('%s does not see a private repository', async (_who, token, message) => {
    const url = token === '' ? `${box.forge.gitUrl}/acme/blueprints` : box.remote(token, 'acme/blueprints');
    const result = await box.tryGit(box.directory, 'ls-remote', url);
    expect(result.ok).toBe(false);
    expect(result.output).toContain(message);
  });

  test('a member of the organization reads it, by Bearer too', async () => {
    const listed = await box.git(
      box.directory,
      '-c',
      'http.extraheader=Authorization: Bearer bob-token',
      'ls-remote',
      `${box.forge.gitUrl}/acme/blueprints.git`,
    );
    expect(listed).toContain('refs/heads/main');
  });
});

describe('pushing', () => {
  test('is refused to readers with 403, to nobody in particular with 401', async () => {
    const denied = await box.tryGit(
      work,
      'push',
      box.remote('bob-token', 'acme/blueprints'),
      'main:refs/heads/bob',
    );
    expect(denied.output).toMatch(/denied to bob|403/);
    const anonymous = await box.tryGit(work, 'push', `${box.forge.gitUrl}/acme/open`, 'main:refs/heads/x');
    expect(anonymous.output).toContain('could not read Username');
  });

  test('tells observers after it took effect and before it is answered', async () => {
    const seen: Effect[] = [];
    let present: string | undefined;
    const off = box.forge.onEffect(async (effect) => {
      seen.push(effect);
      present = await box.git(
        box.directory,
        'ls-remote',
        box.remote('alice-token', 'acme/open'),
        'refs/heads/seen',
      );
    });
    await box.git(work, 'push', '-q', box.remote('alice-token', 'acme/open'), 'HEAD:refs/heads/seen');
    off();
    expect(seen).toMatchObject([{ kind: 'push', repo: 'acme/open' }]);
    expect(present).toContain('refs/heads/seen');
  });

  test('of many at once: one wins a lease, others are not disturbed', async () => {
    const remote = box.remote('alice-token', 'acme/open');
    const shas: string[] = [];
    for (let index = 0; index < 5; index += 1) shas.push(await commit(`race/${index}`));
    const lease = shas.map((sha) =>
      box.tryGit(work, 'push', '--force-with-lease=refs/tags/race/v1:', remote, `${sha}:refs/tags/race/v1`),
    );
    const apart = shas.map((sha, index) =>
      box.tryGit(work, 'push', remote, `${sha}:refs/heads/race-${index}`),
    );
    // What the API is to point at has to be there before.
    const { data: main } = await box
      .as('alice-token')
      .rest.git.getRef({ owner: 'acme', repo: 'open', ref: 'heads/main' });
    const { sha } = main.object;
    const api = shas.map(() =>
      box
        .as('alice-token')
        .rest.git.createRef({ owner: 'acme', repo: 'open', ref: 'refs/heads/race-api', sha })
        .then((made) => made.status)
        .catch((error: unknown) => (error as { status: number }).status),
    );
    const files = shas.map((_sha, index) =>
      box.as('alice-token').rest.repos.createOrUpdateFileContents(file(`at-once-${index}`)),
    );
    expect((await Promise.all(lease)).filter((one) => one.ok)).toHaveLength(1);
    expect((await Promise.all(apart)).every((one) => one.ok)).toBe(true);
    expect((await Promise.all(api)).filter((code) => code === 201)).toHaveLength(1);
    expect((await Promise.all(files)).map((one) => one.status)).toEqual([201, 201, 201, 201, 201]);
    const listed = await box
      .as('alice-token')
      .rest.repos.getContent({ owner: 'acme', repo: 'open', path: '' });
    expect(
      (listed.data as unknown as { name: string }[]).filter((one) => one.name.startsWith('at-once')),
    ).toHaveLength(5);
  });

  test('moves a large pack in chunks', async () => {
    await commit(
      'large.bin',
      Array.from({ length: 200_000 }, (_, index) => Math.imul(index, 2654435761)).join(''),
    );
    await box.git(work, 'push', '-q', box.remote('alice-token', 'acme/open'), 'HEAD:refs/heads/large');
    const listed = await box.git(
      work,
      'ls-remote',
      box.remote('alice-token', 'acme/open'),
      'refs/heads/large',
    );
    expect(listed).toContain((await box.git(work, 'rev-parse', 'HEAD')).trim());
  });
});
