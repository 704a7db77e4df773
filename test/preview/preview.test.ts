/** `portico preview`, over real tags of a real repository. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { formatProvenance } from '../../src/revision/provenance.ts';
import { runVerb } from '../fbc/run-verb.ts';

const CLOUD = `apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata: {name: store}
spec: {providerSpec: {statementEntries: [{action: ["s3:GetObject"], effect: Allow, resource: "*"}]}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web, annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::1:role/web"}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: reader}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: reader}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}
subjects: [{kind: ServiceAccount, name: web}]
`;
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: web}\n';

let folder = '';
let trees: { readonly old: string; readonly changed: string };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-preview-'));
  git('init', '-q', '-b', 'main');
  write('apps/web/Kptfile', KPTFILE);
  write('apps/web/all.yaml', CLOUD);
  const old = commit();
  tag('apps/web/v1', 'v1', old);
  git('tag', 'apps/web/v2');
  git('tag', '-a', 'apps/web/v3', '-m', 'by hand');
  write('apps/web/all.yaml', CLOUD.replace('verbs: [get]', 'verbs: ["*"]'));
  const changed = commit();
  // The tag of a revision was made anew at another commit, with what the old one said.
  tag('apps/web/v4', 'v4', old);
  trees = { old, changed };
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function git(...args: string[]): string {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  return execFileSync('git', [...identity, ...args], { cwd: folder, encoding: 'utf8' }).trim();
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function service(ip: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata: {name: api}\nspec: {clusterIP: "${ip}"}\n`;
}

/** The id of the package's tree. */
function commit(): string {
  git('add', '-A');
  git('commit', '-q', '-m', 'change');
  return git('rev-parse', 'HEAD:apps/web');
}

function tag(name: string, revision: string, tree: string): void {
  const said = { package: 'apps/web', revision, digest: 'sha256:0', tree, guardrails: [], approvedBy: [] };
  git('tag', '-a', name, '-m', formatProvenance(said), '--cleanup=verbatim');
}

function preview(...args: string[]): ReturnType<typeof runVerb> {
  return runVerb('preview', ...args);
}

async function document(...args: string[]): Promise<{ exit: number; said: Record<string, unknown> }> {
  const { exit, stdout } = await preview(...args, '--json', '--repo', folder);
  return { exit, said: JSON.parse(stdout) as Record<string, unknown> };
}

test('a revision is shown with its resources and permissions, and is the one that was approved', async () => {
  const { exit, stdout } = await preview('apps/web@v1', '--repo', folder);
  expect(exit).toBe(0);
  expect(stdout).toContain('4 resources:\n  CredentialsRequest store  [all.yaml]\n');
  expect(stdout).toContain(
    'acts as the AWS role arn:aws:iam::1:role/web (look twice: rights outside of the cluster)',
  );
  expect(stdout).toContain('spec.providerSpec.statementEntries.action: s3:GetObject');
  expect(stdout).toMatch(/ServiceAccount .*web: .*get.* secrets/);
  expect(stdout).toContain(`This is what was approved: ${trees.old}`);
});

test('a tag that was moved is not what was approved', async () => {
  const { exit, said } = await document('apps/web@v4');
  expect(exit).toBe(1);
  expect(said).toMatchObject({
    tree: trees.changed,
    approved: { with: trees.old, from: 'tag', same: false },
  });
  const { stderr } = await preview('apps/web@v4', '--repo', folder);
  expect(stderr).toContain(`this is not what its tag says was approved, which is ${trees.old}`);
});

test('a digest that is given wins, and is the same for a directory and a revision', async () => {
  const { said } = await document('apps/web@v1');
  const digest = String(said['digest']);
  git('checkout', '-q', 'apps/web/v1');
  const directory = join(folder, 'apps/web');
  expect((await document(directory, '--approved', digest)).exit).toBe(0);
  expect((await document('apps/web@v3', '--approved', digest)).exit).toBe(0);
  git('checkout', '-q', 'main');
  expect((await document(directory, '--approved', digest)).exit).toBe(1);
  expect((await document('apps/web@v4', '--approved', trees.changed)).exit).toBe(0);
  const wrong = await preview(directory, '--approved', trees.old);
  expect([wrong.exit, wrong.stderr]).toEqual([64, expect.stringContaining('a directory has no git tree')]);
  expect((await preview(directory, '--approved', 'v1')).exit).toBe(64);
});

test('tags that say nothing are told, and those that are not there are an error', async () => {
  for (const revision of ['apps/web@v2', 'apps/web@v3']) {
    const { exit, stderr, stdout } = await preview(revision, '--repo', folder, '--json');
    expect([exit, (JSON.parse(stdout) as { approved: unknown }).approved]).toEqual([0, null]);
    expect(stderr).toContain('the tag does not say which tree was approved');
  }
  const missing = await preview('apps/web@v9', '--repo', folder);
  expect([missing.exit, missing.stderr]).toEqual([
    65,
    expect.stringContaining('there is no tag apps/web/v9'),
  ]);
});

test('a path is also taken from the registered directory', async () => {
  write(
    '.github/portico.yaml',
    'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: {name: x}\nspec: {directory: apps}\n',
  );
  commit();
  expect((await document('web@v1')).said).toMatchObject({ package: 'apps/web' });
});

