import { chmodSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { portico, run, scratch, type Scratch } from './run-portico.ts';
import { upstreamRepo } from './upstream-repo.ts';

const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c # its name\ndata: {a: b}\n';
const KPTFILE =
  'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n  annotations:\n    config.kubernetes.io/local-config: "true"\n';
const PACKAGE = { 'p/Kptfile': KPTFILE, 'p/c.yaml': MAP, 'p/sub/d.yaml': MAP.replace('name: c', 'name: d') };

/** A program by the name of docker, which gives functions their own input back: what kpt saves does not depend on images. */
function fakeDocker(dir: Scratch): string {
  dir.write({ 'bin/docker': '#!/bin/sh\ncase "$1" in version) echo 24.0.0;; run) exec cat;; esac\n' });
  chmodSync(dir.path('bin/docker'), 0o755);
  return `${dir.path('bin')}:${process.env['PATH'] ?? ''}`;
}

describe('names', () => {
  test('verbs have the names that kpt gives them, and start where one stands', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const cwd = dir.path('p');
    const [tree, kptTree] = await Promise.all([
      portico(['tree'], { cwd }),
      portico(['pkg', 'tree'], { cwd }),
    ]);
    expect(kptTree).toEqual(tree);
    expect(tree).toMatchObject({ code: 0, stdout: expect.stringContaining('Package "p"') });
    expect(await portico(['fn', 'render', '--allow-exec=false'], { cwd })).toMatchObject({ code: 0 });
    expect(await portico(['check'], { cwd })).toMatchObject({ code: 0 });
    expect(await portico(['functions', 'eval', '-i', 'set-labels:v0.2', '--', 'a=b'], { cwd })).toMatchObject(
      {
        code: 0,
        stdout: expect.stringContaining('changed c.yaml'),
      },
    );
  });

  test.each<[string, string[], RegExp]>([
    ['a verb that the group lacks', ['pkg', 'render'], /portico pkg has no render\nIt has: get, update/],
    ['a verb that is left to kpt', ['fn', 'sink', 'out'], /portico fn has no sink\nRun kpt fn sink\./],
    ['a tag of no image', ['fn', 'eval', '--exec', 'cat', '--tag', 'v1'], /--tag needs --image/],
    ['a group of a cluster', ['live', 'apply'], /never talks to a cluster/],
    [
      'an option that containers have',
      ['fn', 'eval', '.', '--env', 'A=b'],
      /see no variables.*-- key=value/s,
    ],
    [
      'the network',
      ['fn', 'render', '--allow-network'],
      /does not take --allow-network\nFunctions have no network/,
    ],
    [
      'what WebAssembly needs in kpt',
      ['fn', 'eval', '.', '--allow-alpha-wasm'],
      /WebAssembly needs no option/,
    ],
  ])('%s is refused with what to do', async (_, args, message) => {
    expect(await portico(args)).toMatchObject({ code: 64, stderr: expect.stringMatching(message) });
  });

  test('where one stands is called by a dot', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const { stderr } = await portico(['pkg', 'diff'], { cwd: dir.path('p') });
    expect(stderr).toMatch(/^error: the Kptfile in \. has no git upstream\n/);
    const below = await portico(['pkg', 'diff', 'p'], { cwd: dir.path('.') });
    expect(below.stderr).toMatch(/^error: the Kptfile in p has no git upstream\n/);
  });

  test('what Portico does not have can be turned off', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const args = ['fn', 'render', '--allow-network=false', '--truncate-output=false'];
    expect(await portico(args, { cwd: dir.path('p') })).toMatchObject({ code: 0 });
    expect(await portico(['fn', 'render', '--nope=false'], { cwd: dir.path('p') })).toMatchObject({
      code: 64,
    });
  });

  test('help names both', async () => {
    expect((await portico(['help', 'fn', 'render'])).stdout).toContain('Also:  portico fn render');
    expect((await portico(['--help'])).stdout).toContain('  pkg get|update|diff|tree|cat|init');
    const group = await portico(['pkg', '--help']);
    expect(group.stdout).toMatch(/^Usage: portico pkg VERB[\s\S]*^ {2}diff +show/m);
    expect(group.stdout).not.toContain('render');
    for (const args of [['pkg'], ['help', 'pkg']]) expect(await portico(args)).toEqual(group);
  });
});

