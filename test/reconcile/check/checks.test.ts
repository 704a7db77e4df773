import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, configuration } from '../../e2e/packages.ts';
import { moduleOf, policy } from '../../function/rego/policy.ts';
import { configMap, kptfile, smallPackage, step } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const GUARDED = `branch: main
guardrails:
  mutators:
  - { name: team, image: set-labels:v0.2, configPath: .github/portico/labels.yaml }
  - { name: hint, image: set-annotations:v0.1, configMap: { owner: nobody }, mode: warn }
  - { name: lost, image: set-labels:v0.2, configPath: nowhere.yaml }
  validators:
  - { name: must, image: not-there:v1, paths: [strict] }
  - { name: may, image: not-there:v1, mode: warn }`;

const labels = (team: string): string =>
  `apiVersion: fn.kpt.dev/v1alpha1\nkind: SetLabels\nmetadata:\n  name: labels\nlabels:\n  team: ${team}\n`;

const JUDGED = `branch: main
sharing: { to: [acme/held] }
guardrails:
  validators:
  - { name: sizes, cel: "!has(object.data.size) || int(object.data.size) <= 5", message: too big }
  - name: shrinks
    cel: oldObject == null || int(object.data.size) >= int(oldObject.data.size)
    messageExpression: "'the size was ' + string(oldObject.data.size)"
  - { name: owned, policy: required-labels, params: { labels: [owner] }, mode: warn }
  - { name: endless, cel: "lists.range(10000).all(a, lists.range(10000).all(b, a + b >= 0))", paths: [slow] }`;

const TOO_BIG = policy({ rules: ['(if (result i32) (call $holds $0) (then $1) (else $2))'] }, [
  '"size":"big"',
  '[{"result":[{"msg":"too big","field":"spec.size"}]}]',
  '[]',
]);

const HELD = `branch: main
sharing: { from: [acme/schemas, acme/judged] }
guardrails:
  validators:
  - { name: schema, image: kubeconform:v0.1, crds: [{ repo: acme/schemas, path: crds/ }] }
  - { name: pinned, image: kubeconform:v0.1, crds: [{ repo: ACME/schemas, path: crds/widgets.yaml, ref: v1 }], mode: warn }
  - { name: lost, image: kubeconform:v0.1, crds: [{ repo: acme/nowhere }], mode: warn }
  - { name: rego, rego: .github/deny.wasm, sha256: ${moduleOf(TOO_BIG).sha256}, mode: warn }`;

const ADMISSION = `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: colors.example.com }
spec:
  matchConstraints:
    resourceRules:
    - { apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [configmaps] }
  validations:
  - expression: object.data.color != 'red'
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: colors }
spec: { policyName: colors.example.com, validationActions: [Deny] }
`;

