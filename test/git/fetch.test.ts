import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import type { Mirror } from '../../src/git/mirror-types.ts';
import { BOT, useMirrors } from './mirror-fixture.ts';
import { git, seed } from './repository.ts';

const at = useMirrors();
let mirror: Mirror;

/** Makes every object of a repository a file of its own, so that one can be taken away. */
function unpack(dir: string): void {
  const packs = join(dir, 'objects', 'pack');
  const [pack = ''] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
  const bytes = readFileSync(join(packs, pack));
  rmSync(packs, { recursive: true });
  git(dir, ['unpack-objects', '-q'], bytes);
}

describe('fetch', () => {
  test('tells which refs changed, and forgets deleted ones', async () => {
    const first = seed(at.origin, { x: '1' });
    git(at.origin, ['branch', 'drafts/a', first]);
    git(at.origin, ['update-ref', 'refs/pull/1/head', first]);
    mirror = await at.open();
    expect([...(await mirror.refs()).keys()]).toEqual(['refs/heads/drafts/a', 'refs/heads/main']);
    expect(await mirror.fetch()).toEqual(new Map());
    const second = seed(at.origin, { x: '2' });
    git(at.origin, ['branch', '-D', 'drafts/a']);
    git(at.origin, ['branch', 'drafts/a/b', second]);
    expect(await mirror.fetch()).toEqual(
      new Map([
        ['refs/heads/drafts/a', { before: first, after: null }],
        ['refs/heads/drafts/a/b', { before: null, after: second }],
        ['refs/heads/main', { before: first, after: second }],
      ]),
    );
    const pull = '+refs/pull/1/head:refs/pull/1/head';
    expect([...(await mirror.fetch({ refspecs: [pull] })).keys()]).toEqual(['refs/pull/1/head']);
    // What was asked for by name stays until asked again.
    await mirror.fetch();
    expect(await mirror.resolve('refs/pull/1/head')).toBe(first);
    const missing = mirror.fetch({ refspecs: ['+refs/pull/9/head:refs/pull/9/head'] });
    await expect(missing).rejects.toMatchObject({ code: 'GIT_NO_SUCH_REF' });
  });

  test.each([
    ['an empty page', ''],
    ['a page of one line', '<html>Sign in</html>'],
  ])('%s with status 200 deletes nothing, and the next answer counts', async (_what, page) => {
    const first = seed(at.origin, { x: '1' });
    git(at.origin, ['branch', 'drafts/a', first]);
    mirror = await at.open();
    const refs = await mirror.refs();
    at.server.intercept = (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      return true;
    };
    await expect(mirror.fetch()).rejects.toMatchObject({ code: 'GIT_UNREACHABLE', blame: 'forge' });
    expect(await mirror.refs()).toEqual(refs);
    at.server.intercept = undefined;
    git(at.origin, ['branch', '-D', 'drafts/a']);
    await mirror.fetch();
    expect([...(await mirror.refs()).keys()]).toEqual(['refs/heads/main']);
  });

  test('a repository whose HEAD names no branch is fetched', async () => {
    const first = seed(at.origin, { x: '1' });
    git(at.origin, ['symbolic-ref', 'HEAD', 'refs/heads/absent']);
    mirror = await at.open();
    git(at.origin, ['branch', 'drafts/a', first]);
    expect([...(await mirror.fetch()).keys()]).toEqual(['refs/heads/drafts/a']);
    expect(await mirror.fetch()).toEqual(new Map());
  });

  test('calls at the same time share one fetch', async () => {
    seed(at.origin, { x: '1' });
    mirror = await at.open();
    const second = await at.open();
    const now = seed(at.origin, { x: '2' });
    const before = at.server.requests.length;
    await Promise.all([mirror.fetch(), mirror.fetch(), second.fetch(), mirror.fetch()]);
    const advertisements = at.server.requests.slice(before).filter((r) => r.startsWith('GET'));
    expect(advertisements).toHaveLength(1);
    expect([await mirror.resolve('main'), await second.resolve('main')]).toEqual([now, now]);
  });

  test('remote refs are told without fetching', async () => {
    const commit = seed(at.origin, { x: '1' });
    git(at.origin, ['tag', '-a', 'a/v1', '-m', 'one', commit]);
    mirror = await at.open();
    const moved = seed(at.origin, { x: '2' });
    const tag = git(at.origin, ['rev-parse', 'refs/tags/a/v1']);
    expect(await mirror.remoteRefs(['refs/tags/*'])).toEqual(
      new Map([['refs/tags/a/v1', { oid: tag, commit }]]),
    );
    expect((await mirror.remoteRefs()).get('refs/heads/main')).toEqual({ oid: moved, commit: moved });
    expect(await mirror.resolve('main')).toBe(commit);
  });

  test.each(['objects', 'refs', 'a blob'])('damage (%s) is mended', async (what) => {
    const commit = seed(at.origin, { 'a/x': '1' });
    mirror = await at.open();
    if (what === 'a blob') {
      const blob = git(at.origin, ['rev-parse', `${commit}:a/x`]);
      unpack(mirror.dir);
      rmSync(join(mirror.dir, 'objects', blob.slice(0, 2), blob.slice(2)));
      await expect(mirror.readPackage(commit, 'a')).rejects.toMatchObject({
        code: 'GIT_CORRUPT',
        // It is tried again for as long as trouble of the machine lasts.
        blame: 'forge',
      });
    } else {
      rmSync(join(mirror.dir, what), { recursive: true });
    }
    await mirror.fetch();
    expect((await mirror.readPackage(commit, 'a'))!.files.size).toBe(1);
    rmSync(join(mirror.dir, 'HEAD'));
    const again = await at.open();
    expect((await again.readPackage(commit, 'a'))!.files.size).toBe(1);
  });

  test('an abort ends the fetch, and the next one works', async () => {
    seed(at.origin, { x: '1' });
    mirror = await at.open();
    const asked = Promise.withResolvers<void>();
    at.server.intercept = () => {
      asked.resolve();
      return true; // and never answers
    };
    const stop = new AbortController();
    const fetching = mirror.fetch({}, stop.signal);
    await asked.promise;
    stop.abort(new Error('enough'));
    await expect(fetching).rejects.toThrow('enough');
    at.server.intercept = undefined;
    await mirror.fetch();
  });
});

