/** What the command line promises of bundles and sources, one test for each line, in processes as a user starts them. */
import { afterAll, beforeAll, describe, expect } from 'vitest';

import { CSV } from '../bundle/bundle-files.ts';
import { contentServer, tgz, type ContentServer } from '../fetching/content-server.ts';
import { longTest } from '../long-test.ts';
import { startMemoryRegistry, type MemoryRegistry } from '../oci/memory-registry.ts';
import { portico, run, scratch, type Scratch } from './run-portico.ts';

const CONFIG = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n';
const DIGEST = /^sha256:[0-9a-f]{64}$/;

let dir: Scratch;
let http: ContentServer;
let registry: MemoryRegistry;

function under(folder: string, files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]));
}

beforeAll(async () => {
  dir = scratch();
  [http, registry] = await Promise.all([contentServer(), startMemoryRegistry()]);
  const permissions = [
    { serviceAccountName: 'op', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] },
  ];
  dir.write({
    ...under('operator', CSV({ permissions })),
    ...under('bad', {
      ...CSV(),
      'manifests/event.yaml': 'apiVersion: v1\nkind: Event\nmetadata: {name: e}\n',
    }),
    'plain/manifests/a.yaml': CONFIG,
    'chart/Chart.yaml': 'apiVersion: v2\nname: still\nversion: 1.0.0\n',
    'chart/templates/a.yaml': CONFIG,
    'web/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web}\n',
    'web/a.yaml': CONFIG,
    'app/portico-sources.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Sources
sources:
- { id: one, http: { url: "${http.url}/one.tgz" } }
- { id: two, http: { url: "${http.url}/two.tgz" } }
processors:
- { plain: { directory: one } }
`,
  });
  http.files.set('/one.tgz', tgz({ 'a.yaml': CONFIG }));
  http.files.set('/two.tgz', tgz({ 'b.yaml': CONFIG }));
});
afterAll(async () => {
  dir[Symbol.dispose]();
  await http[Symbol.asyncDispose]();
  await registry[Symbol.asyncDispose]();
});

const convert = (from: string, to: string, ...options: string[]) =>
  portico(['bundle', 'convert', dir.path(from), ...options, '--output', dir.path(to)]);

describe('contract', () => {
  longTest('portico sources sync DIR [--locked] [--update [ID]…] [--json]', async () => {
    const env = { INSIDE_HOSTS: `http://${http.host}` };
    const sync = async (...options: string[]) => {
      const { code, stdout, stderr } = await portico(
        ['sources', 'sync', dir.path('app'), ...options, '--json'],
        { env },
      );
      const said = JSON.parse(stdout === '' ? '{}' : stdout) as {
        sources: { id: string; resolved: string; treeDigest: string; changed: boolean }[];
        processors: object[];
      };
      return { code, stderr, ...said };
    };
    const made = await sync();
    expect([made.code, made.stderr]).toEqual([0, '']);
    expect(made.sources.map(({ id, changed }) => [id, changed])).toEqual([
      ['one', true],
      ['two', true],
    ]);
    expect(made.sources.every(({ treeDigest }) => DIGEST.test(treeDigest))).toBe(true);
    expect(made.sources[0]?.resolved).toMatch(/one\.tgz@sha256:[0-9a-f]{64}$/);
    expect(made.processors).toHaveLength(1);
    http.files.set('/one.tgz', tgz({ 'a.yaml': `${CONFIG}data: {}\n` }));
    http.files.set('/two.tgz', tgz({ 'b.yaml': `${CONFIG}data: {}\n` }));
    const before = dir.read('app');
    // The addresses have other bytes now, and only the lock is executed.
    expect((await sync('--locked')).code).not.toBe(0);
    expect(dir.read('app')).toEqual(before);
    expect((await sync('--update', 'two')).sources.map(({ changed }) => changed)).toEqual([false, true]);
    expect((await sync('--update')).sources.map(({ changed }) => changed)).toEqual([true, false]);
    expect((await sync('--locked')).code).toBe(0);
  });

  longTest(
    'portico bundle convert DIR --install-namespace NS [--target-namespaces a,b] --output OUT',
    async () => {
      const made = await convert(
        'operator',
        'two',
        '--install-namespace',
        'ops',
        '--target-namespaces',
        'a,b',
      );
      expect(made.code).toBe(0);
      const written = Object.entries(dir.read('two'));
      expect(written.map(([path]) => path)).toEqual([
        '00_serviceaccount_op.yaml',
        ...[1, 2].map((at) => expect.stringMatching(new RegExp(`^0${at}_role_`))),
        ...[3, 4].map((at) => expect.stringMatching(new RegExp(`^0${at}_rolebinding_`))),
        '05_deployment_demo-manager.yaml',
      ]);
      expect(written.every(([, text]) => text.match(/^kind: /gm)?.length === 1)).toBe(true);
      const roles = written
        .filter(([path]) => path.includes('_role_'))
        .map(([, text]) => /namespace: (.*)/.exec(text)?.[1]);
      expect(roles).toEqual(['a', 'b']);
    },
  );

  longTest('"" is all namespaces', async () => {
    expect(
      (await convert('operator', 'all', '--install-namespace', 'ops', '--target-namespaces', '')).code,
    ).toBe(0);
    expect(Object.keys(dir.read('all')).filter((path) => path.includes('_clusterrole_'))).toHaveLength(1);
  });

  longTest('portico bundle convert DIR --format plain|registry-v1|helm', async () => {
    const made = await Promise.all([
      convert('plain', 'from-plain', '--format', 'plain'),
      convert('operator', 'from-registry', '--format', 'registry-v1', '--install-namespace', 'ops'),
      convert('chart', 'from-chart', '--format', 'helm'),
      convert('plain', 'from-other', '--format', 'other'),
    ]);
    expect(made.map(({ code }) => code)).toEqual([0, 0, 0, 64]);
    expect(Object.keys(dir.read('from-plain'))).toEqual(['00_configmap_a.yaml']);
    expect(Object.keys(dir.read('from-chart'))).toEqual(['00_configmap_a.yaml']);
    expect(Object.keys(dir.read('from-registry'))).toContain('00_serviceaccount_op.yaml');
  });

  longTest('portico bundle validate DIR --json', async () => {
    const [good, bad] = await Promise.all(
      ['operator', 'bad'].map((name) => portico(['bundle', 'validate', dir.path(name), '--json'])),
    );
    expect([good?.code, JSON.parse(good?.stdout ?? '')]).toEqual([
      0,
      expect.objectContaining({ passed: true, errors: [] }),
    ]);
    expect([bad?.code, JSON.parse(bad?.stdout ?? '')]).toEqual([
      1,
      expect.objectContaining({
        passed: false,
        errors: [expect.objectContaining({ message: 'unsupported resource "e" with kind "Event"' })],
      }),
    ]);
  });

  longTest('portico preview <package>@<revision>|DIR', async () => {
    const git = (...args: string[]) => run('git', ['-C', dir.path('web'), ...args]);
    for (const args of [
      ['init', '-q', '-b', 'main'],
      ['add', '-A'],
      ['commit', '-qm', 'web'],
      ['tag', 'v1'],
    ]) {
      expect((await git(...args)).code).toBe(0);
    }
    const { stdout, code } = await portico(['preview', '.@v1', '--repo', dir.path('web'), '--json']);
    const said = JSON.parse(stdout) as { digest: string; resources: object[]; permissions: object[] };
    expect([code, said.resources.length, said.permissions]).toEqual([0, 1, []]);
    expect(said.digest).toMatch(DIGEST);
    const same = ['preview', dir.path('web'), '--approved', said.digest];
    const other = ['preview', '.@v1', '--repo', dir.path('web'), '--approved', `sha256:${'0'.repeat(64)}`];
    expect((await Promise.all([same, other].map((args) => portico(args)))).map((ran) => ran.code)).toEqual([
      0, 1,
    ]);
  });

  longTest('portico push DIR REF, portico pull REF DIR', async () => {
    dir.write({ 'pushed/a.yaml': CONFIG });
    const reference = `${registry.host}/acme/web:v1`;
    const pushed = await portico(['push', dir.path('pushed'), reference]);
    expect([pushed.code, pushed.stdout.trim()]).toEqual([0, expect.stringMatching(DIGEST)]);
    const pulled = await portico(['pull', reference, dir.path('pulled')]);
    expect([pulled.code, pulled.stdout]).toEqual([0, pushed.stdout]);
    expect(dir.read('pulled')).toEqual({ 'a.yaml': CONFIG });
  });
});
