// @module-tag story
import { beforeAll, afterAll, expect, test } from 'vitest';

import { commitFiles, git, initRepository, kptfile, tag } from '../channels/git-fixture.ts';
import { WEB_CHANNELS } from '../channels/web-channels.ts';
import { runVerb, type Ran } from '../fbc/run-verb.ts';
import { portico, scratch, type Outcome, type Scratch } from './run-portico.ts';

const FILE = '.github/portico/channels/web.yaml';
const CHANNELS = `# Who gets what.
${WEB_CHANNELS}  head: v1   # said twice
  members: # each on a line
  - v1
  promotion: {from: candidate, soak: 1h}
`;
const CONFIG = `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { directory: /pkgs }\n`;

let dir: Scratch;
let repo: string;

beforeAll(() => {
  dir = scratch();
  repo = initRepository(dir.path('up'));
  const files = { '.github/portico.yaml': CONFIG, [FILE]: CHANNELS, 'pkgs/web/Kptfile': kptfile('web') };
  for (const number of [1, 2, 3]) {
    const commit = commitFiles(repo, { ...files, 'pkgs/web/a.yaml': `a: ${number}\n` }, number);
    tag(repo, `pkgs/web/v${number}`, commit, number);
  }
  const commit = git(repo, ['rev-parse', 'pkgs/web/v1^{commit}']);
  const lock = { repo, directory: 'pkgs/web', ref: 'pkgs/web/v1', commit };
  const follow = `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { updates: { follow: channel/stable } }\n`;
  const shop = initRepository(dir.path('clones/shop'));
  commitFiles(shop, { '.github/portico.yaml': follow, 'web/Kptfile': kptfile('web', lock) });
});

afterAll(() => dir[Symbol.dispose]());

/** In this process, which takes less time. */
const here = ([verb = '', ...args]: readonly string[]): Promise<Ran> =>
  runVerb(verb, ...args, '--repo', repo);
const inRepo = (...args: string[]): Promise<Outcome> => portico([...args, '--repo', repo]);

test('a change edits one line of the work tree, as the slash-command would, and says what the rules say', async () => {
  const promoted = await inRepo('promote', 'web@v2', 'to', 'stable', '--json');
  expect(promoted).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(promoted.stdout)).toEqual({
    title: 'Promote web v2 to stable',
    change: { do: 'promote', package: 'web', revision: 2, channel: 'stable' },
    file: FILE,
    problems: [],
  });
  expect(dir.read('up')[FILE]).toBe(
    CHANNELS.replace('head: v1', 'head: v2').replace('  - v1\n', '  - v1\n  - v2\n'),
  );
  for (const args of [
    ['promote', 'web', 'v3', '--to', 'stable'],
    ['withdraw', 'web@v2', 'broken probe', '--channel', 'stable'],
    ['deprecate', 'web@v1', 'old API', '--superseded-by', 'v3', '--severity=blocking'],
    ['channel', 'create', 'web', 'lts', 'v1'],
    ['channel', 'default', 'web', 'lts'],
    ['channel', 'delete', 'web', 'stable'],
  ]) {
    expect(await here(args), args.join(' ')).toMatchObject({ exit: 0, stderr: '' });
  }
  expect(dir.read('up')[FILE]).toMatch(/^# Who gets what\.\n/);
  expect(git(repo, ['status', '--porcelain'])).toBe(`M ${FILE}`);
  git(repo, ['checkout', '--quiet', '--', FILE]);

  // The check of the proposal fails on it, unless the label hotfix lifts it.
  dir.write({ [`up/${FILE}`]: CHANNELS.replace('auto: all', 'members: [v1]') });
  const ahead = await here(['promote', 'web@v2', 'to', 'stable']);
  expect(ahead).toMatchObject({ exit: 0, stderr: expect.stringContaining(`warning: ${FILE}:`) });
  expect(ahead.stderr).toContain('C16');
  git(repo, ['checkout', '--quiet', '--', FILE]);
});

