// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { Ruleset } from '../../../src/config/ruleset.ts';
import { below, configuration } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const PACKAGES = { ...below('web', smallPackage('web')), ...below('apps/db', smallPackage('db')) };
const ANNOTATION = 'kpt:{"package":"web","workspaceName":"next","task":{"type":"edit"}}';

beforeAll(async () => {
  stage = await startStage({
    '.github': { spec: 'publish: { requireApprovals: 2, release: false }' },
    under: { files: PACKAGES, spec: 'branch: main\npublish: { release: true }' },
    empty: { spec: null, files: { 'a.txt': 'a\n' } },
    refused: { spec: null, files: PACKAGES },
    porch: { spec: null, files: PACKAGES },
    second: { spec: null, files: PACKAGES },
  });
  // As a Porch server leaves a repository: lightweight tags, and branches for what is under way.
  const porch = stage.repository('porch');
  await porch.git('tag', 'web/v1', 'main');
  await porch.push('main', { 'web/config.yaml': configMap('web', { color: 'two' }) });
  await porch.git('tag', 'web/v2', 'main');
  await porch.push('drafts/apps/db/work', { 'apps/db/config.yaml': configMap('db', { color: 'draft' }) });
  await porch.push(
    'proposed/web/next',
    { 'web/config.yaml': configMap('web', { color: 'three' }) },
    { message: `Edit\n\n${ANNOTATION}\n` },
  );
  await stage.as('alice').rest.git.createRef({
    ...porch.where,
    ref: 'refs/heads/deletionProposed/web/v1',
    sha: await porch.git('rev-parse', 'web/v1'),
  });
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('nothing is offered where there is no package; elsewhere once, and closed means no', async () => {
  expect(await stage.repository('empty').pulls('all')).toEqual([]);
  const repo = stage.repository('refused');
  const [offer, ...more] = await repo.pulls('all');
  expect(more).toEqual([]);
  expect(offer!.title).toBe('Register this repository with Portico');
  expect(offer!.body).toContain('| `apps/db` | not published | 0 |');
  expect(offer!.body).toContain('`sharing: { within: organization }`');
  // What it says to paste sets the forge up: by its own words, with this App as the source.
  const bodies = [...offer!.body!.matchAll(/--input - <<'JSON'\n([\s\S]*?)\nJSON\n/g)].map(
    ([, json = '']) => JSON.parse(json) as Ruleset,
  );
  expect(offer!.body).toContain('gh api --method POST repos/acme/refused/rulesets --input -');
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    await stage.as('alice').rest.repos.createRepoRuleset({ ...repo.where, ...body });
  }
  const { data: rules } = await stage
    .as('alice')
    .rest.repos.getBranchRules({ ...repo.where, branch: 'main' });
  expect(rules).toEqual([
    expect.objectContaining({
      parameters: expect.objectContaining({
        required_status_checks: [{ context: 'portico', integration_id: stage.forge.app.id }],
      }),
    }),
  ]);
  for (const { id } of (await stage.as('alice').rest.repos.getRepoRulesets(repo.where)).data) {
    await stage.as('alice').rest.repos.deleteRepoRuleset({ ...repo.where, ruleset_id: id });
  }
  const checks = await repo.checksOf(offer!.number);
  expect([...checks.keys()]).toEqual(['portico/config']);
  expect(checks.get('portico/config')?.conclusion).toBe('success');
  // Whoever changes the file before the merge is told of mistakes on their lines.
  await repo.push('portico/onboarding', { '.github/portico.yaml': 'kind: Repositry\n' });
  await stage.idle();
  const wrong = (await repo.checksOf(offer!.number)).get('portico/config');
  expect(wrong?.conclusion).toBe('failure');
  expect(wrong?.output.summary).toContain('.github/portico.yaml:1');
  await repo.push('main', { 'web/more.yaml': configMap('more', { a: 'b' }) });
  await stage.idle();
  expect(await stage.writesOf(() => stage.look('refused'), 'refused')).toEqual([]);
  await stage.as('alice').rest.pulls.update({ ...repo.where, pull_number: offer!.number, state: 'closed' });
  await stage.as('alice').rest.git.deleteRef({ ...repo.where, ref: 'heads/portico/onboarding' });
  await stage.look('refused');
  expect(await repo.pulls('all')).toHaveLength(1);
});

test('a repository that Porch has managed is read right, registered, and what was under way goes on', async () => {
  const repo = stage.repository('porch');
  const [offer] = await repo.pulls();
  expect(offer!.body).toContain('| `web` | `v2` | 2 |');
  expect(offer!.body).toContain(
    'drafts: to continue one, open a pull request from it: `drafts/apps/db/work`',
  );
  expect(offer!.body).toContain('`proposed/web/next`');
  expect(offer!.body).toContain('`deletionProposed/web/v1`');
  await repo.merge(offer!.number);

  expect([...(await repo.tags()).keys()]).toEqual(['web/v1', 'web/v2']);
  const [proposal, ...others] = await repo.pulls();
  expect(others).toEqual([]);
  expect(proposal!.title).toBe('Propose web (next)');
  expect(proposal!.body).toContain('last task `edit`');
  expect((await repo.checksOf(proposal!.number)).get('portico')?.conclusion).toBe('action_required');
  const { data: issues } = await stage.as('alice').rest.issues.listForRepo({ ...repo.where, state: 'all' });
  const asked = issues.filter(({ pull_request }) => pull_request === undefined);
  expect(asked.map(({ title }) => title)).toEqual(['Retire web@v1?']);
  expect(await stage.writesOf(() => stage.look('porch'), 'porch')).toEqual([]);

  expect((await repo.command(asked[0]!.number, '/portico approve', 'bob')).reaction).toBe('rocket');
  expect([...(await repo.tags()).keys()]).toEqual(['web/v2']);
  expect(await repo.git('for-each-ref', 'refs/heads/deletionProposed')).toBe('');
  await repo.review(proposal!.number, 'APPROVE');
  expect((await repo.command(proposal!.number, '/portico publish')).reaction).toBe('rocket');
  expect([...(await repo.tags()).keys()]).toEqual(['web/v2', 'web/v3']);
});

test('a repository is taken over at once, though nobody told of the push that registered it', async () => {
  const repo = stage.repository('second');
  await repo.push('proposed/web/next', { 'web/config.yaml': configMap('web', { color: 'three' }) });
  await stage.idle();
  stage.forge.setAppWebhookUrl(null);
  await repo.push('main', { '.github/portico.yaml': configuration('second', 'branch: main') });
  await stage.idle();
  stage.forge.setAppWebhookUrl(`${stage.server().url}/api/github/webhooks`);
  // Whatever happens there next brings the commits.
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Hello' });
  await repo.command(issue.number, '/portico help');
  await repo.push('main', { 'README.md': 'Hello.\n' });
  await stage.idle();
  expect((await repo.pulls()).map(({ title }) => title)).toContain('Propose web (next)');
});

test("a repository's configuration is merged over the organisation's", async () => {
  const repo = stage.repository('under');
  const { number } = await repo.propose('next', { 'web/config.yaml': configMap('web', { color: 'red' }) });
  expect(await repo.sticky(number)).toContain('Needs 2 approvals: anyone with write access');
  const home = stage.repository('.github');
  await home.push('main', {
    '.github/portico.yaml': (await home.read('.github/portico.yaml'))!.replace(
      'requireApprovals: 2',
      'requireApprovals: 1',
    ),
  });
  await stage.idle();
  expect(await repo.sticky(number)).toContain('Needs 1 approval: anyone with write access');
  await home.push('main', { '.github/portico.yaml': 'no: configuration\n' });
  await stage.idle();
  expect(await repo.sticky(number)).toContain('Needs 1 approval: anyone with write access');
});
