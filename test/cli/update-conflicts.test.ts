/** Conflicts of `portico update`: what the terminal shows, and how they are settled after the result was written. */
import { existsSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { portico, run, scratch } from './run-portico.ts';
import type { Outcome, Scratch } from './run-portico.ts';
import { upstreamRepo } from './upstream-repo.ts';

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: app\n';

interface Wish {
  readonly tag?: string;
  readonly level?: string;
  readonly text?: readonly string[];
}

function settings({ tag = '1', level = 'info', text = ['a'] }: Wish = {}): string {
  const lines = text.map((line) => `    ${line}\n`).join('');
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  tag: "${tag}"\n  level: ${level}\n  app.conf: |\n${lines}`;
}

const EXTRA = settings().replace('name: settings', 'name: extra');
const NEXT = settings({ tag: '2', level: 'warn', text: ['a', 'theirs'] });
const MINE = settings({ tag: '9', level: 'warn', text: ['a', 'mine'] });

function secret(value: string): string {
  return `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  k: ${value}\n`;
}

/** A package that was got at v1 and edited, and an upstream with v2. */
async function edited(dir: Scratch, local = MINE): Promise<void> {
  const repo = await upstreamRepo(dir);
  await repo.commit(
    { 'app/Kptfile': KPTFILE, 'app/settings.yaml': settings(), 'app/extra.yaml': EXTRA },
    'v1',
  );
  await repo.commit({ 'app/settings.yaml': NEXT, 'app/extra.yaml': null }, 'v2');
  const { code, stderr } = await portico(['get', `${repo.url}/app@v1`, 'mine'], { cwd: dir.path('.') });
  if (code !== 0) throw new Error(stderr);
  dir.write({ 'mine/settings.yaml': local });
}

async function update(dir: Scratch, ...args: string[]): Promise<Outcome> {
  return portico(['update', ...args], { cwd: dir.path('.') });
}

/** The ids that were listed, by what the line holds. */
function idOf({ stderr }: Outcome, part: string): string {
  const line = stderr.split('\n').find((one) => one.includes(': conflict ') && one.includes(part));
  return /conflict ([0-9a-f]{12})/.exec(line ?? '')?.[1] ?? `no conflict about ${part}`;
}

async function git(dir: Scratch, ...args: string[]): Promise<void> {
  const { code, stderr } = await run('git', args, { cwd: dir.path('mine') });
  if (code !== 0) throw new Error(stderr);
}

describe('the terminal', () => {
  test('shows the three values, the side that was taken and the command for the other one', async () => {
    using dir = scratch();
    await edited(dir);
    const done = await update(dir, 'mine@v2');
    expect(done.code).toBe(2);
    const id = idOf(done, 'data.tag');
    expect(done.stderr).toContain(
      `mine/settings.yaml:6: conflict ${id}: ConfigMap settings data.tag changed on both sides, upstream taken
  base: 1
  mine: 9
  theirs (taken): 2
  to take mine: portico update mine --resolve ${id}=local
`,
    );
    const both = idOf(done, 'app.conf');
    expect(done.stderr).toContain(`  to take both: portico update mine --resolve ${both}=both\n`);
    expect(done.stderr).toContain('2 open conflicts.');
  });

  test('says what was deleted, and does not show a Secret', async () => {
    using dir = scratch();
    await edited(dir, settings());
    dir.write({ 'mine/extra.yaml': EXTRA.replace('tag: "1"', 'tag: "5"') });
    const done = await update(dir, 'mine@v2');
    expect(done.stderr).toMatch(/ConfigMap extra deleted upstream, changed here; kept$/m);

    dir.write({ 'b/s.yaml': secret('old'), 'u/s.yaml': secret('hidden-1'), 'l/s.yaml': secret('hidden-2') });
    const hidden = await update(dir, '--base', 'b', '--upstream', 'u', '--local', 'l', '--output', 'o');
    expect([hidden.code, hidden.stderr]).toEqual([2, expect.not.stringContaining('hidden-')]);
  });

  test('shows a long text as what each side made of it', async () => {
    using dir = scratch();
    await edited(dir, settings({ text: ['mine 1', 'mine 2'] }));
    const { stderr } = await update(dir, 'mine@v2');
    expect(stderr).toMatch(/ {2}mine:\n {4}- a\n {4}\+ mine 1\n {4}\+ mine 2\n/);
  });
});

describe('after the result was written', () => {
  test('conflicts are settled by their ids, one after the other, and again', async () => {
    using dir = scratch();
    await edited(dir);
    const done = await update(dir, 'mine@v2');
    const [tag, text] = [idOf(done, 'data.tag'), idOf(done, 'app.conf')];
    const first = await update(dir, 'mine', '--resolve', `${tag}=local`);
    expect([first.code, first.stderr]).toEqual([2, expect.stringContaining('1 open conflict.')]);
    expect(dir.read('mine')['settings.yaml']).toContain('tag: "9"');
    const second = await update(dir, 'mine@v2', '--resolve', `${text}=both`, '--json');
    expect([second.code, JSON.parse(second.stdout)]).toMatchObject([0, { conflicts: [] }]);
    const wanted = settings({ tag: '9', level: 'warn', text: ['a', 'theirs', 'mine'] });
    expect(dir.read('mine')['settings.yaml']).toBe(wanted);
    const again = await update(dir, 'mine', '--resolve', `${text}=both`);
    expect([again.code, dir.read('mine')['settings.yaml']]).toEqual([0, wanted]);
    const back = await update(dir, 'mine', '--resolve', `${tag}=upstream`);
    expect([back.code, dir.read('mine')['settings.yaml']]).toEqual([0, wanted.replace('"9"', '"2"')]);
  });

  test('an edit settles a conflict, and is not overwritten; what is open is listed again', async () => {
    using dir = scratch();
    await edited(dir);
    const done = await update(dir, 'mine@v2');
    const [tag, text] = [idOf(done, 'data.tag'), idOf(done, 'app.conf')];
    dir.write({ 'mine/settings.yaml': dir.read('mine')['settings.yaml']!.replace('"2"', '"7"') });
    const again = await update(dir, 'mine');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('1 open conflict.')]);
    expect(again.stderr).toContain(text);
    expect(again.stderr).not.toContain(tag);
    const late = await update(dir, 'mine', '--resolve', `${tag}=local`);
    expect([late.code, late.stderr]).toEqual([65, expect.stringContaining('was edited since')]);
    expect((await update(dir, 'mine', '--resolve', `${text}=local`)).code).toBe(0);
    expect(dir.read('mine')['settings.yaml']).toBe(
      settings({ tag: '7', level: 'warn', text: ['a', 'mine'] }),
    );
  });

  test('both is refused where both sides rewrote a value', async () => {
    using dir = scratch();
    await edited(dir);
    const tag = idOf(await update(dir, 'mine@v2'), 'data.tag');
    const before = dir.read('mine');
    const done = await update(dir, 'mine', '--resolve', `${tag}=both`);
    expect([done.code, done.stderr]).toEqual([65, expect.stringContaining('cannot keep both')]);
    expect(dir.read('mine')).toEqual(before);
  });

  test('the output of three directories is settled by its own name', async () => {
    using dir = scratch();
    dir.write({ 'b/s.yaml': settings(), 'u/s.yaml': NEXT, 'l/s.yaml': MINE });
    const done = await update(dir, '--base', 'b', '--upstream', 'u', '--local', 'l', '--output', 'o');
    const id = idOf(done, 'data.tag');
    expect((await update(dir, 'o', '--resolve', `${id}=local`)).code).toBe(2);
    expect(dir.read('o')['s.yaml']).toContain('tag: "9"');
  });
});

describe('uncommitted changes', () => {
  test('are not overwritten in a git work tree unless forced; a copy is kept then', async () => {
    using dir = scratch();
    await edited(dir, settings());
    await git(dir, 'init', '-q', '.');
    await git(dir, 'add', '-A');
    await git(dir, 'commit', '-q', '-m', 'got');
    dir.write({ 'mine/settings.yaml': MINE, 'mine/notes.txt': 'not of the update\n' });
    const before = dir.read('mine');
    const refused = await update(dir, 'mine@v2');
    expect([refused.code, refused.stderr]).toEqual([
      65,
      expect.stringMatching(/uncommitted changes: mine\/settings\.yaml\n/),
    ]);
    expect(dir.read('mine')).toEqual(before);
    const forced = await update(dir, 'mine@v2', '--force');
    expect(forced.code).toBe(2);
    const copy = /The package as it was before is in (.*)\.\n/.exec(forced.stderr)?.[1] ?? '';
    expect(copy).toContain('/.git/portico/before-');
    expect((await run('cat', [`${copy}/settings.yaml`])).stdout).toBe(MINE);
    expect((await run('git', ['status', '--porcelain'], { cwd: dir.path('mine') })).stdout).not.toContain(
      'portico',
    );
  });

  test('that are staged do not hold it up, nor do files that it leaves alone', async () => {
    using dir = scratch();
    await edited(dir);
    await git(dir, 'init', '-q', '.');
    await git(dir, 'add', '-A');
    dir.write({ 'mine/notes.txt': 'not of the update\n' });
    const done = await update(dir, 'mine@v2');
    expect([done.code, done.stderr]).toEqual([2, expect.not.stringContaining('as it was before')]);
    expect(existsSync(dir.path('mine/notes.txt'))).toBe(true);
  });

  test('outside git the package as it was is kept and named', async () => {
    using dir = scratch();
    await edited(dir);
    const { stderr } = await update(dir, 'mine@v2');
    const copy = /The package as it was before is in (.*)\.\n/.exec(stderr)?.[1] ?? '';
    expect((await run('cat', [`${copy}/settings.yaml`])).stdout).toBe(MINE);
  });
});
