// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Login, type Stage } from '../stage.ts';

let stage: Stage;

const HINT = `branch: main
guardrails:
  mutators:
  - { name: hint, image: set-labels:v0.2, configMap: { team: web }, mode: warn }`;

const POWER = 'branch: main\npublish: { requireApprovals: 1, requireApprovalBy: ["@acme/platform"] }';

const BINDING = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: web
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin }
subjects:
- { kind: ServiceAccount, name: web, namespace: shop }
`;

const ANY = `functions:\n  - { image: registry.example.com/any:v1, container: 'registry.example.com/any@sha256:${'ab'.repeat(32)}' }\n`;

const trialSpec = (more: string): string =>
  configuration(
    'trial',
    `branch: main\nguardrails:\n  validators:\n  - { name: schema, image: kubeconform:v0.1 }\n  - { name: foreign, image: registry.example.com/any:v1 }\n${more}${ANY}`,
  );

beforeAll(async () => {
  stage = await startStage({
    mend: { spec: HINT },
    power: { spec: POWER, files: below('web', smallPackage('web')) },
    apart: { spec: 'branch: packages' },
    trial: {
      spec: `branch: main\n${ANY}`,
      files: {
        ...below('good', smallPackage('good')),
        ...below('bad', smallPackage('bad', { data: { size: '5' } })),
      },
    },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

function press(run: { id: number } | undefined, login: Login): void {
  stage.forge.pressCheckAction(run!.id, 'fix', login);
}

async function remarks(repo: StageRepository, pull_number: number): Promise<string[]> {
  const { data } = await stage.as('alice').rest.pulls.listReviewComments({ ...repo.where, pull_number });
  return data.map(({ path, line, body }) => `${path}:${line} ${body}`);
}

test('what a guardrail would write is suggested once, and its button commits it for people who may write', async () => {
  const repo = stage.repository('mend');
  const pull = await repo.propose('next', below('web', smallPackage('web')));
  const hint = (await repo.checksOf(pull.number)).get('guardrail/hint');
  expect(hint).toMatchObject({ conclusion: 'neutral' });
  expect(await remarks(repo, pull.number)).toEqual(
    expect.arrayContaining([
      'web/config.yaml:5 `guardrail/hint`: `This guardrail would write this.`\n\n```suggestion\n  name: web\n  labels:\n    team: web\n```',
    ]),
  );
  expect(await repo.sticky(pull.number)).toContain('guardrail `hint`');
  expect(await stage.writesOf(() => stage.look('mend'), 'mend')).toEqual([]);

  // Asked again: that check alone is made anew, once.
  const again = await stage.writesOf(
    () => stage.as('bob').rest.checks.rerequestRun({ ...repo.where, check_run_id: hint!.id }),
    'mend',
  );
  expect(
    again.filter(({ detail }) => detail['reply'] !== null).map(({ what }) => what.split(' ')[0]),
  ).toEqual(['POST', 'POST']);
  const renewed = (await repo.checksOf(pull.number)).get('guardrail/hint');
  expect(renewed!.id).toBeGreaterThan(hint!.id);

  const head = await repo.head('next');
  press(renewed, 'rita');
  await stage.idle();
  expect(await repo.head('next')).toBe(head);
  expect((await repo.comments(pull.number)).at(-1)?.body).toContain(
    'this needs write access to the repository',
  );

  press(renewed, 'bob');
  press(renewed, 'bob');
  await stage.idle();
  expect(await repo.git('rev-parse', 'next~1')).toBe(head);
  expect(await repo.read('web/config.yaml', 'next')).toContain('name: web\n  labels:\n    team: web\n');
  expect((await repo.checksOf(pull.number)).get('guardrail/hint')).toMatchObject({ conclusion: 'success' });
  expect(await remarks(repo, pull.number)).toHaveLength(1);

  // The old button: the branch has moved on, by itself and then by a person.
  const comments = (await repo.comments(pull.number)).length;
  press(renewed, 'bob');
  await stage.idle();
  expect((await repo.comments(pull.number)).length).toBe(comments);
  await repo.push('next', { 'web/more.yaml': configMap('more', { a: 'b' }) });
  press(renewed, 'bob');
  await stage.idle();
  expect((await repo.comments(pull.number)).map(({ body }) => body).join()).toContain(
    'Press the button of the new check',
  );
});

test('what lets a package do more must be approved by those whom the configuration names', async () => {
  const repo = stage.repository('power');
  const pull = await repo.propose('next', { 'web/binding.yaml': BINDING }, { as: 'bob' });
  const power = async () => (await repo.checksOf(pull.number)).get('portico/power');
  expect(await power()).toMatchObject({
    conclusion: 'action_required',
    output: {
      title: expect.stringMatching(
        /^▲ .*web.*cluster-admin.*; needs approval from the team `acme\/platform`$/,
      ),
    },
  });
  const { data } = await stage
    .as('alice')
    .rest.checks.listAnnotations({ ...repo.where, check_run_id: (await power())!.id });
  expect(data).toMatchObject([
    {
      path: 'web/binding.yaml',
      start_line: 5,
      annotation_level: 'warning',
      title: '▲ ServiceAccount shop/web',
    },
  ]);
  expect(await repo.sticky(pull.number)).toContain('| ▲ | `ServiceAccount shop/web` |');

  await repo.review(pull.number, 'APPROVE', undefined, 'carol');
  expect(await power()).toMatchObject({ conclusion: 'action_required' });
  const refused = await repo.command(pull.number, '/portico publish', 'carol');
  expect(refused).toMatchObject({ reaction: 'confused' });
  expect(refused.reply).toContain('portico/power');

  await repo.command(pull.number, '/portico approve', 'alice');
  expect(await power()).toMatchObject({ conclusion: 'neutral' });
  expect(await stage.writesOf(() => stage.look('power'), 'power')).toEqual([]);
  await repo.command(pull.number, '/portico publish', 'carol');
  expect([...(await repo.tags()).keys()]).toContain('web/v1');

  const unread = await repo.propose(
    'unread',
    { 'web/broken.yaml': 'kind: Role\n\tname: web\n' },
    { as: 'bob' },
  );
  expect((await repo.checksOf(unread.number)).get('portico/power')).toMatchObject({
    conclusion: 'action_required',
    output: { title: 'Unknown: 1 file cannot be read; needs approval from the team `acme/platform`' },
  });
  expect(await repo.sticky(unread.number)).toContain('| unknown |');
});

test('a proposed configuration is run over what is published, and nothing foreign in it runs', async () => {
  const repo = stage.repository('trial');
  await repo.tag('bad/v1', await repo.head('main'));
  await stage.look('trial');
  const pull = await repo.propose('config', { '.github/portico.yaml': trialSpec('') });
  const check = async () => (await repo.checksOf(pull.number)).get('portico/config');
  const run = await check();
  expect(run).toMatchObject({
    conclusion: 'neutral',
    output: { title: '1 of 2 packages would start to fail' },
  });
  const comment = await repo.sticky(pull.number);
  expect(comment).toContain('**1 of 2 packages would start to fail** with this configuration.');
  expect(comment).toMatch(/\| `bad@v1` \| `schema` \| enforce \| 1 \|/);
  expect(comment).not.toMatch(/No package is changed|`\/portico publish`/);
  await repo.review(pull.number, 'APPROVE', '', 'bob');
  await stage.idle();
  expect(await repo.sticky(pull.number)).toContain(
    '**Next:** merge it; the configuration then takes effect.',
  );
  expect(run?.output.summary).toMatch(/\| `bad@v1` \| `schema` \| enforce \| 1 \|/);
  expect(run?.output.summary).toContain(
    'Not run before the merge: `foreign`. Until then, only built-in functions run',
  );
  expect(await stage.writesOf(() => stage.look('trial'), 'trial')).toEqual([]);

  await repo.push('config', {
    '.github/portico.yaml': trialSpec(
      '  - { name: lost, image: kubeconform:v0.1, configPath: nowhere.yaml }\n  - { name: typo, image: kubeconfrom:v0.1, mode: warn }\n',
    ),
  });
  await stage.idle();
  expect(await check()).toMatchObject({
    conclusion: 'failure',
    output: { title: '2 guardrails cannot run; 2 of 2 packages would start to fail' },
  });
  const broken = await repo.sticky(pull.number);
  expect(broken).toContain('**2 of 2 packages would start to fail** with this configuration');
  expect(broken).toContain('and **2 of 2 packages would get new warnings**');
  expect(broken).toMatch(/\| `typo` \| Did you mean kubeconform:v0\.1\? kubeconfrom:v0\.1 cannot run here/);
  expect((await check())?.output.summary).toContain('Not run before the merge: `foreign`.');

  // Only guardrails that cannot run: no package can fix that.
  const unknown = configuration(
    'trial',
    'branch: main\nguardrails:\n  validators:\n  - { name: typo, image: nothing-like-it:v1 }\n',
  );
  await repo.push('config', { '.github/portico.yaml': unknown });
  await stage.idle();
  expect(await check()).toMatchObject({
    conclusion: 'failure',
    output: { title: '1 guardrail cannot run; 2 of 2 packages would start to fail' },
  });
  expect(await repo.sticky(pull.number)).toContain('no proposal passes until the guardrail is fixed.');
});

test('where packages are on another branch, a mistake in the configuration fails on the pull request all the same', async () => {
  const repo = stage.repository('apart');
  await repo.push('packages', below('web', smallPackage('web')));
  const wrong = configuration('apart', 'branch: packages\nversioning: daily');
  const { number } = await repo.propose('config', { '.github/portico.yaml': wrong });
  const checks = await repo.checksOf(number);
  expect([...checks.keys()]).toEqual(['portico/config']);
  expect(checks.get('portico/config')).toMatchObject({ conclusion: 'failure' });
  expect(await stage.writesOf(() => stage.look('apart'), 'apart')).toEqual([]);
});