test('a directory is shown as it would be rendered', async () => {
  const pipeline = 'pipeline: {mutators: [{image: set-namespace:v0.4.1, configMap: {namespace: shop}}]}\n';
  write('draft/Kptfile', KPTFILE + pipeline);
  write('draft/all.yaml', CLOUD);
  const { exit, stdout, stderr } = await preview(join(folder, 'draft'));
  expect(exit).toBe(0);
  expect(stdout).toContain('ServiceAccount shop/web  [all.yaml]');
  expect(stderr).toContain('is not rendered: 1 file would change');
  write('draft/Kptfile', `${KPTFILE}pipeline: {mutators: [{image: nobody/knows:v1}]}\n`);
  expect((await preview(join(folder, 'draft'))).exit).toBe(1);
});

test('portico diff tells what becomes of objects, and which definitions fail', async () => {
  const crd = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: x}\nspec: {scope: Cluster}\n`;
  write('a/x.yaml', crd);
  write('b/y.yaml', CLOUD);
  const [a, b] = ['a', 'b'].map((name) => join(folder, name));
  const { exit, stdout } = await runVerb('diff', a!, b!, '--json');
  expect(exit).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    pivot: { kept: 0, removed: [{ object: 'CustomResourceDefinition x' }] },
    failures: ['CustomResourceDefinition x is removed, and every object of its kind goes with it'],
  });
  const shown = await runVerb('diff', a!, b!);
  expect(shown.stdout).toContain('1 resource removed, 4 added.\n');
  expect(shown.stdout).toContain(
    '\nfails: CustomResourceDefinition x is removed, and every object of its kind goes with it\n',
  );
  expect(shown.stdout).toContain(
    '\n- Role reader in y.yaml\n  + apiVersion: rbac.authorization.k8s.io/v1\n  + rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]\n',
  );
  expect(shown.stdout).toMatch(/\+ spec:\n +\+ {3}providerSpec:\n +\+ {5}statementEntries: \[/);
  expect((await runVerb('diff', a!, a!)).stdout).toBe('No differences.\n');
});

test('what processors read is not counted as deployed, unless nothing says that they do', async () => {
  const sources = `apiVersion: config.portico.dev/v1alpha1
kind: Sources
metadata: {name: x}
sources: [{id: crds, manual: true, destination: upstream/crds}]
processors: [{plain: {directory: upstream/crds}}]
`;
  write('with/upstream/crds/all.yaml', CLOUD);
  write('with/rendered/x.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n');
  const directory = join(folder, 'with');
  expect((await document(directory)).said['resources']).toHaveLength(5);
  write('with/portico-sources.yaml', sources);
  const { said } = await document(directory);
  expect(said).toMatchObject({
    resources: [{ kind: 'ConfigMap', name: 'x' }],
    permissions: [],
    inputs: { directories: ['upstream/crds'], files: 1 },
  });
  write('with/portico-sources.yaml', 'sources: 3\n');
  const { stderr, stdout } = await preview(directory, '--json');
  expect(stderr).toContain('so everything counts as deployed');
  expect((JSON.parse(stdout) as { permissions: unknown[] }).permissions).not.toEqual([]);
});

test('what becomes of objects since the revision before, or since what is named, is told', async () => {
  write('apps/api/Kptfile', KPTFILE);
  const crd = `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.acme.io}\nspec: {group: acme.io}\n`;
  write('apps/api/a.yaml', `${service('10.0.0.1')}---\n${crd}`);
  write('apps/api/kept.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kept}\n');
  commit();
  git('tag', 'apps/api/v1');
  write('apps/api/a.yaml', service('10.0.0.2'));
  write('apps/api/new.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\n');
  commit();
  git('tag', 'apps/api/v2');
  git('tag', 'apps/api/v10');

  const first = await runVerb('preview', 'apps/api@v1', '--repo', folder, '--json');
  expect(JSON.parse(first.stdout)).toMatchObject({ since: null });
  const second = await runVerb('preview', 'apps/api@v2', '--repo', folder, '--json');
  const { since } = JSON.parse(second.stdout) as { since: object };
  expect(since).toMatchObject({
    since: 'apps/api@v1',
    kept: 1,
    added: ['ConfigMap new'],
    removed: ['CustomResourceDefinition things.acme.io'],
    recreated: [{ object: 'Service api', fields: ['spec.clusterIP'] }],
    failures: [expect.stringContaining('every object of its kind goes with it')],
  });
  // Numbers are numbers: v10 follows v2.
  const tenth = await runVerb('preview', 'apps/api@v10', '--repo', folder);
  expect(tenth.stdout).toContain(
    'Compared with apps/api@v2: 3 stay, 0 are added, 0 are removed, 0 are recreated',
  );
  const named = await runVerb('preview', 'apps/api@v10', '--repo', folder, '--since', 'v1');
  expect(named.stdout).toContain('recreated: Service api (spec.clusterIP cannot be changed)');
  expect(named.stdout).toContain('fails: CustomResourceDefinition things.acme.io is removed');
  const directory = join(folder, 'apps/api');
  const here = await runVerb('preview', directory, '--repo', folder, '--since', 'apps/api@v1');
  expect(here.stdout).toContain(
    'Compared with apps/api@v1: 1 stay, 1 are added, 1 are removed, 1 are recreated',
  );
  const missing = await runVerb('preview', 'apps/api@v2', '--repo', folder, '--since', 'v9');
  expect([missing.exit, missing.stderr]).toEqual([65, expect.stringContaining('no apps/api@v9')]);
});