describe('options of images', () => {
  test('--tag wins over the tag of the image, and is saved', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const args = ['fn', 'eval', '-i', 'set-labels:v9', '--tag', '~0.2', '-s', '-t', 'mutator', '--', 'a=b'];
    expect(await portico(args, { cwd: dir.path('p') })).toMatchObject({ code: 0 });
    expect(dir.read('p')['Kptfile']).toMatch(/set-labels:v9\n +tag: "?~0\.2"?\n/);
  });

  test.each<[string, string[], Record<string, string>, string]>([
    ['option', ['--image-prefix', 'registry.example/fns/'], {}, 'registry.example/fns'],
    ['variable', [], { KPT_IMAGE_PREFIX: 'registry.example/fns' }, 'registry.example/fns'],
    [
      'option before the variable',
      ['--image-prefix', 'one.example'],
      { KPT_IMAGE_PREFIX: 'two.example' },
      'one.example',
    ],
  ])(
    'an image without a registry gets that of the %s, in eval and render',
    async (_, options, env, prefix) => {
      using dir = scratch();
      dir.write({
        ...PACKAGE,
        'p/Kptfile': `${KPTFILE}pipeline:\n  mutators:\n  - image: set-labels:v0.2\n`,
      });
      const cwd = dir.path('p');
      for (const args of [
        ['fn', 'eval', '-i', 'set-labels:v0.2', ...options],
        ['fn', 'render', ...options],
      ]) {
        const { code, stderr } = await portico(args, { cwd, env });
        expect(code).not.toBe(0);
        expect(stderr).toContain(`${prefix}/set-labels:v0.2 cannot run here`);
      }
      const catalog = ['--image-prefix', 'ghcr.io/kptdev/krm-functions-catalog'];
      expect(
        await portico(['fn', 'eval', '-i', 'set-labels:v0.2', ...catalog, '--', 'a=b'], { cwd, env }),
      ).toMatchObject({
        code: 0,
      });
    },
  );
});

describe('cat', () => {
  test('prints the documents of a package as they are written, or those of one file', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const { stdout } = await portico(['pkg', 'cat', 'p'], { cwd: dir.path('.') });
    expect(stdout.split('---\n').toSorted()).toEqual(Object.values(PACKAGE).toSorted());
    expect((await portico(['cat', 'p/c.yaml'], { cwd: dir.path('.') })).stdout).toBe(MAP);
    const json = await portico(['cat', 'p/c.yaml', '--json'], { cwd: dir.path('.') });
    expect(JSON.parse(json.stdout)).toEqual([{ file: 'c.yaml', text: MAP }]);
    expect(await portico(['cat', 'nothing'], { cwd: dir.path('.') })).toMatchObject({ code: 65 });
  });
});

