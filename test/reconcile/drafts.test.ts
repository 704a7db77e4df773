import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../e2e/packages.ts';
import { configMap, smallPackage } from './small-package.ts';
import type { Answered, StageRepository } from './stage-repository.ts';
import { startStage, type Login, type Stage } from './stage.ts';

let stage: Stage;

const GUARDED = `branch: main
publish: { requireApprovals: 1 }
guardrails:
  validators:
  - { name: colour, image: starlark:v0.5, configPath: rules/colour.yaml }`;

const RULE = `apiVersion: fn.kpt.dev/v1alpha1
kind: StarlarkRun
metadata: { name: colour }
source: |
  for object in ctx.resource_list["items"]:
    if object["kind"] == "ConfigMap" and object.get("data", {}).get("color") == "red":
      fail("red is forbidden")
`;

beforeAll(async () => {
  stage = await startStage({
    blueprints: { files: { ...below('db', smallPackage('db')), ...below('pg', smallPackage('pg')) } },
    secret: { files: below('vault', smallPackage('vault')) },
    open: { private: false, files: below('pub', smallPackage('pub')) },
    deploy: {
      spec: 'branch: main\ndeployment: true\npublish: { requireApprovals: 1 }\ndefaultUpstream: { repo: acme/blueprints }',
      files: below('web', smallPackage('web')),
    },
    guarded: { spec: GUARDED, files: { ...below('web', smallPackage('web')), 'rules/colour.yaml': RULE } },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** An issue to say commands in. */
async function issueIn(repo: StageRepository, title = 'Packages'): Promise<number> {
  const { data } = await stage.as('alice').rest.issues.create({ ...repo.where, title, body: 'Please.' });
  return data.number;
}

/** A command that has to be done. Answers its reply. */
async function done(
  repo: StageRepository,
  number: number,
  body: string,
  as: Login = 'alice',
): Promise<string> {
  const { reaction, reply = '' } = await repo.command(number, body, as);
  expect(reaction, `${body}: ${reply}`).toBe('rocket');
  return reply;
}

function refused({ reaction, reply }: Answered): string {
  expect(reaction, reply).toBe('confused');
  return reply ?? '';
}

/** The pull request that a reply links to. */
function linked(reply: string): number {
  return Number(/^(?:<!--.*-->\s*)?\[#(\d+)\]/.exec(reply)?.[1]);
}

test('an empty package: from an issue to its first revision, with a subpackage and a function on the way', async () => {
  const repo = stage.repository('deploy');
  const issue = await issueIn(repo);
  const first = "/portico init apps/shop --description='The shop' --keywords=web,shop";
  const reply = await done(repo, issue, first, 'bob');
  expect(reply).toContain('is a draft of `apps/shop` on the branch `drafts/apps/shop/v1`.');
  const number = linked(reply);
  const opened = await repo.pull(number);
  expect(opened).toMatchObject({ draft: true, title: 'New package apps/shop', commits: 1 });
  expect(opened.body).toContain(`Asked for by \`bob\` in #${issue}`);
  expect(opened.body).toContain('`/portico propose`');
  const head = 'drafts/apps/shop/v1';
  expect(await repo.read('apps/shop/Kptfile', head)).toContain('description: The shop');
  expect(await repo.read('apps/shop/package-context.yaml', head)).toContain('name: shop');

  // Again, or with what is taken: refused, and nothing is made.
  const again = refused(await repo.command(issue, '/portico init apps/shop --workspace=v1', 'carol'));
  expect(again).toContain(`There is a draft \`drafts/apps/shop/v1\` already, in #${number}.`);
  expect(refused(await repo.command(issue, '/portico init web/inner'))).toContain('inside the package `web`');
  expect(refused(await repo.command(issue, '/portico init WEB'))).toContain('differ in capitals only');
  expect(refused(await repo.command(issue, '/portico init apps/shop/v1/x --workspace=y'))).toContain(
    'leaves no room',
  );
  expect(refused(await repo.command(issue, '/portico init ok', 'rita'))).toContain('role write or higher');

  // A subpackage, a cloned one, a function, several commands in one comment, each its commit.
  const several = [
    '/portico init apps/shop/cache',
    '/portico clone db@main apps/shop/db',
    '/portico eval set-labels:v0.2 tier=web',
  ];
  const said = await done(repo, number, several.join('\n'), 'bob');
  expect(said).toContain('New subpackage apps/shop/cache: 3 files changed.');
  expect(await repo.read('apps/shop/db/Kptfile', head)).toContain('directory: /db');
  expect(await repo.read('apps/shop/db/config.yaml', head)).toContain('tier: web');
  expect(await done(repo, number, '/portico eval set-labels:v0.2 tier=web', 'bob')).toContain(
    'this changes nothing',
  );
  expect(refused(await repo.command(number, '/portico eval example.com/unknown:v1'))).toContain('unknown');
  expect(refused(await repo.command(number, '/portico init apps/shop/db'))).toContain(
    'something at `apps/shop/db` already',
  );
  expect((await done(repo, number, '/portico diff')).length).toBeGreaterThan(200);

  // Who had it made does not approve it.
  await done(repo, number, '/portico propose', 'bob');
  expect(refused(await repo.command(number, '/portico approve', 'bob'))).toContain(
    'Somebody else must approve it.',
  );
  await repo.review(number, 'APPROVE', undefined, 'bob');
  expect(refused(await repo.command(number, '/portico publish', 'bob'))).toContain('0 of 1 approvals');
  await done(repo, number, '/portico approve', 'carol');
  await done(repo, number, '/portico publish', 'carol');
  expect([...(await repo.tags()).keys()]).toEqual(['apps/shop/v1']);
});

test('clones: revision, branch and commit; visibility; addresses that are not allowed', async () => {
  const blueprints = stage.repository('blueprints');
  const deploy = stage.repository('deploy');
  await blueprints.publish('next', { 'db/config.yaml': configMap('db', { color: 'green' }) });
  const tagged = (await blueprints.tags()).get('db/v1')!;
  const issue = await issueIn(deploy);

  const number = linked(await done(deploy, issue, '/portico clone db apps/db'));
  const head = 'drafts/apps/db/v1';
  const cloned = await deploy.read('apps/db/Kptfile', head);
  expect(cloned).toContain('name: db');
  expect(cloned).toContain(`repo: ${blueprints.url}\n`);
  expect(cloned).toContain('directory: /db');
  expect(cloned).toContain('ref: db/v1');
  expect(cloned).toContain(`commit: ${tagged}`);
  expect(await deploy.read('apps/db/config.yaml', head)).toContain('# kpt-merge: /db');
  expect(await deploy.read('apps/db/package-context.yaml', head)).toContain('name: db');
  expect((await deploy.pull(number)).body).toContain('made from `acme/blueprints:db@v1`');

  const commit = await blueprints.head('main');
  await done(
    deploy,
    issue,
    `/portico clone acme/blueprints:db@${commit} by-commit\n/portico clone acme/blueprints/pg@main by-branch`,
  );
  expect(await deploy.read('by-commit/Kptfile', 'drafts/by-commit/v1')).toContain(`ref: ${commit}`);
  expect(await deploy.read('by-branch/Kptfile', 'drafts/by-branch/v1')).toContain('ref: main');

  const say = async (body: string, as: Login = 'alice', at = deploy): Promise<string> =>
    refused(await at.command(at === deploy ? issue : await issueIn(at), body, as));
  expect(await say('/portico clone pg')).toContain('has no published revision');
  expect(await say('/portico clone db@v9 x')).toContain('The newest is v1.');
  expect(await say('/portico clone nothing@main x')).toContain('there is no package `nothing`'.slice(1));
  expect(await say(`/portico clone db@${'0'.repeat(40)} x`)).toContain('has no revision');
  expect(await say('/portico clone acme/nowhere:db x')).toContain('There is no repository `acme/nowhere`');
  expect(await say('/portico clone https://example.com/a/b.git/c@v1 x')).toContain('spec.upstreams.allow');
  // Content of a private repository does not go to a public one; a name that the caller cannot read is none.
  const open = stage.repository('open');
  expect(await say('/portico clone acme/blueprints:db x', 'alice', open)).toContain(
    'less public than this one',
  );
  const { data: collaborators } = await stage
    .as('alice')
    .rest.repos.listCollaborators(stage.repository('secret').where);
  expect(collaborators.map(({ login }) => login)).toContain('bob');
  await stage
    .as('alice')
    .rest.repos.removeCollaborator({ ...stage.repository('secret').where, username: 'bob' });
  expect(await say('/portico clone acme/secret:vault@main x', 'bob')).toContain(
    'There is no repository `acme/secret`',
  );
  expect((await deploy.pulls()).map(({ head: { ref } }) => ref).sort()).not.toContain('drafts/x/v1');
});

test('a rollback becomes the next revision and says so; what fails the guardrails needs --anyway', async () => {
  const repo = stage.repository('guarded');
  await repo.publish('one', { 'web/config.yaml': configMap('web', { color: 'white' }) });
  // v2 was fine before the rule was made.
  const rule = await repo.read('rules/colour.yaml');
  await repo.push('main', { 'rules/colour.yaml': RULE.replace('"red"', '"none"') });
  await repo.publish('two', { 'web/config.yaml': configMap('web', { color: 'red' }) });
  await repo.push('main', { 'rules/colour.yaml': rule });
  await repo.publish('three', {
    'web/config.yaml': configMap('web', { color: 'blue' }),
    'web/new.yaml': configMap('new', {}),
  });
  const issue = await issueIn(repo);

  const number = linked(await done(repo, issue, '/portico rollback web@v1', 'bob'));
  expect(await repo.pull(number)).toMatchObject({ draft: true, title: 'Restore web to v1' });
  expect((await repo.pull(number)).body).toContain('`Restored-From: v1`');
  await done(repo, number, '/portico propose', 'bob');
  await done(repo, number, '/portico approve', 'carol');
  await done(repo, number, '/portico publish', 'carol');
  expect(await repo.tagMessage('web/v4')).toContain('Restored-From: v1');
  expect(await repo.git('rev-parse', 'web/v4:web')).toBe(await repo.git('rev-parse', 'web/v1:web'));

  expect(refused(await repo.command(issue, '/portico rollback web@v4'))).toContain('already');
  expect(refused(await repo.command(issue, '/portico rollback web@v9'))).toContain('has no revision `v9`');
  const why = refused(await repo.command(issue, '/portico rollback web@v2', 'bob'));
  expect(why).toContain('guardrail/colour');
  expect(why).toContain('--anyway');
  const forced = linked(await done(repo, issue, '/portico rollback web@v2 --anyway', 'bob'));
  expect((await repo.pull(forced)).body).toContain("fails today's guardrails");
  expect((await repo.checksOf(forced)).get('guardrail/colour')).toMatchObject({ conclusion: 'neutral' });
  expect((await repo.checksOf(forced)).get('portico')).toMatchObject({ conclusion: 'success' });
  // Whatever else is pushed is judged again.
  await repo.push('drafts/web/v5', { 'web/more.yaml': configMap('more', {}) });
  await stage.idle();
  expect((await repo.checksOf(forced)).get('guardrail/colour')).toMatchObject({ conclusion: 'failure' });

  // A copy of a revision, and the branch as it is.
  await done(repo, issue, '/portico copy web@3 --workspace=again\n/portico edit web --workspace=now');
  expect(await repo.read('web/config.yaml', 'drafts/web/again')).toContain('blue');
  const now = (await repo.pulls()).find(({ head }) => head.ref === 'drafts/web/now')!;
  expect(now).toMatchObject({ draft: true, title: 'Edit web', changed_files: 0 });
  const diff = await done(repo, issue, '/portico diff web v2..v3', 'rita');
  expect(diff).toContain('`v2` → `v3`');
  expect(diff).toContain('blue');
});

test('a package moves onto another upstream; updates are paused and resumed', async () => {
  const blueprints = stage.repository('blueprints');
  await blueprints.publish('pg1', {
    'pg/config.yaml': configMap('db', { color: 'black', size: 'big' }),
    'pg/extra.yaml': configMap('extra', {}),
  });
  const repo = stage.repository('open');
  await stage.as('alice').rest.repos.update({ ...repo.where, private: true });
  const issue = await issueIn(repo);
  const number = linked(await done(repo, issue, '/portico clone acme/blueprints:db mydb'));
  const branch = 'drafts/mydb/v1';
  await repo.push(branch, {
    'mydb/config.yaml': (await repo.read('mydb/config.yaml', branch))!.replace('green', 'pink'),
  });
  await stage.idle();
  const said = await done(repo, number, '/portico rebase acme/blueprints:pg@v1');
  expect(said).toContain('1 conflict');
  expect(await repo.read('mydb/config.yaml', branch)).toMatch(/color: black\n {2}size: big/);
  expect(await repo.read('mydb/extra.yaml', branch)).toContain('# kpt-merge: /extra');
  expect(await repo.read('mydb/Kptfile', branch)).toContain('ref: pg/v1');
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({ conclusion: 'failure' });
  await done(repo, number, '/portico resolve all local');
  expect(await repo.read('mydb/config.yaml', branch)).toContain('color: pink');
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({ conclusion: 'success' });
  expect(refused(await repo.command(issue, '/portico rebase pg --package=pub'))).toContain(
    'has no upstreamLock',
  );

  await done(repo, number, '/portico propose');
  await done(repo, number, '/portico approve', 'bob');
  await done(repo, number, '/portico publish', 'bob');
  expect(await done(repo, issue, '/portico pause mydb')).toContain('Updates of `mydb` are paused.');
  expect(await done(repo, issue, '/portico pause mydb')).toContain('already, by `alice`');
  await blueprints.publish('pg2', { 'pg/extra.yaml': configMap('extra', { more: 'yes' }) });
  const updates = async (): Promise<string[]> =>
    (await repo.pulls()).map(({ title }) => title).filter((title) => title.startsWith('Update'));
  expect(await updates()).toEqual([]);
  expect(await done(repo, issue, '/portico resume mydb')).toContain('come again');
  expect(await updates()).toEqual(['Update mydb to v2']);
  expect(refused(await repo.command(issue, '/portico pause pub'))).toContain('has no upstream');
});

test('a command that was interrupted goes on where it was', async () => {
  const repo = stage.repository('blueprints');
  const issue = await issueIn(repo);
  // The branch is pushed, then the forge does not take the pull request.
  let refusals = 0;
  await stage.watching(
    (call) => {
      if (call.method !== 'POST' || !call.path.endsWith('/pulls') || refusals > 0) return undefined;
      refusals += 1;
      return 502;
    },
    async () => {
      const { reaction } = await repo.command(issue, '/portico init late');
      expect(reaction).toBe('rocket');
    },
  );
  expect(refusals).toBe(1);
  const pulls = (await repo.pulls('all')).filter(({ head }) => head.ref.startsWith('drafts/late'));
  expect(pulls).toHaveLength(1);
  expect(pulls[0]).toMatchObject({ commits: 1 });

  // The change is pushed, and its answer is lost.
  const { number } = pulls[0]!;
  let lost = 0;
  await stage.watching(
    (call) => {
      if (call.method !== 'POST' || !call.path.endsWith('/reactions') || lost > 1) return undefined;
      lost += 1;
      return lost === 2 ? 502 : undefined;
    },
    () => repo.command(number, '/portico eval set-annotations:v0.1 a=b'),
  );
  const subjects = (await repo.git('log', '--format=%s', 'main..drafts/late/v1')).split('\n');
  expect(subjects.filter((subject) => subject.startsWith('Run '))).toHaveLength(1);
  expect(lost).toBeGreaterThan(1);
});
