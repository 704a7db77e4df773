import { describe, expect, test } from 'vitest';

import { portico, scratch } from './run-portico.ts';
import { upstreamRepo } from './upstream-repo.ts';

const KPTFILE = (name: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: ${name}\n`;
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  labels: {team: a}\ndata: {a: b}\n';
const CONFIG = `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: {name: x}
spec:
  directory: pkgs
  guardrails:
    validators:
    - {name: team, policy: required-labels, params: {labels: [team]}}
`;

describe('check at the top of a repository', () => {
  test('checks every package by its own configuration', async () => {
    using dir = scratch();
    dir.write({
      '.github/portico.yaml': CONFIG,
      'pkgs/a/Kptfile': KPTFILE('a'),
      'pkgs/a/c.yaml': MAP,
      'pkgs/a/sub/Kptfile': KPTFILE('sub'),
      'pkgs/b/Kptfile': KPTFILE('b'),
      'pkgs/b/l/d.yaml': MAP.replace('  labels: {team: a}\n', ''),
      'elsewhere/Kptfile': 'kind: [',
    });
    const { code, stdout, stderr } = await portico(['check'], { cwd: dir.path('.') });
    expect([code, stdout]).toEqual([1, '1 of 2 packages failed: pkgs/b\n']);
    expect(stderr).toContain('pkgs/b/l/d.yaml:');
    expect(stderr).toContain('[FAIL] package pkgs/b\n');
    const json = await portico(['check', '--json'], { cwd: dir.path('.') });
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: false,
      configuration: '.github/portico.yaml',
      packages: [
        { package: 'pkgs/a', ok: true },
        { package: 'pkgs/b', ok: false },
      ],
    });
    dir.write({ 'pkgs/b/l/d.yaml': MAP });
    expect(await portico(['check', dir.path('.')])).toMatchObject({
      code: 0,
      stdout: '2 packages are valid and rendered.\n',
    });
    dir.write({ '.github/portico.yaml': CONFIG.replace('directory: pkgs', 'directroy: pkgs') });
    expect(await portico(['check'], { cwd: dir.path('.') })).toMatchObject({
      code: 65,
      stderr: expect.stringMatching(/\.github\/portico\.yaml:5: .*directroy/),
    });
  });

  test('warns of resources that belong to no package, and of kustomizations that nobody builds', async () => {
    using dir = scratch();
    dir.write({
      'web/Kptfile': KPTFILE('web'),
      'web/c.yaml': MAP,
      'web/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [c.yaml]\n',
      'cache/deploy.yaml': MAP,
      'README.md': '',
      '.github/portico.yaml': CONFIG.replace(/spec:[^]*/, 'spec: {}\n'),
    });
    const { code, stderr } = await portico(['check'], { cwd: dir.path('.') });
    expect(code).toBe(0);
    expect(stderr.split('\n').filter((line) => line.includes('so it is not checked'))).toEqual([
      expect.stringMatching(/^web: warning: a kustomization in a package, not built, /),
      expect.stringMatching(/^cache: warning: 1 resource without a Kptfile, /),
    ]);
    const json = await portico(['check', '--json'], { cwd: dir.path('.') });
    expect(JSON.parse(json.stdout)).toMatchObject({
      leftOut: [{ path: 'web' }, { path: 'cache', what: '1 resource without a Kptfile' }],
    });
    // One package alone warns of what is in it.
    const one = await portico(['check', 'web'], { cwd: dir.path('.') });
    expect(one.stderr).toContain('web: warning: a kustomization in a package, not built');
  });

  test('warns of files from which a tool in spec.deploy builds other resources', async () => {
    using dir = scratch();
    const files = { 'pkgs/a/Kptfile': KPTFILE('a'), 'pkgs/a/x.jsonnet': '{}', 'pkgs/a/Chart.yaml': MAP };
    dir.write({ ...files, '.github/portico.yaml': `${CONFIG}  deploy: [argocd]\n` });
    const { stderr } = await portico(['check'], { cwd: dir.path('.') });
    expect(stderr).toContain('x.jsonnet makes Argo CD apply what the file evaluates to');
    expect(stderr).toContain('Chart.yaml makes Argo CD render the directory as a chart');
    dir.write({ '.github/portico.yaml': `${CONFIG}  deploy: [flux]\n` });
    expect((await portico(['check'], { cwd: dir.path('.') })).stderr).not.toContain('Argo CD');
    dir.write({ '.github/portico.yaml': `${CONFIG}  deploy: [helm]\n` });
    expect(await portico(['check'], { cwd: dir.path('.') })).toMatchObject({ code: 65 });
  });

  test('only what changed since a revision, and all of it where the configuration did', async () => {
    using dir = scratch();
    const { commit, git } = await upstreamRepo(dir, 'own');
    const free = CONFIG.replace(/ {2}guardrails[\s\S]*/, '');
    await commit({
      '.github/portico.yaml': free,
      'pkgs/a/Kptfile': KPTFILE('a'),
      'pkgs/b/Kptfile': KPTFILE('b'),
      'pkgs/c/Kptfile': KPTFILE('c'),
    });
    await git('switch', '-q', '-c', 'topic');
    await commit({ 'pkgs/a/c.yaml': MAP });
    dir.write({ 'own-work/pkgs/b/untracked.yaml': MAP });
    await git('branch', '-f', 'later', 'main');
    const check = () => portico(['check', '--changed-since', 'main'], { cwd: dir.path('own-work') });
    expect(await check()).toMatchObject({
      code: 0,
      stdout: '2 packages are valid and rendered. 1 package did not change since main.\n',
    });
    dir.write({ 'own-work/.github/portico.yaml': `${free}  branch: main\n` });
    expect(await check()).toMatchObject({ code: 0, stdout: '3 packages are valid and rendered.\n' });
    const nowhere = await portico(['check', '--changed-since', '--all'], { cwd: dir.path('own-work') });
    expect(nowhere.code).toBe(64);
    const unknown = await portico(['check', '--changed-since=nothing'], { cwd: dir.path('own-work') });
    expect(unknown.code).toBe(65);
    const single = await portico(['check', 'pkgs/a', '--changed-since', 'main'], {
      cwd: dir.path('own-work'),
    });
    expect(single).toMatchObject({ code: 64, stderr: expect.stringContaining('packages of a repository') });
  });
});

const validated = (name: string): string =>
  `${KPTFILE(name)}pipeline:\n  validators: [{image: 'kubeconform:v0.1'}]\n`;

describe('places in messages', () => {
  test('a file is named once, as seen from where one stands', async () => {
    using dir = scratch();
    dir.write({ 'c21/Kptfile': KPTFILE('c21'), 'c21/l/d.yaml': `${MAP}---\n- no map\n` });
    for (const verb of ['render', 'check']) {
      const { code, stderr } = await portico([verb, 'c21'], { cwd: dir.path('.') });
      expect(code).toBe(65);
      expect(stderr).toMatch(/^error: c21\/l\/d\.yaml:8: resource must have `apiVersion`/);
    }
    const below = await portico(['render', '../../c21'], { cwd: dir.path('c21/l') });
    expect(below.stderr.match(/d\.yaml/g)).toHaveLength(1);
  });

  test('a Kptfile that stops the rendering is told of once', async () => {
    using dir = scratch();
    for (const kptfile of [
      `${KPTFILE('p')}pipeline:\n  mutators: none\n`,
      KPTFILE('p').replace('kpt.dev/v1', 'kpt.dev/v1alpha2'),
      `${KPTFILE('p')}---\na: b\n`,
    ]) {
      dir.write({ 'p/Kptfile': kptfile });
      const { code, stderr } = await portico(['check', 'p'], { cwd: dir.path('.') });
      expect([code, stderr.match(/p\/Kptfile/g)?.length]).toEqual([65, 1]);
    }
  });

  test('what two pipelines find in one place is told once', async () => {
    using dir = scratch();
    dir.write({
      'p/Kptfile': validated('p'),
      'p/sub/Kptfile': validated('sub'),
      'p/sub/c.yaml': MAP.replace('{a: b}', '5'),
    });
    const { code, stderr } = await portico(['check', 'p'], { cwd: dir.path('.') });
    expect([code, stderr.match(/p\/sub\/c\.yaml/g)?.length]).toEqual([1, 1]);
  });

  test('a folder of packages names one of them, and how to check all', async () => {
    using dir = scratch();
    dir.write({ 'all/web/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: web }\n' });
    const { code, stderr } = await portico(['check', 'all'], { cwd: dir.path('.') });
    expect([code, stderr]).toEqual([
      65,
      expect.stringMatching(
        /such as all\/web\. At the top of a repository, portico check checks all packages/,
      ),
    ]);
  });

  test('what is missing is named as the person wrote it', async () => {
    using dir = scratch();
    dir.write({ 'p/c.yaml': MAP });
    expect((await portico(['render', 'p'], { cwd: dir.path('.') })).stderr).toContain(
      'error: there is no Kptfile in p\n',
    );
    expect((await portico(['tree', 'q'], { cwd: dir.path('.') })).stderr).toContain(
      'error: q does not exist\n',
    );
  });
});