describe('render and eval to stdout', () => {
  test('documents stay as they are written', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const { code, stdout } = await portico(['render', 'p', '-o', 'unwrap'], { cwd: dir.path('.') });
    expect([code, stdout]).toEqual([0, [KPTFILE, MAP, PACKAGE['p/sub/d.yaml']].join('---\n')]);
    const labelled = await portico(['eval', 'p', '-i', 'set-labels:v0.2', '-o', 'unwrap', '--', 'a=b'], {
      cwd: dir.path('.'),
    });
    expect(labelled.stdout).toContain('name: c # its name\n  labels:\n    a: b\n');
    expect(dir.read('p')['c.yaml']).toBe(MAP);
    const refused = await portico(['render', 'p', '-o', 'stdout', '--json'], { cwd: dir.path('.') });
    expect(refused).toMatchObject({ code: 64, stderr: expect.stringContaining('both write to stdout') });
  });

  test('a stream has the form that is asked for', async () => {
    const input = MAP;
    const wrapped = await portico(['eval', '-', '-i', 'set-labels:v0.2', '-o', 'stdout', '--', 'a=b'], {
      input,
    });
    expect(parse(wrapped.stdout)).toMatchObject({ kind: 'ResourceList', items: [{ kind: 'ConfigMap' }] });
    const again = await portico(['eval', '-', '-i', 'set-labels:v0.2', '-o', 'unwrap', '--', 'a=c'], {
      input: wrapped.stdout,
    });
    expect(parse(again.stdout)).toMatchObject({ kind: 'ConfigMap', metadata: { labels: { a: 'c' } } });
  });

  test('a stream becomes files of a new directory, at the paths that resources name', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const cwd = dir.path('.');
    const { stdout: input } = await portico(['fn', 'render', 'p', '-o', 'stdout'], { cwd });
    const into = ['fn', 'eval', '-', '-i', 'set-labels:v0.2', '-o', 'made/here', '--', 'a=b'];
    const { code, stdout } = await portico(into, { cwd, input });
    expect([
      code,
      stdout
        .split('\n')
        .filter((line) => line !== '')
        .toSorted(),
    ]).toEqual([0, ['added made/here/Kptfile', 'added made/here/c.yaml', 'added made/here/sub/d.yaml']]);
    const labelled = MAP.replace('# its name\n', '# its name\n  labels:\n    a: b\n');
    expect(dir.read('made/here')['c.yaml']).toBe(labelled);
    expect(await portico(into, { cwd, input })).toMatchObject({ code: 64, stdout: '' });
    const named = MAP.replace('name: c', 'namespace: n\n  name: c');
    await portico(into.with(6, 'new'), { cwd, input: `${MAP}---\n${named}` });
    expect(Object.keys(dir.read('new'))).toEqual(['configmap_c.yaml', 'n/configmap_c.yaml']);
    const out = MAP.replace(
      'name: c # its name',
      "name: c\n  annotations: {config.kubernetes.io/path: '../c.yaml'}",
    );
    const refused = await portico(into.with(6, 'out'), { cwd, input: out });
    expect(refused).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('the path has the part ".."'),
    });
    expect(() => dir.read('out')).toThrow();
  });

  test('kpt fn sink writes the same files', { tags: ['kpt'] }, async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const cwd = dir.path('.');
    const { stdout: input } = await run('kpt', ['fn', 'source', 'p'], { cwd });
    await run('kpt', ['fn', 'sink', 'theirs'], { cwd, input });
    const args = [
      'fn',
      'eval',
      '-',
      '-i',
      'set-labels:v0.2',
      '--match-kind',
      'None',
      '-o',
      'ours',
      '--',
      'a=b',
    ];
    expect(await portico(args, { cwd, input })).toMatchObject({ code: 0 });
    expect(Object.keys(dir.read('ours'))).toEqual(Object.keys(dir.read('theirs')));
    expect(dir.read('ours')['sub/d.yaml']).toBe(dir.read('theirs')['sub/d.yaml']);
  });

  test('the real kpt writes the same resources', { tags: ['kpt'] }, async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const cwd = dir.path('.');
    for (const form of ['stdout', 'unwrap']) {
      const [ours, theirs] = await Promise.all([
        portico(['fn', 'render', 'p', '-o', form], { cwd }),
        run('kpt', ['fn', 'render', 'p', '-o', form], { cwd }),
      ]);
      expect([ours.code, theirs.code]).toEqual([0, 0]);
      expect(resources(ours.stdout)).toEqual(resources(theirs.stdout));
    }
  });

  test('results go to a directory, too', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    await portico(['fn', 'render', 'p', '--results-dir', 'made/results'], { cwd: dir.path('.') });
    expect(readFileSync(dir.path('made/results/results.yaml'), 'utf8')).toContain('FunctionResultList');
  });
});