beforeAll(async () => {
  stage = await startStage({
    judged: {
      spec: JUDGED,
      files: { ...below('web', smallPackage('web')), '.github/portico/colors.yaml': ADMISSION },
    },
    guarded: {
      spec: GUARDED,
      files: {
        ...below('web', smallPackage('web')),
        ...below('strict', smallPackage('strict')),
        '.github/portico/labels.yaml': labels('base'),
      },
    },
    plain: { files: { ...below('web', smallPackage('web')), ...below('big', smallPackage('big')) } },
    schemas: {
      spec: 'branch: main\nsharing: { to: [acme/held] }',
      files: { 'crds/widgets.yaml': widgets('integer'), 'crds/chart.yaml': '{{ x }}' },
    },
    held: { spec: HELD, files: below('web', smallPackage('web')) },
    open: { spec: HELD, private: false, files: below('web', smallPackage('web')) },
    config: { files: below('web', smallPackage('web')) },
    linked: {
      spec: 'branch: main\npublish: { requireApprovalBy: ["@acme/platform"] }',
      files: below('web', smallPackage('web')),
    },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function annotations(repo: StageRepository, run: { id: number } | undefined) {
  const { data } = await stage
    .as('alice')
    .rest.checks.listAnnotations({ ...repo.where, check_run_id: run!.id, per_page: 100 });
  return data;
}

describe('guardrails', () => {
  let repo: StageRepository;
  let number: number;

  test('come with their configuration from the base branch, whatever the proposal brings', async () => {
    repo = stage.repository('guarded');
    const pull = await repo.propose('next', {
      'web/config.yaml': configMap('web', { color: 'red' }),
      '.github/portico/labels.yaml': labels('evil'),
      '.github/portico.yaml': configuration('guarded', 'branch: main'),
    });
    ({ number } = pull);
    expect(await repo.read('web/config.yaml', 'next')).toContain('team: base');
    const checks = await repo.checksOf(number);
    expect(checks.get('guardrail/team')).toMatchObject({ conclusion: 'success' });
    expect(checks.get('portico/config')).toMatchObject({
      conclusion: 'action_required',
      output: { title: expect.stringContaining('Weaker: guardrails.') },
    });
  });

  test('one that only warns changes nothing, says what it would do, and lets pass', async () => {
    expect(await repo.read('web/config.yaml', 'next')).not.toContain('nobody');
    const run = (await repo.checksOf(number)).get('guardrail/hint');
    expect(run).toMatchObject({
      conclusion: 'neutral',
      output: { title: expect.stringMatching(/^\S.*: .+, and 1 more \(warn\)$/) },
    });
    expect((await repo.checksOf(number)).get('guardrail/may')).toMatchObject({ conclusion: 'neutral' });
  });

  test('one whose configuration is not there fails and names the file', async () => {
    const run = (await repo.checksOf(number)).get('guardrail/lost');
    expect(run).toMatchObject({
      conclusion: 'failure',
      output: { title: 'nowhere.yaml is not on the base branch' },
    });
    expect((await repo.checksOf(number)).get('portico')?.conclusion).toBe('failure');
  });

  test('one for other packages has nothing to look at; one that cannot run fails where it is enforced', async () => {
    expect((await repo.checksOf(number)).get('guardrail/must')).toMatchObject({
      conclusion: 'success',
      output: { title: 'No package to check' },
    });
    const strict = await repo.propose('strict', {
      'strict/config.yaml': configMap('strict', { color: 'red' }),
    });
    expect((await repo.checksOf(strict.number)).get('guardrail/must')).toMatchObject({
      conclusion: 'failure',
    });
  });

  test('a change of the configuration on the base branch is asked again', async () => {
    const before = (await repo.checksOf(number)).get('portico')?.external_id;
    await repo.push('main', { '.github/portico/labels.yaml': labels('other') });
    await stage.idle();
    expect(await repo.read('web/config.yaml', 'next')).toContain('team: other');
    expect((await repo.checksOf(number)).get('portico')?.external_id).not.toBe(before);
  });
});

describe('policies', () => {
  test('a .krmignore of the proposal hides nothing from them, nor do capitals, and what is newly hidden fails (68)', async () => {
    const repo = stage.repository('judged');
    const { number } = await repo.propose('hidden', {
      'web/.krmignore': 'big.yaml\n',
      'web/big.yaml': configMap('big', { size: '9' }),
      'web/bigger.YAML': configMap('bigger', { size: '10' }),
    });
    const checks = await repo.checksOf(number);
    const found = (await annotations(repo, checks.get('guardrail/sizes'))) as { path: string }[];
    expect(found.map(({ path }) => path).toSorted()).toEqual(['web/big.yaml', 'web/bigger.YAML']);
    const rendered = checks.get('portico/render');
    expect(rendered).toMatchObject({ conclusion: 'failure' });
    expect(await annotations(repo, rendered)).toMatchObject([
      { path: 'web/big.yaml', message: expect.stringContaining('.krmignore hides it') as string },
      { path: 'web/bigger.YAML', message: expect.stringContaining('not in lower case') as string },
    ]);
  });

  test('a kustomization that transforms fails, whether a .krmignore of the proposal hides it or not (104)', async () => {
    const repo = stage.repository('judged');
    const { number } = await repo.propose('built', {
      'web/.krmignore': 'over\n',
      'web/kustomization.yaml': 'resources: [config.yaml]\nimages: [{ name: web, newName: evil.io/x }]\n',
      'web/over/kustomization.yaml': 'resources: [../config.yaml]\nnamespace: kube-system\n',
      'web/more/kustomization.yaml': 'resources: [../config.yaml]\n',
    });
    const checks = await repo.checksOf(number);
    const rendered = checks.get('portico/render');
    expect(rendered).toMatchObject({
      conclusion: 'failure',
      output: { title: expect.stringContaining('kustomization.yaml:2 sets') as string },
    });
    expect(await annotations(repo, rendered)).toMatchObject([
      { path: 'web/kustomization.yaml', start_line: 2, annotation_level: 'failure' },
      { path: 'web/over/kustomization.yaml', start_line: 2, annotation_level: 'failure' },
    ]);
    expect(checks.get('portico/power')).toMatchObject({ conclusion: 'neutral' });
    expect(checks.get('portico')).toMatchObject({ conclusion: 'failure' });
  });

  test('what stood in a directory before it was a package is as new as the package (130)', async () => {
    const repo = stage.repository('judged');
    await repo.push('main', {
      'ghost/.krmignore': 'hidden.yaml\n',
      'ghost/hidden.yaml': configMap('hidden', { a: 'b' }),
      'ghost/config.yaml': configMap('ghost', { a: 'b' }),
      'ghost/kustomization.yaml': 'resources: [config.yaml]\nimages: [{ name: web, newName: evil.io/x }]\n',
    });
    const { number } = await repo.propose('ghost', { 'ghost/Kptfile': kptfile('ghost') });
    const checks = await repo.checksOf(number);
    const rendered = checks.get('portico/render');
    expect(rendered).toMatchObject({ conclusion: 'failure' });
    expect(await annotations(repo, rendered)).toMatchObject([
      { path: 'ghost/hidden.yaml', annotation_level: 'failure' },
      { path: 'ghost/kustomization.yaml', start_line: 2, annotation_level: 'failure' },
    ]);
    expect(checks.get('portico/power')).toMatchObject({ conclusion: 'neutral' });
  });

  test('a .gitattributes above packages that rewrites manifests fails, and one for pictures does not (106)', async () => {
    const repo = stage.repository('judged');
    const { number } = await repo.propose('encoded', {
      '.gitattributes': '*.png filter=lfs\nweb/*.yaml working-tree-encoding=IBM037\n',
    });
    const checks = await repo.checksOf(number);
    const rendered = checks.get('portico/render');
    expect(rendered).toMatchObject({ conclusion: 'failure' });
    expect(await annotations(repo, rendered)).toMatchObject([
      { path: '.gitattributes', start_line: 2, annotation_level: 'failure' },
    ]);
    expect(checks.get('portico')).toMatchObject({ conclusion: 'failure' });
    const pictures = await repo.propose('pictures', { '.gitattributes': '*.png filter=lfs\n' });
    expect((await repo.checksOf(pictures.number)).get('portico/render')).toMatchObject({
      conclusion: 'success',
    });
  });

  test('judge on the line, compare with the base, warn and come from documents', async () => {
    const repo = stage.repository('judged');
    await repo.push('main', { 'web/config.yaml': configMap('web', { color: 'blue', size: '5' }) });
    const { number } = await repo.propose('bigger', {
      'web/config.yaml': configMap('web', { color: 'red', size: '9' }),
      '.github/portico/colors.yaml': ADMISSION.replaceAll('red', 'green').replace(
        'expression: ',
        'expression: nothing &&',
      ),
    });
    const checks = await repo.checksOf(number);
    expect(checks.get('guardrail/sizes')).toMatchObject({ conclusion: 'failure' });
    const lines = (await repo.read('web/config.yaml', 'bigger'))!.split('\n');
    expect(await annotations(repo, checks.get('guardrail/sizes'))).toMatchObject([
      {
        path: 'web/config.yaml',
        start_line: lines.findIndex((line) => line.includes('size:')) + 1,
        message: expect.stringContaining('too big') as string,
        annotation_level: 'failure',
      },
    ]);
    expect(checks.get('guardrail/shrinks')).toMatchObject({ conclusion: 'success' });
    expect(checks.get('guardrail/owned')).toMatchObject({ conclusion: 'neutral' });
    expect(checks.get('guardrail/colors')).toMatchObject({ conclusion: 'failure' });
    expect(checks.get('guardrail/endless')).toMatchObject({ output: { title: 'No package to check' } });
    expect(checks.get('portico/config')).toMatchObject({ conclusion: 'failure' });
    expect(await annotations(repo, checks.get('portico/config'))).toMatchObject([
      { path: '.github/portico/colors.yaml', start_line: 9 },
    ]);

    const smaller = await repo.propose('smaller', {
      'web/config.yaml': configMap('web', { color: 'blue', size: '2' }),
    });
    const run = (await repo.checksOf(smaller.number)).get('guardrail/shrinks');
    expect(run).toMatchObject({ conclusion: 'failure' });
    expect(await annotations(repo, run)).toMatchObject([
      { message: expect.stringContaining('the size was 5') as string },
    ]);
  });
});

describe('annotations', () => {
  test('stand on the lines that they speak of', async () => {
    const repo = stage.repository('plain');
    const pull = await repo.propose('lines', {
      'web/Kptfile': kptfile('web', [], [step('kubeconform:v0.1')]),
      'web/config.yaml': configMap('web', { color: 'red', size: '5' }),
    });
    const run = (await repo.checksOf(pull.number)).get('portico/render');
    expect(run?.conclusion).toBe('failure');
    // It names what is wrong, not only where.
    expect(run?.output.title).toBe('web: ConfigMap web: got number, want null or string');
    expect(await annotations(repo, run)).toEqual([
      expect.objectContaining({
        path: 'web/config.yaml',
        start_line: 8,
        end_line: 8,
        annotation_level: 'failure',
      }),
    ]);
  });

  test('a Kptfile that does not parse is marked where it breaks', async () => {
    const repo = stage.repository('plain');
    const pull = await repo.propose('broken', { 'web/Kptfile': `${kptfile('web')}pipeline: [\n` });
    const run = (await repo.checksOf(pull.number)).get('portico/package');
    expect(run?.conclusion).toBe('failure');
    expect(await annotations(repo, run)).toEqual([
      expect.objectContaining({ path: 'web/Kptfile', annotation_level: 'failure' }),
    ]);
  });

  test('120 of them take three calls (51)', async () => {
    const repo = stage.repository('plain');
    const data = Object.fromEntries(Array.from({ length: 120 }, (_, at) => [`key${at}`, '5']));
    await repo.push('many', {
      'big/Kptfile': kptfile('big', [], [step('kubeconform:v0.1')]),
      'big/config.yaml': configMap('big', data),
    });
    const writes = await stage.writesOf(() => repo.open('many'), 'plain');
    const calls = writes.filter(
      ({ detail }) => (detail['reply'] as { name?: string } | null)?.name === 'portico/render',
    );
    expect(calls.map(({ what }) => what.split(' ')[0])).toEqual(['POST', 'PATCH', 'PATCH']);
    const [pull] = (await repo.pulls()).filter(({ head }) => head.ref === 'many');
    const run = (await repo.checksOf(pull!.number)).get('portico/render');
    expect(run).toMatchObject({ conclusion: 'failure', output: { annotations_count: 120 } });
    expect(await stage.writesOf(() => stage.look('plain'), 'plain')).toEqual([]);
  });
});

test.each([
  ['symbolic link', { path: 'web/more.yaml', mode: '120000', content: '../roles/role.yaml' }],
  ['submodule', { path: 'web/more', mode: '160000', sha: 'a'.repeat(40) }],
] as const)(
  'privileges behind a new %s are unknown, and need those who must approve them (133)',
  async (name, entry) => {
    const repo = stage.repository('linked');
    const { git } = stage.as('alice').rest;
    const parents = [await repo.head('main')];
    const type = entry.mode === '160000' ? ('commit' as const) : ('blob' as const);
    const tree = await git.createTree({ ...repo.where, base_tree: parents[0]!, tree: [{ ...entry, type }] });
    const made = { message: 'A link', tree: tree.data.sha, parents };
    const { data } = await git.createCommit({ ...repo.where, ...made });
    const branch = name.replace(' ', '-');
    await git.createRef({ ...repo.where, ref: `refs/heads/${branch}`, sha: data.sha });
    const { number } = await repo.open(branch);
    expect((await repo.checksOf(number)).get('portico/power')).toMatchObject({
      conclusion: 'action_required',
      output: { title: expect.stringContaining('needs approval from the team') },
    });
    expect((await repo.checksOf(number)).get('portico')).toMatchObject({ conclusion: 'action_required' });
  },
);

test("a stranger's comment with our marker is not touched (53)", async () => {
  const repo = stage.repository('plain');
  await repo.push('sticky', { 'web/more.yaml': configMap('more', { color: 'red' }) });
  const { data: pull } = await stage
    .as('bob')
    .rest.pulls.create({ ...repo.where, title: 'More', head: 'sticky', base: 'main', draft: true });
  const fake = '<!-- portico:summary -->\n### All is well, merge me';
  const id = await repo.say(pull.number, fake, 'bob');
  await stage.look('plain');
  const comments = await repo.comments(pull.number);
  expect(comments.find((comment) => comment.id === id)?.body).toBe(fake);
  expect(await repo.sticky(pull.number)).toContain('### Draft: needs approval');
});

describe('the configuration on the default branch', () => {
  test('with a mistake: the last good one stays in force', async () => {
    const repo = stage.repository('config');
    await repo.push('main', {
      '.github/portico.yaml': configuration(
        'config',
        'branch: main\nguardrails:\n  mutators:\n  - { name: team, image: set-labels:v0.2, configMap: { team: a } }',
      ),
    });
    await repo.push('main', {
      '.github/portico.yaml':
        'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec: { brunch: main }\n',
    });
    await stage.idle();
    const pull = await repo.propose('next', { 'web/config.yaml': configMap('web', { color: 'red' }) });
    expect(await repo.read('web/config.yaml', 'next')).toContain('team: a');
    const checks = await repo.checksOf(pull.number);
    expect(checks.get('guardrail/team')?.conclusion).toBe('success');
    expect(checks.get('portico')?.conclusion).toBe('action_required');
    const told = (await repo.checks(await repo.head('main'))).get('portico/config');
    expect(told).toMatchObject({ conclusion: 'failure' });
    expect(await annotations(repo, told)).toEqual([
      expect.objectContaining({ path: '.github/portico.yaml', start_line: 3 }),
    ]);
  });
});

const widgets = (type: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
  - name: v1
    served: true
    storage: true
    schema: { openAPIV3Schema: { type: object, properties: { spec: { type: object, properties: { size: { type: ${type} } } } } } }
`;
const widget = (size: string): string =>
  `apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: web\nspec:\n  size: ${size}\n`;

async function commitBytes({ where }: StageRepository, path: string, bytes: Uint8Array): Promise<void> {
  const { git } = stage.as('alice').rest;
  const head = (await git.getRef({ ...where, ref: 'heads/main' })).data.object.sha;
  const content = Buffer.from(bytes).toString('base64');
  const blob = await git.createBlob({ ...where, content, encoding: 'base64' });
  const entry = { path, mode: '100644', type: 'blob', sha: blob.data.sha } as const;
  const tree = await git.createTree({ ...where, base_tree: head, tree: [entry] });
  const made = await git.createCommit({ ...where, message: path, tree: tree.data.sha, parents: [head] });
  await git.updateRef({ ...where, ref: 'heads/main', sha: made.data.sha });
}

describe('definitions of custom resources from another repository', () => {
  test('a package is held against them, whatever it brings itself', async () => {
    const [held, schemas] = [stage.repository('held'), stage.repository('schemas')];
    await schemas.tag('crds/v1', await schemas.head('main'));
    await commitBytes(held, '.github/deny.wasm', TOO_BIG);
    const pull = await held.propose('one', {
      'web/widget.yaml': widget('big'),
      'web/crd.yaml': widgets('string'),
    });
    const checks = await held.checksOf(pull.number);
    expect(checks.get('guardrail/schema')).toMatchObject({ conclusion: 'failure' });
    expect(await annotations(held, checks.get('guardrail/schema'))).toEqual([
      expect.objectContaining({
        path: 'web/widget.yaml',
        start_line: 6,
        message: expect.stringContaining('got string, want null or integer'),
      }),
    ]);
    expect(checks.get('guardrail/rego')).toMatchObject({ conclusion: 'neutral' });
    expect(await annotations(held, checks.get('guardrail/rego'))).toEqual([
      expect.objectContaining({ path: 'web/widget.yaml', start_line: 6, message: 'too big' }),
    ]);
    // The revision that is named stays what it is; the other guardrail follows the branch.
    expect(checks.get('guardrail/pinned')).toMatchObject({ conclusion: 'neutral' });
    await schemas.push('main', { 'crds/widgets.yaml': widgets('string') });
    await held.push('one', { 'web/widget.yaml': widget('large') });
    await stage.idle();
    const now = await held.checksOf(pull.number);
    expect(now.get('guardrail/schema')).toMatchObject({ conclusion: 'success' });
    expect(now.get('guardrail/pinned')).toMatchObject({ conclusion: 'neutral' });
    expect(now.get('guardrail/rego')).toMatchObject({ conclusion: 'success' });
    // More people may read the repository than the definitions, or nobody knows of them: both look the same.
    expect(now.get('guardrail/lost')?.output.title).toContain('acme/nowhere cannot be read');
    const open = stage.repository('open');
    const there = await open.checksOf(
      (await open.propose('one', { 'web/widget.yaml': widget('big') })).number,
    );
    expect(there.get('guardrail/schema')?.output.title).toContain('acme/schemas cannot be read');
    expect(there.get('guardrail/rego')?.output.title).toContain(
      '.github/deny.wasm is not on the base branch',
    );
  });

  test('a proposal does not have a private repository read that nobody approved', async () => {
    const held = stage.repository('held');
    const spec = HELD.replace('acme/nowhere', 'acme/judged')
      .replace('name: lost', 'name: curious')
      .replace('name: rego', 'name: program')
      .concat(`\n  - { name: other, rego: .github/deny.wasm, sha256: ${'ab'.repeat(32)} }`);
    const pull = await held.propose('curious', { '.github/portico.yaml': configuration('held', spec) });
    const check = (await held.checksOf(pull.number)).get('portico/config');
    expect(check?.output.summary).toContain('Not run before the merge: `curious`, `program`.');
    expect(check?.conclusion).toBe('failure');
    expect(check?.output.summary).toContain(`its sha256 is ${moduleOf(TOO_BIG).sha256}`);
  });
});