/** Parts of an answer that are sent; the last one lacks a byte. */
const PARTS = [0, 0.1, 0.3, 0.6, 0.9, 1];

function cutNth(nth: number, part: number): void {
  let answers = 0;
  at.server.cut = (body) => {
    answers += 1;
    return answers === nth
      ? body.subarray(0, Math.min(body.length - 1, Math.round(body.length * part)))
      : body;
  };
}

test.each([1, 2, 3].flatMap((nth) => PARTS.map((part) => [nth, part])))(
  'an answer that breaks off is the trouble of the forge, and harms nothing: answer %i, %f of it',
  async (nth, part) => {
    seed(at.origin, { x: '1' });
    mirror = await at.open();
    const second = seed(at.origin, { x: '2', y: '3'.repeat(5_000) });
    cutNth(nth, part);
    const fetched = await mirror.fetch().catch((error: unknown) => error);
    if (fetched instanceof Error) expect(fetched).toMatchObject({ code: 'GIT_UNREACHABLE', blame: 'forge' });
    at.server.cut = undefined;
    await mirror.fetch();
    expect(await mirror.resolve('main')).toBe(second);
  },
);

// Of later answers git itself waits until its time is up.
test.each([...PARTS.map((part) => [1, part]), [2, 0]])(
  'a push whose answer breaks off is the trouble of the forge: answer %i, %f of it',
  async (nth, part) => {
    const first = seed(at.origin, { x: '1' });
    mirror = await at.open();
    const { tree } = await mirror.commit(first);
    const to = await mirror.commitTree({ tree, parents: [first], message: 'More', committer: BOT });
    cutNth(nth, part);
    const pushed = await mirror
      .push([{ ref: 'refs/heads/next', to, expect: null }])
      .catch((error: unknown) => error);
    if (pushed instanceof Error) expect(pushed).toMatchObject({ code: 'GIT_UNREACHABLE', blame: 'forge' });
    else expect(at.refOf('refs/heads/next')).toBe(to);
  },
);
