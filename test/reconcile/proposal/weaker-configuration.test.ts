import { afterAll, beforeAll, expect, test } from 'vitest';

import { defaultRepositoryConfig } from '../../../src/config/parse-repository-config.ts';
import { proposedConfig } from '../../../src/reconcile/review/proposed-config.ts';
import { below, configuration } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage, type StageRepositoryOptions } from '../stage.ts';

let stage: Stage;

const CONFIG = '.github/portico.yaml';
const LABELS = (team: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: labels, annotations: { config.kubernetes.io/local-config: "true" } }\ndata: { team: ${team} }\n`;

const DEFINITION = (type: string): string => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.acme.dev }
spec:
  group: acme.dev
  scope: Namespaced
  names: { kind: Widget, plural: widgets }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, properties: { spec: { type: ${type} } } } }
`;
const SCHEMAS = (place: string, more = ''): string =>
  `branch: main\nguardrails: { validators: [{ name: schema, image: kubeconform:v0.1, crds: [{ ${place} }] }${more}] }`;
const MORE = ", { name: more, cel: 'true', mode: dryrun }";

beforeAll(async () => {
  const files = below('web', smallPackage('web'));
  const guarded =
    'branch: main\nguardrails: { mutators: [{ name: team, image: set-labels:v0.2, configPath: web/team.yaml }] }';
  stage = await startStage(
    Object.fromEntries(
      [
        ['rules', 'branch: main'],
        ['stale', 'branch: main'],
        ['gone', 'branch: main'],
        ['alone', 'branch: main\npublish: { allowSelfApproval: true }'],
        ['free', 'branch: main\npublish: { weakeningApprovalBy: [] }'],
        ['apart', 'branch: packages'],
        ['guarded', guarded],
        ['beside', SCHEMAS('path: schemas/')],
        ['within', SCHEMAS('path: crds')],
        ['itself', SCHEMAS('repo: acme/itself, path: schemas')],
        ['owned', 'branch: main'],
        ['broken', 'branch: main'],
        ['last', 'branch: main'],
        ['elsewhere', 'branch: packages'],
        ['merged', 'branch: main'],
        ['zero', 'branch: main\npublish: { requireApprovals: 0 }'],
        ['.github', 'branch: main'],
      ].map(([name = '', spec = '']): [string, StageRepositoryOptions] => [
        name,
        {
          spec,
          files: {
            ...files,
            ...(/^(?:owned|merged|broken)$/.test(name) ? { CODEOWNERS: '/db/ @carol\n' } : {}),
            ...(/^(?:beside|itself)$/.test(name) ? { 'schemas/w.yaml': DEFINITION('object') } : {}),
            ...(name === 'within'
              ? below('crds', { ...smallPackage('crds'), 'w.yaml': DEFINITION('object') })
              : {}),
            ...(name === 'guarded' ? { 'web/team.yaml': LABELS('base') } : {}),
          },
        },
      ]),
    ),
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

const checkOf = async (name: string, number: number) =>
  (await stage.repository(name).checksOf(number)).get('portico/config');

test('a weaker configuration is shown first and in bold, and waits for an admin who did not write it', async () => {
  const repo = stage.repository('rules');
  const other = await repo.propose('other', { 'web/other.yaml': configMap('other', { a: 'b' }) });
  const weaker = configuration('rules', 'branch: main\nversioning: semver\npublish: { requireApprovals: 0 }');
  const pull = await repo.propose(
    'faster',
    { [CONFIG]: weaker, 'web/config.yaml': configMap('web', { color: 'red' }) },
    { as: 'bob' },
  );
  const check = () => checkOf('rules', pull.number);
  expect(await check()).toMatchObject({
    conclusion: 'action_required',
    output: { title: 'Weaker: publish.requireApprovals: 1 → 0; needs approval from the role admin' },
  });
  const comment = await repo.sticky(pull.number);
  expect(comment).toMatch(
    /\| \*\*`publish.requireApprovals`\*\* \| \*\*`1`\*\* \| \*\*`0`\*\* \|\n\| `versioning` \| `sequence` \| `semver` \|/,
  );
  expect(comment).toContain(`#${other.number}`);
  expect(comment).toContain('a required approver has to approve');
  expect(comment).not.toContain('does not change');

  // Who may approve packages is not enough.
  await repo.review(pull.number, 'APPROVE', undefined, 'carol');
  await stage.idle();
  expect((await repo.checksOf(pull.number)).get('portico/approval')?.conclusion).toBe('success');
  expect(await check()).toMatchObject({ conclusion: 'action_required' });
  expect((await repo.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
  const refused = await repo.command(pull.number, '/portico publish', 'carol');
  expect(refused).toMatchObject({ reaction: 'confused' });
  expect(refused.reply).toContain('`portico/config`: Weaker: publish.requireApprovals: 1 → 0');

  await repo.command(pull.number, '/portico approve', 'alice');
  expect(await check()).toMatchObject({ conclusion: 'success' });
  expect(await stage.writesOf(() => stage.look('rules'), 'rules')).toEqual([]);

  // The approval was for less.
  await repo.push(
    'faster',
    { [CONFIG]: weaker.replace('requireApprovals: 0', 'requireApprovals: 0, directPushes: publish') },
    { as: 'bob' },
  );
  await stage.idle();
  expect(await check()).toMatchObject({ conclusion: 'action_required' });
  await repo.command(pull.number, '/portico approve', 'alice');
  const done = await repo.command(pull.number, '/portico publish', 'carol');
  expect(done).toMatchObject({ reaction: 'rocket' });
});

test('an approval of the same file does not count once the configuration in effect became stronger', async () => {
  const repo = stage.repository('stale');
  const one = configuration('stale', 'branch: main\npublish: { requireApprovals: 1 }');
  const pull = await repo.propose('comment', { [CONFIG]: one }, { as: 'bob' });
  expect(await checkOf('stale', pull.number)).toMatchObject({ conclusion: 'success' });
  await repo.command(pull.number, '/portico approve', 'alice');
  await repo.push('main', { [CONFIG]: one.replace('requireApprovals: 1', 'requireApprovals: 2') });
  await stage.idle();
  await stage.look('stale');
  expect(await checkOf('stale', pull.number)).toMatchObject({
    conclusion: 'action_required',
    output: { title: expect.stringContaining('publish.requireApprovals: 2 → 1') },
  });
});

test('an author with the role admin counts only where authors may approve', async () => {
  const alone = stage.repository('alone');
  const spec = 'branch: main\npublish: { allowSelfApproval: true, requireApprovals: 0 }';
  const pull = await alone.propose('less', { [CONFIG]: configuration('alone', spec) });
  expect(await checkOf('alone', pull.number)).toMatchObject({ conclusion: 'action_required' });
  await alone.command(pull.number, '/portico approve', 'alice');
  expect(await checkOf('alone', pull.number)).toMatchObject({ conclusion: 'success' });
  const rules = stage.repository('stale');
  const own = await rules.propose('own', {
    [CONFIG]: configuration('stale', 'branch: main\npublish: { allowSelfApproval: true }'),
  });
  await rules.command(own.number, '/portico approve', 'alice');
  expect(await checkOf('stale', own.number)).toMatchObject({ conclusion: 'action_required' });
});

test('to remove the configuration is to weaken it', async () => {
  const repo = stage.repository('gone');
  const pull = await repo.propose('gone', { [CONFIG]: null }, { as: 'bob' });
  expect(await checkOf('gone', pull.number)).toMatchObject({
    conclusion: 'action_required',
    output: { title: expect.stringContaining('registers this repository') },
  });
});

test('where no one in particular is asked, what is weaker is shown all the same', async () => {
  const repo = stage.repository('free');
  const spec = 'branch: main\npublish: { weakeningApprovalBy: [], codeOwners: false }';
  const pull = await repo.propose('free', { [CONFIG]: configuration('free', spec) }, { as: 'bob' });
  expect(await checkOf('free', pull.number)).toMatchObject({
    conclusion: 'success',
    output: { title: 'Weaker: publish.codeOwners: true → false' },
  });
  expect(await repo.sticky(pull.number)).toContain('asks for no one in particular');
});

test('where packages are on another branch, a review of exactly this weaker configuration is asked for', async () => {
  const repo = stage.repository('apart');
  await repo.push('packages', below('web', smallPackage('web')));
  const weaker = configuration('apart', 'branch: packages\npublish: { requireApprovals: 0 }');
  const { number } = await repo.propose('config', { [CONFIG]: weaker }, { as: 'bob' });
  expect(await checkOf('apart', number)).toMatchObject({ conclusion: 'action_required' });
  await repo.review(number, 'APPROVE', undefined, 'carol');
  await stage.idle();
  expect(await checkOf('apart', number)).toMatchObject({ conclusion: 'action_required' });
  await repo.review(number, 'APPROVE', undefined, 'alice');
  await stage.idle();
  expect(await checkOf('apart', number)).toMatchObject({ conclusion: 'success' });
  await repo.push('config', { [CONFIG]: weaker.replace('0 }', '0, codeOwners: false }') }, { as: 'bob' });
  await stage.idle();
  expect(await checkOf('apart', number)).toMatchObject({ conclusion: 'action_required' });
});

test("other content of a guardrail's file counts as weaker, even in a package", async () => {
  const repo = stage.repository('guarded');
  const pull = await repo.propose('evil', { 'web/team.yaml': LABELS('evil') }, { as: 'bob' });
  expect(await checkOf('guarded', pull.number)).toMatchObject({
    conclusion: 'action_required',
    output: { title: expect.stringContaining('guardrail team: web/team.yaml') },
  });
  const plain = await repo.propose('plain', { 'web/config.yaml': configMap('web', { a: 'b' }) });
  expect(await checkOf('guarded', plain.number)).toBeUndefined();
});

test.each([
  ['in a folder beside packages', 'beside', 'schemas', {}],
  ['beside a row of another guardrail', 'beside', 'schemas', { [CONFIG]: SCHEMAS('path: schemas/', MORE) }],
  ['in a package', 'within', 'crds', {}],
  ['of the repository itself, by its name', 'itself', 'schemas', {}],
])('other definitions that a guardrail reads count as weaker: %s', async (title, name, folder, spec) => {
  const repo = stage.repository(name);
  const files = Object.entries(spec).map(([path, text]) => [path, configuration(name, text)]);
  const loose = { [`${folder}/w.yaml`]: DEFINITION('string'), ...Object.fromEntries(files) };
  const pull = await repo.propose(title.replaceAll(/\W/g, '-'), loose, { as: 'bob' });
  await repo.review(pull.number, 'APPROVE', undefined, 'carol');
  await stage.idle();
  expect(await checkOf(name, pull.number)).toMatchObject({
    conclusion: 'action_required',
    output: { title: expect.stringContaining(`guardrail schema: ${folder}: as in effect → other content`) },
  });
});

test('what is no definition counts not, where guardrails read definitions', async () => {
  const repo = stage.repository('within');
  const pull = await repo.propose('plain', { 'crds/more.yaml': configMap('more', { a: 'b' }) });
  expect(await checkOf('within', pull.number)).toBeUndefined();
});

test('other owners count as weaker, wherever the file is', async () => {
  const repo = stage.repository('owned');
  const pull = await repo.propose('owners', { '.github/CODEOWNERS': '/web/ @bob\n' }, { as: 'bob' });
  expect(await checkOf('owned', pull.number)).toMatchObject({
    conclusion: 'action_required',
    output: { title: expect.stringContaining('CODEOWNERS: /db/ @carol → /web/ @bob') },
  });
});

test.each([
  ['alone', 'merged', {}],
  [
    'beside a mistake in the configuration',
    'broken',
    { [CONFIG]: configuration('broken', 'branch: main\npublish: { mistake: 1 }') },
  ],
])('a merge that changes owners needs an admin before its tag: %s', async (_title, name, more) => {
  const repo = stage.repository(name);
  const files = { CODEOWNERS: '/db/ @bob\n', 'web/config.yaml': configMap('web', { color: 'red' }) };
  const { number } = await repo.propose('owners', { ...files, ...more }, { as: 'bob' });
  await repo.review(number, 'APPROVE', undefined, 'carol');
  const sha = await repo.press(number, 'merge', 'bob');
  expect([...(await repo.tags()).keys()]).toEqual([]);
  expect((await repo.checks(sha)).get('portico/publication')?.output.summary).toContain(
    'It makes the configuration weaker, which needs approval from the role admin.',
  );
});

test('a mistake in the configuration before a merge does not let the merge set its own rules', async () => {
  const repo = stage.repository('last');
  await repo.push('main', { [CONFIG]: configuration('last', 'branch: main\npublish: { mistake: 1 }') });
  await stage.idle();
  const files = {
    [CONFIG]: configuration('last', 'branch: main\npublish: { requireApprovals: 0 }'),
    'web/config.yaml': configMap('web', { color: 'red' }),
  };
  const { number } = await repo.propose('weaker', files, { as: 'bob' });
  await repo.press(number, 'merge', 'bob');
  expect([...(await repo.tags()).keys()]).toEqual([]);
});

test('where packages are on another branch, other owners there count as weaker, and the configuration stays', async () => {
  const repo = stage.repository('elsewhere');
  await repo.push('packages', { [CONFIG]: null, CODEOWNERS: '/db/ @carol\n' });
  await stage.idle();
  const files = { CODEOWNERS: '/db/ @bob\n', 'web/config.yaml': configMap('web', { color: 'red' }) };
  await repo.push('owners', files, { from: 'packages', as: 'bob' });
  const { number } = await repo.open('owners', { as: 'bob', base: 'packages' });
  expect(await checkOf('elsewhere', number)).toMatchObject({
    conclusion: 'action_required',
    output: { title: expect.stringMatching(/^Weaker: CODEOWNERS: /) },
  });
  await repo.review(number, 'APPROVE', undefined, 'carol');
  await repo.press(number, 'merge', 'bob');
  expect([...(await repo.tags()).keys()]).toEqual([]);
});

test('an admin approves what is weaker even where proposals need no approval', async () => {
  const repo = stage.repository('zero');
  const spec = 'branch: main\npublish: { requireApprovals: 0, directPushes: publish }';
  const files = {
    [CONFIG]: configuration('zero', spec),
    'web/config.yaml': configMap('web', { color: 'zero' }),
  };
  const pull = await repo.propose('zero', files, { as: 'bob' });
  const refused = await repo.command(pull.number, '/portico publish', 'carol');
  expect(refused.reply).toContain('`portico/config`: Weaker: publish.directPushes: flag → publish');
  await repo.command(pull.number, '/portico approve', 'carol');
  expect(await checkOf('zero', pull.number)).toMatchObject({ conclusion: 'action_required' });
  await repo.review(pull.number, 'APPROVE', undefined, 'alice');
  await stage.idle();
  expect((await repo.checksOf(pull.number)).get('portico')?.conclusion).toBe('success');
});

test("a change of the organization's defaults says how many repositories have them", async () => {
  const repo = stage.repository('.github');
  const spec = 'branch: main\npublish: { codeOwners: false }';
  const pull = await repo.propose('defaults', { [CONFIG]: configuration('defaults', spec) }, { as: 'bob' });
  expect(await checkOf('.github', pull.number)).toMatchObject({ conclusion: 'action_required' });
  expect(await repo.sticky(pull.number)).toMatch(
    /These are the defaults of \d+ other registered repositories/,
  );
});

test('a proposal that changes no configuration is told apart without reading anything', async () => {
  const git = new Proxy({}, { get: () => expect.fail('git was asked') });
  const found = await proposedConfig({
    access: { git } as never,
    registered: {
      facts: { fullName: 'acme/plain' },
      config: defaultRepositoryConfig(),
      otherFiles: [{ path: 'README.md', blob: null }],
      packages: [{ directory: 'web' }],
      head: { oid: 'a' },
    } as never,
    inForce: {} as never,
  } as never);
  expect(found).toBeNull();
});