/** Sorted by file; without the indentation that kpt notes, and the package that Portico does. */
function resources(text: string): unknown[] {
  const documents = parseAllDocuments(text).map((one) => one.toJS() as Record<string, unknown>);
  const items = documents.flatMap((one) =>
    one['kind'] === 'ResourceList' ? (one['items'] as never[]) : [one],
  );
  return items
    .map((item) => {
      const { metadata } = item as { metadata: { annotations?: Record<string, string> } };
      delete metadata.annotations?.['internal.config.kubernetes.io/seqindent'];
      delete metadata.annotations?.['internal.config.kubernetes.io/package-path'];
      return item;
    })
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

describe('eval --save', () => {
  const SAVES: readonly (readonly string[])[] = [
    ['-i', 'set-labels:v0.2', '-s', '-t', 'mutator', '--', 'team=a'],
    ['-i', 'set-labels:v0.1', '-s', '-t', 'mutator', '--match-kind', 'ConfigMap', '--', 'team=b'],
    ['-i', 'set-labels:v0.2', '-s', '-t', 'mutator', '--exclude-kind', 'Secret', '--', 'team=c'],
    ['-i', 'kubeconform:v0.1', '-s', '-t', 'validator'],
  ];

  test('leaves the pipeline that the real kpt leaves', { tags: ['kpt'] }, async () => {
    using dir = scratch();
    dir.write({ ...PACKAGE, 'k/Kptfile': KPTFILE, 'k/c.yaml': MAP });
    const cwd = dir.path('.');
    for (const args of SAVES) {
      expect(await portico(['fn', 'eval', 'p', ...args], { cwd })).toMatchObject({ code: 0 });
      const env = { PATH: fakeDocker(dir), KPT_FN_RUNTIME: 'docker' };
      expect(await run('kpt', ['fn', 'eval', 'k', ...args], { cwd, env })).toMatchObject({ code: 0 });
      const [ours, theirs] = ['p', 'k'].map(
        (name) => parse(dir.read(name)['Kptfile'] ?? '') as Record<string, unknown>,
      );
      expect(ours?.['pipeline']).toEqual(theirs?.['pipeline']);
    }
  });

  test('adds to the Kptfile, and runs the function', async () => {
    using dir = scratch();
    dir.write({
      ...PACKAGE,
      'p/fc.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: f\ndata:\n  a: b\n',
    });
    const cwd = dir.path('p');
    const args = [
      'eval',
      '.',
      '-i',
      'set-labels:v0.2',
      '--save',
      '--type',
      'mutator',
      '--fn-config',
      'fc.yaml',
    ];
    expect(await portico(args, { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('added the function'),
    });
    expect(dir.read('p')['Kptfile']).toContain(
      'pipeline:\n  mutators:\n    - image: ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2\n      configPath: fc.yaml\n',
    );
    expect(dir.read('p')['c.yaml']).toContain('a: b');
    // A function does not see its own configuration.
    expect(dir.read('p')['fc.yaml']).not.toContain('labels');
    expect(await portico(args, { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('updated the function'),
    });
  });

  test.each<[string, string[], RegExp]>([
    ['no type', ['-i', 'x', '--save'], /--save needs --type/],
    ['a program', ['--exec', 'x', '--save', '-t', 'mutator'], /--save needs --image/],
    [
      'a configuration elsewhere',
      ['-i', 'x', '-s', '-t', 'mutator', '--fn-config', '../x.yaml'],
      /in the package/,
    ],
  ])('%s is refused before anything runs', async (_, args, message) => {
    using dir = scratch();
    dir.write(PACKAGE);
    const outcome = await portico(['eval', '.', ...args], { cwd: dir.path('p') });
    expect(outcome).toMatchObject({ code: 64, stderr: expect.stringMatching(message) });
    expect(dir.read('p')['Kptfile']).toBe(KPTFILE);
  });
});

const edit = (dir: Scratch): void =>
  dir.write({ 'web/c.yaml': (dir.read('web')['c.yaml'] ?? '').replace('a: b', 'a: local') });

/** The lines that diff says differ. */
const lines = (text: string): string[] =>
  (text.match(/^[<>] .*$/gm) ?? []).map((line) => line.slice(2)).sort();

async function changedCopy(dir: Scratch): Promise<void> {
  const upstream = await upstreamRepo(dir);
  const files = { 'web/Kptfile': KPTFILE, 'web/c.yaml': MAP };
  await upstream.commit(files, 'web/v1');
  await upstream.commit({ 'web/c.yaml': MAP.replace('a: b', 'a: upstream') }, 'web/v2');
  expect(await portico(['get', `${upstream.url}/web@v1`, 'web'], { cwd: dir.path('.') })).toMatchObject({
    code: 0,
  });
}

describe('diff', () => {
  test('a package with its upstream, as it came and as it is to be', async () => {
    using dir = scratch();
    await changedCopy(dir);
    const cwd = dir.path('web');
    expect(await portico(['diff'], { cwd })).toMatchObject({ code: 0, stdout: 'No differences.\n' });
    edit(dir);
    const changes = async (...args: string[]): Promise<string[]> =>
      (await portico(['pkg', 'diff', ...args], { cwd })).stdout.match(/^ {2}[-+] .*$/gm) ?? [];
    expect(await changes()).toEqual(['  - data.a: b', '  + data.a: local']);
    expect(await changes('@v2', '--diff-type', 'remote')).toEqual(['  - data.a: b', '  + data.a: upstream']);
    expect(await changes('@v2', '--diff-type=combined')).toEqual([
      '  - data.a: upstream',
      '  + data.a: local',
    ]);
    expect(await changes('@v2', '--diff-type', '3way')).toEqual([
      '  - data.a: b',
      '  + data.a: local',
      '  - data.a: b',
      '  + data.a: upstream',
    ]);
    const tool = await portico(['diff', '--diff-tool', 'diff', '--diff-tool-opts', '-r -q'], { cwd });
    expect(tool).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Files .*c\.yaml differ\n$/) });
    const failed = await portico(['diff', '--diff-tool', 'sh -c "exit 3"'], { cwd });
    expect(failed).toMatchObject({ code: 65, stderr: expect.stringContaining('sh exited with 3') });
  });

  test('says the lines that the real kpt says', { tags: ['kpt'] }, async () => {
    using dir = scratch();
    await changedCopy(dir);
    edit(dir);
    const cwd = dir.path('web');
    for (const type of ['local', 'remote', 'combined']) {
      const theirs = await run('kpt', ['pkg', 'diff', '@v2', '--diff-type', type], { cwd });
      const tool = ['--diff-tool', 'diff', '--diff-tool-opts', '-r'];
      const ours = await portico(['pkg', 'diff', '@v2', '--diff-type', type, ...tool], { cwd });
      expect(lines(theirs.stdout)).toHaveLength(2);
      expect(lines(ours.stdout)).toEqual(lines(theirs.stdout));
    }
  });

  test('revisions, tags, branches and commits of a clone', async () => {
    using dir = scratch();
    const { git, commit } = await upstreamRepo(dir);
    const first = await commit({ 'apps/web/Kptfile': KPTFILE, 'apps/web/c.yaml': MAP }, 'apps/web/v1');
    await commit({ 'apps/web/c.yaml': MAP.replace('a: b', 'a: two') }, 'apps/web/v2');
    await git('branch', 'old', first);
    dir.write({ 'blueprints-work/apps/web/c.yaml': MAP.replace('a: b', 'a: here') });
    const fields = async (cwd: string, ...args: string[]): Promise<string[]> => {
      const { code, stdout, stderr } = await portico(['diff', ...args], { cwd: dir.path(cwd) });
      expect([code, stderr]).toEqual([0, '']);
      return stdout.match(/^ {2}[-+] .*$/gm) ?? [];
    };
    const published = ['  - data.a: b', '  + data.a: two'];
    expect(await fields('blueprints-work', 'apps/web@v1..v2')).toEqual(published);
    expect(await fields('blueprints-work/apps', 'web@v1...v2')).toEqual(published);
    expect(await fields('blueprints-work/apps/web', 'v1..v2')).toEqual(published);
    expect(await fields('blueprints-work/apps/web', 'old..main')).toEqual(published);
    expect(await fields('blueprints-work/apps/web', `${first.slice(0, 8)}..`)).toEqual([
      '  - data.a: b',
      '  + data.a: here',
    ]);
    expect(await fields('blueprints-work', 'apps/web@v2', 'apps/web')).toEqual([
      '  - data.a: two',
      '  + data.a: here',
    ]);
    await git('rm', '-rfq', 'apps');
    expect(await fields('blueprints-work', 'apps/web@v1..v2')).toEqual(published);
    const missing = await portico(['diff', 'apps/web@v1..v9'], { cwd: dir.path('blueprints-work') });
    expect(missing).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('no revision, tag, branch or commit v9'),
    });
  });

  test('Markdown only where it is asked for, colours where they are seen', async () => {
    using dir = scratch();
    dir.write({ 'a/c.yaml': MAP, 'b/c.yaml': MAP.replace('a: b', 'a: c') });
    const cwd = dir.path('.');
    const plain = await portico(['diff', 'a', 'b'], { cwd });
    expect(plain.stdout).toContain('  + data.a: c\n');
    expect(plain.stdout).not.toMatch(/<\/?(?:details|summary)|```|\*\*/);
    expect(plain.stdout).not.toContain('\u001B');
    const coloured = await portico(['diff', 'a', 'b'], { cwd, env: { FORCE_COLOR: '1' } });
    expect(coloured.stdout).toContain('\u001B[32m  + data.a: c\u001B[39m\n');
    expect(coloured.stdout).toContain('\u001B[31m  - data.a: b\u001B[39m\n');
    expect((await portico(['diff', 'a', 'b', '-o', 'markdown'], { cwd })).stdout).toContain(
      '<details open><summary>',
    );
  });
});