test('with --branch a commit holds each change; plan says what downstreams would get of it', async () => {
  git(repo, ['init', '--quiet', '--bare', dir.path('origin.git')]);
  git(repo, ['remote', 'add', 'origin', dir.path('origin.git')]);
  const onBranch = ['--branch', 'channels/web', '--push', 'origin', '--json'];
  const promoted = await inRepo('promote', 'web@v2', 'to', 'stable', ...onBranch);
  expect(promoted).toMatchObject({ code: 0, stderr: '' });
  const { commit, branch } = JSON.parse(promoted.stdout);
  expect([branch, commit]).toEqual(['channels/web', git(repo, ['rev-parse', 'channels/web'])]);
  expect((await inRepo('promote', 'web@v3', 'to', 'stable', ...onBranch)).code).toBe(0);
  expect(git(repo, ['log', '--format=%s', 'main..channels/web']).split('\n')).toEqual([
    'Promote web v3 to stable',
    'Promote web v2 to stable',
  ]);
  expect(git(repo, ['diff', '--stat', 'main..channels/web']).split('\n')).toHaveLength(2);
  expect(git(dir.path('origin.git'), ['rev-parse', 'channels/web'])).toBe(
    git(repo, ['rev-parse', 'channels/web']),
  );
  expect(git(repo, ['status', '--porcelain'])).toBe('');

  const plan = (...args: string[]): Promise<Outcome> =>
    inRepo('plan', 'web', '--in', dir.path('clones'), ...args);
  const now = JSON.parse((await plan('--json')).stdout);
  expect(now.downstreams).toMatchObject([{ downstream: 'shop:web', at: 'v1', code: 'current' }]);
  const then = await plan('--branch', 'channels/web');
  expect(then).toMatchObject({ code: 0, stderr: '' });
  expect(then.stdout).toMatch(/shop:web +web +channel\/stable +v1 +v3 +step +step 1 of 1: v1 → v3/);
  // When it comes is decided elsewhere, and the plan says so.
  const soaking = `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { updates: { follow: channel/stable, soak: 24h } }\n`;
  commitFiles(dir.path('clones/shop'), { '.github/portico.yaml': soaking });
  const later = await here(['plan', 'web', '--in', dir.path('clones')]);
  expect(later.stderr).toContain(
    'shop: its soak and schedule, which decide when updates come, are not in the plan',
  );
});

test('what cannot be done is told with a way out, and changes nothing', async () => {
  const refs = git(repo, ['for-each-ref']);
  const cases: [string[], number, RegExp][] = [
    [['promote', 'web@v9', 'to', 'stable'], 65, /v9 is not published.*\nName a revision that has a tag/s],
    [['promote', 'web@v1', 'to', 'stable'], 65, /stable offers v1 already/],
    [['promote', 'web@v2'], 64, /channel is missing\n.*portico promote web@v12 to stable/s],
    [['promote', 'web@one', 'to', 'stable'], 64, /`one` is not a revision/],
    [['withdraw', 'web@v1', '--channel', 'stable'], 65, /offer nothing.*portico channel delete web stable/s],
    [['deprecate', 'web@v1'], 64, /message is missing/],
    [['deprecate', 'web@v1', 'm', '--severity', 'bad'], 64, /--severity cannot be bad/],
    [['channel', 'rename', 'web', 'stable'], 64, /Say one of create, delete, default/],
    [['channel', 'delete', 'web', 'stable'], 65, /default channel/],
    [['channel', 'default', 'nope', 'stable'], 65, /there is no package nope with a published revision/],
    [['promote', '../x@v1', 'to', 'stable'], 64, /cannot be a package/],
    [['promote', 'web@v2', 'to', 'stable', '--branch', 'main'], 65, /registered branch/],
    [['promote', 'web@v2', 'to', 'stable', '--branch', 'a..b'], 64, /not a branch name/],
    [['promote', 'web@v2', 'to', 'stable', '--push', 'origin'], 64, /--push needs --branch/],
    [['plan', '--branch', 'nope'], 65, /no branch nope/],
  ];
  for (const [args, code, text] of cases) {
    const { exit, stderr } = await here(args);
    expect([exit, stderr], args.join(' ')).toEqual([code, expect.stringMatching(text)]);
    expect(stderr).not.toMatch(/(?<!\S)\/portico /);
  }
  expect(git(repo, ['for-each-ref'])).toBe(refs);
  expect(git(repo, ['status', '--porcelain'])).toBe('');
});
