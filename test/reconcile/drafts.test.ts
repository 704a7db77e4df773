import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../e2e/packages.ts';
import { configMap, smallPackage } from './small-package.ts';
import type { StageRepository } from './stage-repository.ts';
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
    open: { private: false },
    moving: {
      spec: 'branch: main\npublish: { requireApprovals: 0 }',
      files: below('web', smallPackage('web')),
    },
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
async function issueIn(repo: StageRepository): Promise<number> {
  const { data } = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Packages' });
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

/** Commands that have to be refused, with what the answer says. They are written at once and waited for once. */
async function refused(
  repo: StageRepository,
  number: number,
  expected: Readonly<Record<string, string>>,
  as: Login = 'alice',
): Promise<void> {
  const ids: number[] = [];
  for (const body of Object.keys(expected)) ids.push(await repo.say(number, body, as));
  await stage.idle();
  for (const [at, [body, want]] of Object.entries(expected).entries()) {
    const { reaction, reply } = await repo.answerTo(number, ids[at]!);
    expect(reaction, `${body}: ${reply}`).toBe('confused');
    expect(reply, body).toContain(want);
  }
}

/** The pull request that a reply links to. */
function linked(reply: string): number {
  return Number(/^(?:<!--.*-->\s*)?\[#(\d+)\]/.exec(reply)?.[1]);
}

test('an empty package: from an issue to its first revision, with subpackages and a function on the way', async () => {
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
  await refused(repo, issue, {
    '/portico init apps/shop --workspace=v1': `a draft \`drafts/apps/shop/v1\` already, in #${number}.`,
    '/portico init web/inner': 'inside the package `web`',
    '/portico init WEB': 'differ in capitals only',
    '/portico init apps/shop/v1/x --workspace=y': 'leaves no room',
  });
  await refused(repo, issue, { '/portico init ok': 'role write or higher' }, 'rita');

  // A subpackage, a cloned one, a function: several commands in one comment, each its commit.
  const several = [
    '/portico init apps/shop/cache',
    '/portico clone db@main apps/shop/db',
    '/portico eval set-labels:v0.2 tier=web',
    '/portico eval set-labels:v0.2 tier=web',
    '/portico diff',
  ];
  const said = await done(repo, number, several.join('\n'), 'bob');
  expect(said).toContain('New subpackage apps/shop/cache: 3 files changed.');
  expect(said).toContain('Run set-labels:v0.2 on apps/shop: this changes nothing.');
  expect(said).toContain('the registered branch → the head');
  expect(await repo.read('apps/shop/db/Kptfile', head)).toContain('directory: /db');
  expect(await repo.read('apps/shop/db/config.yaml', head)).toContain('tier: web');
  await refused(repo, number, {
    '/portico eval example.com/unknown:v1': 'unknown',
    '/portico init apps/shop/db': 'something at `apps/shop/db` already',
  });

  // Who had it made does not approve it.
  await done(repo, number, '/portico propose', 'bob');
  await repo.review(number, 'APPROVE', undefined, 'bob');
  const own = {
    '/portico approve': 'Somebody else must approve it.',
    '/portico publish': '0 of 1 approvals',
  };
  await refused(repo, number, own, 'bob');
  await done(repo, number, '/portico approve', 'carol');
  await done(repo, number, '/portico publish', 'carol');
  expect([...(await repo.tags()).keys()]).toEqual(['apps/shop/v1']);
});

test('clones: revision, branch and commit; visibility; addresses that are not allowed', async () => {
  const blueprints = stage.repository('blueprints');
  const deploy = stage.repository('deploy');
  const commit = await blueprints.head('main');
  // An annotated tag: the lock holds the commit behind it.
  await blueprints.tag('db/v1', commit);
  const issue = await issueIn(deploy);
  const said = await done(
    deploy,
    issue,
    `/portico clone db apps/db\n/portico clone acme/blueprints:db@${commit} by-commit\n/portico clone acme/blueprints/pg@main by-branch`,
  );
  const head = 'drafts/apps/db/v1';
  const cloned = await deploy.read('apps/db/Kptfile', head);
  expect(cloned).toContain(`repo: ${blueprints.url}\n    directory: /db\n    ref: db/v1\n`);
  expect(cloned).toContain(`ref: db/v1\n    commit: ${commit}\n`);
  expect(await deploy.read('apps/db/config.yaml', head)).toContain('# kpt-merge: /db');
  expect(await deploy.read('apps/db/package-context.yaml', head)).toContain('name: db');
  const number = Number(/#(\d+)\]\(\S+\) is a draft of `apps\/db`/.exec(said)?.[1]);
  expect((await deploy.pull(number)).body).toContain('made from `acme/blueprints:db@v1`');
  expect(await deploy.read('by-commit/Kptfile', 'drafts/by-commit/v1')).toContain(`ref: ${commit}`);
  expect(await deploy.read('by-branch/Kptfile', 'drafts/by-branch/v1')).toContain('ref: main');

  await refused(deploy, issue, {
    '/portico clone pg': 'has no published revision',
    '/portico clone db@v9 x': 'The newest is v1.',
    '/portico clone nothing@main x': 'here is no package `nothing`',
    [`/portico clone db@${'0'.repeat(40)} x`]: 'has no revision',
    '/portico clone acme/nowhere:db x': 'There is no repository `acme/nowhere`',
    '/portico clone https://example.com/a/b.git/c@v1 x': 'spec.upstreams.allow',
  });
  // Content of a private repository does not go to a public one; a name that the caller cannot read is none.
  const open = stage.repository('open');
  await refused(open, await issueIn(open), {
    '/portico clone acme/blueprints:db x': 'less public than this one',
  });
  const { where } = stage.repository('secret');
  await stage.as('alice').rest.repos.removeCollaborator({ ...where, username: 'bob' });
  const hidden = { '/portico clone acme/secret:vault@main x': 'There is no repository `acme/secret`' };
  await refused(deploy, issue, hidden, 'bob');
  expect((await deploy.pulls()).map(({ head: { ref } }) => ref)).not.toContain('drafts/x/v1');
});

test('a rollback becomes the next revision and says so; what fails the guardrails needs --anyway', async () => {
  const repo = stage.repository('guarded');
  for (const [at, color] of ['white', 'red', 'blue'].entries()) {
    const commit = await repo.push('main', { 'web/config.yaml': configMap('web', { color }) });
    await repo.tag(`web/v${at + 1}`, commit);
  }
  await stage.idle();
  const issue = await issueIn(repo);
  const number = linked(await done(repo, issue, '/portico rollback web@v1', 'bob'));
  expect(await repo.pull(number)).toMatchObject({ draft: true, title: 'Restore web to v1' });
  expect((await repo.pull(number)).body).toContain('`Restored-From: v1`');
  await done(repo, number, '/portico propose', 'bob');
  await done(repo, number, '/portico approve', 'carol');
  await done(repo, number, '/portico publish', 'carol');
  expect(await repo.tagMessage('web/v4')).toContain('Restored-From: v1');
  expect(await repo.git('rev-parse', 'web/v4:web')).toBe(await repo.git('rev-parse', 'web/v1:web'));

  await refused(repo, issue, {
    '/portico rollback web@v4': 'already',
    '/portico rollback web@v9': 'has no revision `v9`',
    '/portico rollback web@v2': 'guardrail/colour',
  });
  const forced = linked(await done(repo, issue, '/portico rollback web@v2 --anyway', 'bob'));
  expect((await repo.pull(forced)).body).toContain("fails today's guardrails");
  expect((await repo.checksOf(forced)).get('guardrail/colour')).toMatchObject({ conclusion: 'neutral' });
  expect((await repo.checksOf(forced)).get('portico')).toMatchObject({ conclusion: 'success' });
  // Whatever else is pushed is judged again.
  await repo.push('drafts/web/v5', { 'web/more.yaml': configMap('more', {}) });
  await stage.idle();
  expect((await repo.checksOf(forced)).get('guardrail/colour')).toMatchObject({ conclusion: 'failure' });

  // A copy of a revision, the branch as it is, and what lies between two revisions.
  const said = await done(
    repo,
    issue,
    '/portico copy web@3 --workspace=again\n/portico edit web --workspace=now\n/portico diff web v2..v3',
  );
  expect(said).toContain('`v2` → `v3`');
  expect(await repo.read('web/config.yaml', 'drafts/web/again')).toContain('blue');
  const now = (await repo.pulls()).find(({ head }) => head.ref === 'drafts/web/now')!;
  expect(now).toMatchObject({ draft: true, title: 'Edit web', changed_files: 0 });
});

test('a package moves onto another upstream; updates are paused and resumed', async () => {
  const blueprints = stage.repository('blueprints');
  const pg = {
    'pg/config.yaml': configMap('db', { color: 'black', size: 'big' }),
    'pg/extra.yaml': configMap('extra', {}),
  };
  await blueprints.tag('pg/v1', await blueprints.push('main', pg));
  const repo = stage.repository('moving');
  const issue = await issueIn(repo);
  const number = linked(await done(repo, issue, '/portico clone acme/blueprints:db@main mydb'));
  const branch = 'drafts/mydb/v1';
  const mine = (await repo.read('mydb/config.yaml', branch))!.replace('blue', 'pink');
  await repo.push(branch, { 'mydb/config.yaml': mine });
  expect(await done(repo, number, '/portico rebase acme/blueprints:pg@v1')).toContain('1 conflict');
  expect(await repo.read('mydb/config.yaml', branch)).toMatch(/color: black\n {2}size: big/);
  expect(await repo.read('mydb/extra.yaml', branch)).toContain('# kpt-merge: /extra');
  expect(await repo.read('mydb/Kptfile', branch)).toContain('ref: pg/v1');
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({ conclusion: 'failure' });
  await done(repo, number, '/portico resolve all local');
  expect(await repo.read('mydb/config.yaml', branch)).toContain('color: pink');
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({ conclusion: 'success' });

  // The package goes to the registered branch by the button of a person.
  await done(repo, number, '/portico propose');
  await repo.merge(number);
  expect(await done(repo, issue, '/portico pause mydb\n/portico pause mydb')).toContain(
    'already, by `alice`',
  );
  const next = await blueprints.push('main', { 'pg/extra.yaml': configMap('extra', { a: 'b' }) });
  await blueprints.tag('pg/v2', next);
  await stage.idle();
  const titles = async (): Promise<string[]> => (await repo.pulls()).map(({ title }) => title);
  expect(await titles()).toEqual([]);
  expect(await done(repo, issue, '/portico resume mydb')).toContain('come again');
  expect(await titles()).toEqual(['Update mydb to v2']);
  await refused(repo, issue, {
    '/portico pause web': 'has no upstream',
    '/portico rebase acme/blueprints:pg --package=web': 'has no upstreamLock',
  });
});

test('a command that was interrupted goes on where it was', async () => {
  const repo = stage.repository('blueprints');
  const issue = await issueIn(repo);
  // The branch is pushed, then the forge does not take the pull request.
  let failures = 0;
  await stage.watching(
    ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/pulls') || failures > 0) return;
      failures += 1;
      return 502;
    },
    () => done(repo, issue, '/portico init late'),
  );
  expect(failures).toBe(1);
  const pulls = (await repo.pulls('all')).filter(({ head }) => head.ref.startsWith('drafts/late'));
  expect(pulls).toMatchObject([{ commits: 1 }]);

  // The change is pushed, and its answer is lost.
  const { number } = pulls[0]!;
  let reactions = 0;
  await stage.watching(
    ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/reactions')) return;
      reactions += 1;
      return reactions === 2 ? 502 : undefined;
    },
    () => done(repo, number, '/portico eval set-annotations:v0.1 a=b'),
  );
  expect(reactions).toBeGreaterThan(2);
  const subjects = (await repo.git('log', '--format=%s', 'main..drafts/late/v1')).split('\n');
  expect(subjects.filter((subject) => subject.startsWith('Run '))).toHaveLength(1);
});
