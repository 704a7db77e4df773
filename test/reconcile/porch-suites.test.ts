/**
 * The twelve scenarios of Porch's command-line suite (test/e2e/cli/testdata of nephio-project/porch), played by git and
 * comments. They build on each other: one package lives through all of them.
 *
 * @module-tag story
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { configuration } from '../e2e/packages.ts';
import { done } from './command/commanded.ts';
import { configMap, kptfile, step } from './small-package.ts';
import type { StageRepository } from './stage-repository.ts';
import { startStage, type Stage } from './stage.ts';

let stage: Stage;
let git: StageRepository;
let deploy: StageRepository;
/** Issues to say commands in. */
let inGit: number;
let inDeploy: number;

beforeAll(async () => {
  stage = await startStage(
    {
      git: { spec: null },
      deploy: { spec: 'branch: main\ndeployment: true\npublish: { requireApprovals: 0 }' },
    },
    { shares: true },
  );
  git = stage.repository('git');
  deploy = stage.repository('deploy');
  const issueIn = async (repo: StageRepository): Promise<number> =>
    (await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Packages' })).data.number;
  inGit = await issueIn(git);
  inDeploy = await issueIn(deploy);
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function refused(repo: StageRepository, number: number, body: string): Promise<string> {
  const { reaction, reply = '' } = await repo.command(number, body);
  expect(reaction, `${body}: ${reply}`).toBe('confused');
  return reply;
}

async function pullFrom(repo: StageRepository, branch: string): Promise<number> {
  return (await repo.pulls()).find(({ head }) => head.ref === branch)!.number;
}

test('repo-register: a repository is taken care of once it holds the configuration', async () => {
  expect((await git.command(inGit, '/portico help')).reactions).toEqual([]);
  await git.push('main', {
    '.github/portico.yaml': configuration('git', 'branch: main\npublish: { requireApprovals: 1 }'),
  });
  await stage.idle();
  expect((await git.command(inGit, '/portico help')).reaction).toBe('rocket');
});

test('rpkg-init: an empty package, valid from the first commit', async () => {
  await done(
    git,
    inGit,
    "/portico init empty --workspace=first --description='An empty package' --keywords=a,b",
  );
  expect(await git.read('empty/Kptfile', 'drafts/empty/first')).toBe(
    'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: empty\n  annotations:\n    config.kubernetes.io/local-config: "true"\ninfo:\n  description: An empty package\n  keywords:\n  - a\n  - b\n',
  );
  expect(await git.read('empty/package-context.yaml', 'drafts/empty/first')).toContain('name: example');
  const number = await pullFrom(git, 'drafts/empty/first');
  expect((await git.checksOf(number)).get('portico')).toMatchObject({ conclusion: 'action_required' });
});

test('rpkg-init-deploy: in a deployment repository the package context says the name', async () => {
  await done(deploy, inDeploy, '/portico init ready');
  expect(await deploy.read('ready/package-context.yaml', 'drafts/ready/v1')).toContain('name: ready');
});

test('rpkg-lifecycle: propose, reject, propose, approve', async () => {
  const number = await pullFrom(git, 'drafts/empty/first');
  expect(await refused(git, number, '/portico publish')).toContain('draft');
  await done(git, number, '/portico propose');
  await done(git, number, '/portico reject not yet', 'bob');
  expect(await git.pull(number)).toMatchObject({ draft: true });
  expect(await refused(git, number, '/portico approve')).not.toBe('');
  await done(git, number, '/portico propose');
  await done(git, number, '/portico approve', 'bob');
  await done(git, number, '/portico publish');
  expect([...(await git.tags()).keys()]).toEqual(['empty/v1']);
  expect(await refused(git, number, '/portico reject too late')).toContain('merged');
});

test('rpkg-get: revisions are tags, drafts are branches and pull requests', async () => {
  expect(await git.git('for-each-ref', '--format=%(refname)', 'refs/tags', 'refs/portico')).toBe(
    'refs/portico/published/empty/v1\nrefs/tags/empty/v1',
  );
  expect(await done(git, inGit, '/portico diff empty v1..')).toContain('No differences');
  expect((await deploy.pulls()).map(({ head }) => head.ref)).toEqual(['drafts/ready/v1']);
});

test('rpkg-clone: a package of another repository; a second clone of it is refused with what to do', async () => {
  await done(deploy, inDeploy, '/portico clone acme/git:empty@v1 copied');
  const cloned = await deploy.read('copied/Kptfile', 'drafts/copied/v1');
  expect(cloned).toContain(`repo: ${git.url}\n    directory: /empty\n    ref: empty/v1`);
  const number = await pullFrom(deploy, 'drafts/copied/v1');
  await done(deploy, number, '/portico propose\n/portico publish');
  expect(await refused(deploy, inDeploy, '/portico clone acme/git:empty@v1 copied')).toContain(
    '/portico edit copied',
  );
});

test('rpkg-copy, rpkg-push: a new workspace from a revision; what is pushed is rendered', async () => {
  await done(git, inGit, '/portico copy empty@v1 --workspace=second');
  const number = await pullFrom(git, 'drafts/empty/second');
  expect(await git.pull(number)).toMatchObject({ draft: true, changed_files: 0 });
  await git.push('drafts/empty/second', {
    'empty/Kptfile': kptfile('empty', [step('set-labels:v0.2', { team: 'blue' })]),
    'empty/config.yaml': configMap('config', { a: 'b' }),
  });
  await stage.idle();
  expect(await git.read('empty/config.yaml', 'drafts/empty/second')).toContain('team: blue');
});

test('rpkg-nested-package: a package below is rendered by its own pipeline, then by that of its parent', async () => {
  const number = await pullFrom(git, 'drafts/empty/second');
  await done(git, number, '/portico init empty/nested');
  await git.push('drafts/empty/second', {
    'empty/nested/Kptfile': kptfile('nested', [step('set-annotations:v0.1', { from: 'nested' })]),
    'empty/nested/config.yaml': configMap('nested', { a: 'b' }),
  });
  await stage.idle();
  const nested = await git.read('empty/nested/config.yaml', 'drafts/empty/second');
  expect(nested).toMatch(/from: nested/);
  expect(nested).toMatch(/team: blue/);
  expect(await git.read('empty/config.yaml', 'drafts/empty/second')).not.toContain('from: nested');
});

test('rpkg-push-on-render-failure, rpkg-unready: the branch keeps what fails, and nothing of it is proposed', async () => {
  const number = await pullFrom(git, 'drafts/empty/second');
  const head = 'drafts/empty/second';
  await git.push(head, {
    'empty/Kptfile': kptfile('empty', [step('set-namespace:v0.4', {})]),
    'empty/config.yaml': configMap('config', { a: 'kept' }),
  });
  await stage.idle();
  expect(await git.read('empty/config.yaml', head)).toContain('a: kept');
  expect((await git.checksOf(number)).get('portico/render')).toMatchObject({ conclusion: 'failure' });
  expect(await refused(git, number, '/portico propose')).toContain('portico/render');

  const gate = `${kptfile('empty')}info:\n  readinessGates:\n  - conditionType: tested\nstatus:\n  conditions:\n  - type: tested\n    status: "False"\n`;
  await git.push(head, { 'empty/Kptfile': gate });
  await stage.idle();
  expect((await git.checksOf(number)).get('portico/package')).toMatchObject({ conclusion: 'failure' });
  expect(await refused(git, number, '/portico propose')).toContain('portico/package');

  await git.push(head, { 'empty/Kptfile': kptfile('empty') });
  await stage.idle();
  await done(git, number, '/portico propose');
  await done(git, number, '/portico approve', 'bob');
  await done(git, number, '/portico publish');
  expect([...(await git.tags()).keys()]).toEqual(['empty/v1', 'empty/v2']);
});

test('rpkg-upgrade: the downstream is offered the new revision, with what it changed kept', async () => {
  const update = (await deploy.pulls()).find(({ title }) => title.startsWith('Update copied'))!;
  expect(update.title).toBe('Update copied to upstream v2');
  expect(await deploy.read('copied/Kptfile', update.head.ref)).toContain('ref: empty/v2');
  expect(await deploy.read('copied/config.yaml', update.head.ref)).toContain('a: kept');
  expect(await deploy.read('copied/package-context.yaml', update.head.ref)).toContain('name: copied');
});
