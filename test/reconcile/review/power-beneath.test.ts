// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { Files, StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Privileges on the base branch that no revision has are compared with the newest revision, and not with that branch. */
let stage: Stage;

const SPEC = 'branch: main\npublish: { requireApprovals: 1, requireApprovalBy: ["@acme/platform"] }';
const ROOT = {
  'pod.yaml': `apiVersion: v1
kind: Pod
metadata: { name: root, namespace: shop }
spec: { hostPID: true, containers: [{ name: main, image: here/web:1 }] }
`,
};
const recolor = (name: string, color: string): Files => ({
  [`${name}/config.yaml`]: configMap(name, { color }),
});

beforeAll(async () => {
  const one = {
    spec: SPEC,
    collaborators: { bob: 'write', carol: 'write', mona: 'write', rita: 'write' },
  } as const;
  const packages = ['web', 'api', 'db'].map((name) => below(name, { ...smallPackage(name), ...ROOT }));
  stage = await startStage({
    first: { ...one, files: { 'README.md': 'Nothing yet.\n' } },
    above: { ...one, files: below('web', smallPackage('web')) },
    ledger: { ...one, files: below('web', smallPackage('web')) },
    retired: { ...one, files: below('web', smallPackage('web')) },
    adopted: { ...one, files: Object.assign({}, ...packages) },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** Proposes as carol, and two people approve who are not in the team. */
async function proposed(repo: StageRepository, branch: string, files: Files): Promise<number> {
  const { number } = await repo.propose(branch, files, { as: 'carol' });
  for (const login of ['mona', 'rita'] as const) await repo.review(number, 'APPROVE', undefined, login);
  await stage.idle();
  return number;
}

async function expectHeld(repo: StageRepository, number: number, tag: string): Promise<void> {
  const checks = await repo.checksOf(number);
  expect(checks.get('portico/power')).toMatchObject({ conclusion: 'action_required' });
  expect(checks.get('portico/power')?.output.title).toContain('sees all processes of the node');
  expect(checks.get('portico')?.conclusion).toBe('action_required');
  // By the button, past the checks: the count before the tag asks for the same.
  await repo.press(number);
  await stage.sweep();
  expect([...(await repo.tags()).keys()]).not.toContain(tag);
  expect(await repo.sticky(number)).toContain('Its privileges grow');
}

test('privileges that are pushed before the first revision need those who must approve privileges (143)', async () => {
  const repo = stage.repository('first');
  await repo.push('main', below('web', { ...smallPackage('web'), ...ROOT }), { as: 'bob' });
  await stage.idle();
  await expectHeld(repo, await proposed(repo, 'next', recolor('web', 'green')), 'web/v1');
});

test('so do privileges that are pushed above a revision (143)', async () => {
  const repo = stage.repository('above');
  await repo.publish('one', recolor('web', 'one'));
  await repo.push('main', below('web', ROOT), { as: 'bob' });
  await stage.idle();
  await expectHeld(repo, await proposed(repo, 'next', recolor('web', 'two')), 'web/v2');
});

test('a ref of the ledger that anyone can push is no revision to compare privileges with (143)', async () => {
  const repo = stage.repository('ledger');
  await repo.publish('one', recolor('web', 'one'));
  const pushed = await repo.push('main', below('web', ROOT), { as: 'bob' });
  const { git } = stage.as('bob').rest;
  await git.createRef({ ...repo.where, ref: 'refs/portico/published/web/v2', sha: pushed });
  await stage.idle();
  await expectHeld(repo, await proposed(repo, 'next', recolor('web', 'two')), 'web/v3');
});

/** Approved by the team too. */
async function published(repo: StageRepository, branch: string, files: Files): Promise<void> {
  const number = await proposed(repo, branch, files);
  expect((await repo.checksOf(number)).get('portico/power')?.conclusion).toBe('action_required');
  await repo.review(number, 'APPROVE', undefined, 'alice');
  expect(await repo.command(number, '/portico publish', 'carol')).toMatchObject({ reaction: 'rocket' });
}

test('privileges of a revision whose tag is deleted are approved again, and no longer once they are published', async () => {
  const repo = stage.repository('retired');
  await published(repo, 'one', below('web', ROOT));
  const plain = await proposed(repo, 'two', recolor('web', 'two'));
  expect((await repo.checksOf(plain)).get('portico/power')).toBeUndefined();
  await stage.as('alice').rest.git.deleteRef({ ...repo.where, ref: 'tags/web/v1' });
  await stage.idle();
  await published(repo, 'three', recolor('web', 'three'));
  expect([...(await repo.tags()).keys()]).toEqual(['web/v2']);
  const next = await proposed(repo, 'four', recolor('web', 'four'));
  expect((await repo.checksOf(next)).get('portico/power')).toBeUndefined();
});

test('each package of a repository that is adopted is asked about once, when a proposal touches it', async () => {
  const repo = stage.repository('adopted');
  const number = await proposed(repo, 'web', recolor('web', 'one'));
  const { output, conclusion } = (await repo.checksOf(number)).get('portico/power')!;
  expect(conclusion).toBe('action_required');
  expect(output.summary).not.toContain('**`api`**');
  await published(repo, 'both', { ...recolor('web', 'two'), ...recolor('api', 'two') });
  expect([...(await repo.tags()).keys()]).toEqual(['api/v1', 'web/v1']);
  const next = await proposed(repo, 'next', { ...recolor('web', 'three'), ...recolor('api', 'three') });
  expect((await repo.checksOf(next)).get('portico/power')).toBeUndefined();
});
