import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { done } from '../command/commanded.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Login, type Stage } from '../stage.ts';

let stage: Stage;

const GUARDED = `branch: main
publish: { requireApprovals: 0 }
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
  stage = await startStage(
    {
      blueprints: { files: { ...below('db', smallPackage('db')), ...below('pg', smallPackage('pg')) } },
      secret: { files: below('vault', smallPackage('vault')) },
      open: { private: false },
      plain: { private: false, spec: null, files: below('db', smallPackage('db')) },
      moving: {
        spec: 'branch: main\npublish: { requireApprovals: 0 }',
        files: below('web', smallPackage('web')),
      },
      deploy: {
        spec: 'branch: main\ndeployment: true\npublish: { requireApprovals: 1 }\ndefaultUpstream: { repo: acme/blueprints }',
        files: below('web', smallPackage('web')),
      },
      guarded: { spec: GUARDED, files: { ...below('web', smallPackage('web')), 'rules/colour.yaml': RULE } },
    },
    { watched: true, shares: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** An issue to say commands in. */
async function issueIn(repo: StageRepository): Promise<number> {
  const { data } = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Packages' });
  return data.number;
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
  return Number(/\[#(\d+)\]\(/.exec(reply)?.[1]);
}

test('an empty package in an issue; a subpackage, a cloned one and a function on its branch', async () => {
  const repo = stage.repository('deploy');
  const issue = await issueIn(repo);
  const first = "/portico init apps/shop --description='The shop' --keywords=web,shop";
  const reply = await done(repo, issue, first, 'bob');
  expect(reply).toContain('is a draft of `apps/shop` on the branch `drafts/apps/shop/v1`.');
  const number = linked(reply);
  const opened = await repo.pull(number);
  expect(opened).toMatchObject({ draft: true, title: 'New package apps/shop', commits: 1 });
  expect(opened.body).toContain(`Requested by \`bob\` in #${issue}`);
  expect(opened.body).toContain('`/portico propose`');
  const head = 'drafts/apps/shop/v1';
  expect(await repo.read('apps/shop/Kptfile', head)).toContain('description: The shop');
  expect(await repo.read('apps/shop/package-context.yaml', head)).toContain('name: shop');

  // Several commands in one comment, each its commit.
  const several = [
    '/portico init apps/shop/cache',
    '/portico clone db@main apps/shop/db',
    '/portico eval set-labels:v0.2 tier=web',
    '/portico eval set-labels:v0.2 tier=web',
    '/portico delete apps/shop/cache',
    '/portico diff',
  ];
  const said = await done(repo, number, several.join('\n'), 'bob');
  expect(said).toContain('New subpackage apps/shop/cache: 3 files changed.');
  expect(said).toContain('Run set-labels:v0.2 on apps/shop: no changes.');
  expect(said).toContain('Remove subpackage apps/shop/cache: 3 files changed.');
  expect(said).toContain('the registered branch → the head');
  expect(await repo.read('apps/shop/cache/Kptfile', head)).toBeNull();
  expect(await repo.read('apps/shop/db/Kptfile', head)).toContain('directory: /db');
  expect(await repo.read('apps/shop/db/config.yaml', head)).toContain('tier: web');

  // Who had it made does not approve it.
  await done(repo, number, '/portico propose', 'bob');
  await refused(repo, number, { '/portico approve': 'Someone else must approve it.' }, 'bob');
  await refused(repo, issue, {
    '/portico init apps/shop --workspace=v1': `A draft \`drafts/apps/shop/v1\` already exists, in #${number}.`,
  });
});

test('a clone is locked to the commit behind the tag; content does not go where more people read it', async () => {
  const blueprints = stage.repository('blueprints');
  const deploy = stage.repository('deploy');
  const commit = await blueprints.head('main');
  await blueprints.tag('db/v1', commit);
  const issue = await issueIn(deploy);
  const number = linked(await done(deploy, issue, '/portico clone db apps/db'));
  const head = 'drafts/apps/db/v1';
  const cloned = await deploy.read('apps/db/Kptfile', head);
  expect(cloned).toContain(`repo: ${blueprints.url}\n    directory: /db\n    ref: db/v1\n`);
  expect(cloned).toContain(`ref: db/v1\n    commit: ${commit}\n`);
  expect(await deploy.read('apps/db/config.yaml', head)).toContain('# kpt-merge: /db');
  expect(await deploy.read('apps/db/package-context.yaml', head)).toContain('name: db');
  expect((await deploy.pull(number)).body).toContain('cloned from `acme/blueprints:db@v1`');

  const open = stage.repository('open');
  await refused(open, await issueIn(open), {
    '/portico clone acme/blueprints:db x': 'No repository `acme/blueprints` is registered with Portico',
  });
  const { where } = stage.repository('secret');
  await stage.as('alice').rest.repos.removeCollaborator({ ...where, username: 'bob' });
  const hidden = {
    '/portico clone acme/secret:vault@main x': 'No repository `acme/secret` is registered with Portico',
  };
  await refused(deploy, issue, hidden, 'bob');
  expect((await deploy.pulls()).map(({ head: { ref } }) => ref)).not.toContain('drafts/x/v1');

  // A Kptfile names what it likes: what the package was made from would be told where it conflicts.
  const secret = stage.repository('secret');
  const lock = ['vault', 'main', await secret.head('main')] as const;
  const forged = smallPackage('vault', { data: { color: 'mine' } });
  const Kptfile = locked(forged['Kptfile']!, secret.url, ...lock);
  await open.push('main', below('other', smallPackage('vault', { data: { color: 'theirs' } })));
  const branch = 'drafts/forged/one';
  await open.push(branch, below('forged', { ...forged, Kptfile }), { from: 'main' });
  await stage.idle();
  const { data: draft } = await open.create(branch, true);
  await refused(open, draft.number, {
    '/portico rebase acme/open:other@main':
      'is neither a registered repository that shares with this one and that you can read',
  });
});

longTest(
  'a rollback becomes the next revision and says so; what fails the guardrails is refused',
  async () => {
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
    await done(repo, number, '/portico publish', 'carol');
    expect(await repo.tagMessage('web/v4')).toContain('Restored-From: v1');
    expect(await repo.git('rev-parse', 'web/v4:web')).toBe(await repo.git('rev-parse', 'web/v1:web'));

    await refused(repo, issue, {
      '/portico rollback web@v4': 'already has the content of here v4',
      '/portico rollback web@v2': 'guardrail/colour',
    });

    // What was waived, and by whom, stands in the tag and in the release.
    const forced = linked(await done(repo, issue, '/portico rollback web@v2 --anyway', 'bob'));
    await done(repo, forced, '/portico propose', 'bob');
    await done(repo, forced, '/portico publish', 'carol');
    const said = await repo.tagMessage('web/v5');
    expect(said).toContain('Restored-From: v2\nWaived: colour bob\n');
    const release = await repo.release('web/v5');
    expect(release).toContain(said.trimEnd().split('\n\n').at(-1));
    expect(release).toContain(
      'Restored from `v2`. It fails these guardrails, which were waived: `colour` (by `bob`).',
    );

    // Somebody goes on from what came back: then it is other content, and does not say that it is v3.
    const changed = linked(await done(repo, issue, '/portico rollback web@v3', 'bob'));
    const files = { 'web/config.yaml': configMap('web', { color: 'blue', size: 'big' }) };
    const before = await repo.pull(changed);
    expect(before.body).toContain('Restores `web` to `v3`');
    await repo.push(before.head.ref, files);
    await stage.idle();
    const after = await repo.pull(changed);
    expect(after.title).toBe('Restore web to v3, changed since');
    expect(after.body).toContain('**Started from `v3`, changed since:**');
    expect(after.body).not.toContain('whose tag says');
    // As somebody takes that back, the promise holds again.
    const ref = `heads/${before.head.ref}`;
    await stage.as('alice').rest.git.updateRef({ ...repo.where, ref, sha: before.head.sha, force: true });
    await stage.idle();
    expect(await repo.pull(changed)).toMatchObject({ title: before.title, body: before.body });
    await repo.push(before.head.ref, files);
    await stage.idle();
    await done(repo, changed, '/portico propose', 'bob');
    await done(repo, changed, '/portico publish', 'carol');
    expect(await repo.tagMessage('web/v6')).not.toMatch(/Restored-From|Waived/);
  },
);

test('a form is a command; one that was interrupted goes on where it was', async () => {
  const repo = stage.repository('blueprints');
  const body =
    '### Path of the new package\n\nlate\n\n### Workspace\n\n_No response_\n\n### Description\n\nIt is late\n\n### Keywords\n\n_No response_';
  // The branch is pushed, then the forge does not take the pull request.
  let failures = 0;
  const { data: issue } = await stage.watching(
    ({ method, path }) => {
      if (method !== 'POST' || !path.endsWith('/pulls') || failures > 0) return;
      failures += 1;
      return 502;
    },
    async () => {
      const made = await stage.as('bob').rest.issues.create({ ...repo.where, title: 'New package', body });
      await stage.idle();
      return made;
    },
  );
  expect(failures).toBe(1);
  const pulls = (await repo.pulls('all')).filter(({ head }) => head.ref.startsWith('drafts/late'));
  expect(pulls).toMatchObject([{ commits: 1, draft: true }]);
  const answers = (await repo.comments(issue.number)).map(({ body: text }) => text);
  expect(answers).toEqual([expect.stringContaining("🚀 `/portico init late '--description=It is late'`")]);
});

longTest('what is refused where, and what is cloned by branch, commit and channel', async () => {
  const repo = stage.repository('deploy');
  const issue = await issueIn(repo);
  const blueprints = stage.repository('blueprints');
  const tagged = (await blueprints.tags()).get('db/v1')!;
  // A channel is a tag beside the revisions.
  await blueprints.tag('db/stable', tagged);
  await done(
    repo,
    issue,
    `/portico clone acme/blueprints:db@${tagged} by-commit\n/portico clone acme/blueprints/pg@main by-branch\n/portico clone db@stable by-channel`,
  );
  expect(await repo.read('by-channel/Kptfile', 'drafts/by-channel/v1')).toContain('ref: db/v1');
  expect(await repo.read('by-commit/Kptfile', 'drafts/by-commit/v1')).toContain(`ref: ${tagged}`);
  expect(await repo.read('by-branch/Kptfile', 'drafts/by-branch/v1')).toContain('ref: main');
  await refused(repo, issue, {
    '/portico init web/inner': 'inside the package `web`',
    '/portico init WEB': 'differ only in upper and lower case',
    '/portico init by-branch/v1/x --workspace=y': 'prevents',
    '/portico clone pg': 'has no published revision',
    '/portico clone db@v9 x': 'The newest is v1.',
    '/portico clone nothing@main x': 'has no package `nothing`',
    [`/portico clone db@${'0'.repeat(40)} x`]: 'has no revision',
    '/portico clone acme/nowhere:db x': 'No repository `acme/nowhere` is registered',
    '/portico clone https://example.com/a/b.git/c@v1 x': 'spec.upstreams.allow',
    '/portico rollback web@v9': 'has no revision `v9`',
    '/portico pause web': 'has neither an upstream nor sources',
    '/portico rebase acme/blueprints:pg@main --package=web': 'has no upstreamLock',
  });
  await refused(repo, issue, { '/portico init ok': 'role write or higher' }, 'rita');
  const number = (await repo.pulls()).find(({ head }) => head.ref === 'drafts/by-branch/v1')!.number;
  await refused(repo, number, { '/portico eval example.com/unknown:v1': 'unknown' });
});

longTest(
  'what fails the guardrails is brought back by somebody who may approve, until something else is pushed',
  async () => {
    const repo = stage.repository('guarded');
    const issue = await issueIn(repo);
    const forced = linked(await done(repo, issue, '/portico rollback web@v2 --anyway', 'bob'));
    const { head } = await repo.pull(forced);
    expect(await repo.sticky(forced)).toMatch(/\| `guardrail\/colour` \| .*red is forbidden.*, waived \|/);
    expect((await repo.pull(forced)).body).toContain('failed the guardrails when');
    expect((await repo.checksOf(forced)).get('guardrail/colour')).toMatchObject({ conclusion: 'neutral' });
    expect((await repo.checksOf(forced)).get('portico')).toMatchObject({ conclusion: 'success' });
    // Whatever else is pushed is judged again.
    await repo.push(head.ref, { 'web/more.yaml': configMap('more', {}) });
    await stage.idle();
    expect((await repo.checksOf(forced)).get('guardrail/colour')).toMatchObject({ conclusion: 'failure' });
  },
);

longTest('a copy of a revision, the branch as it is, and what lies between two revisions', async () => {
  const repo = stage.repository('guarded');
  const said = await done(
    repo,
    await issueIn(repo),
    '/portico copy web@3 --workspace=again\n/portico edit web --workspace=now\n/portico diff web v2..v3',
  );
  expect(said).toContain('`v2` → `v3`');
  expect(await repo.read('web/config.yaml', 'drafts/web/again')).toContain('blue');
  const now = (await repo.pulls()).find(({ head }) => head.ref === 'drafts/web/now')!;
  expect(now).toMatchObject({ draft: true, title: 'Edit web', changed_files: 0 });
});

longTest('a package moves onto another upstream; updates are paused and resumed', async () => {
  const blueprints = stage.repository('blueprints');
  const pg = {
    'pg/config.yaml': `# Theirs.\n${configMap('db', { color: 'black', size: 'big' })}`,
    'pg/extra.yaml': configMap('extra', {}),
  };
  await blueprints.tag('pg/v1', await blueprints.push('main', pg));
  const repo = stage.repository('moving');
  const issue = await issueIn(repo);
  const number = linked(await done(repo, issue, '/portico clone acme/blueprints:db@main mydb'));
  const branch = 'drafts/mydb/v1';
  const mine = (await repo.read('mydb/config.yaml', branch))!.replace('blue', 'pink');
  await repo.push(branch, { 'mydb/config.yaml': `# Mine.\n${mine}` });
  expect(await done(repo, number, '/portico rebase acme/blueprints:pg@v1')).toMatch(
    /1 conflict: .* The merge decided one thing automatically; see Portico's comment\./,
  );
  expect(await repo.sticky(number)).toContain(
    '- `mydb/config.yaml`: ConfigMap db: both sides changed the comment; the local one is kept, upstream says: # Theirs.',
  );
  expect(await repo.read('mydb/config.yaml', branch)).toMatch(/color: black\n {2}size: big/);
  expect(await repo.read('mydb/extra.yaml', branch)).toContain('# kpt-merge: /extra');
  expect(await repo.read('mydb/Kptfile', branch)).toContain('ref: pg/v1');
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({
    conclusion: 'action_required',
  });
  await done(repo, number, '/portico resolve all local');
  expect(await repo.read('mydb/config.yaml', branch)).toContain('color: pink');
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({ conclusion: 'success' });

  // The package goes to the registered branch by the button of a person.
  await done(repo, number, '/portico propose');
  await repo.merge(number);
  expect(await done(repo, issue, '/portico pause mydb\n/portico pause mydb')).toContain(
    'already paused, by `alice`',
  );
  const next = await blueprints.push('main', { 'pg/extra.yaml': configMap('extra', { a: 'b' }) });
  await blueprints.tag('pg/v2', next);
  await stage.idle();
  const titles = async (): Promise<string[]> => (await repo.pulls()).map(({ title }) => title);
  expect(await titles()).toEqual([]);
  expect(await done(repo, issue, '/portico resume mydb')).toContain('are resumed');
  expect(await titles()).toEqual(['Update mydb to upstream v2']);
});

longTest('of two who make the same draft at once, one does', async () => {
  const repo = stage.repository('moving');
  const [one, two] = [await issueIn(repo), await issueIn(repo)];
  const ids = await Promise.all([
    repo.say(one, '/portico init same'),
    repo.say(two, '/portico init same', 'bob'),
  ]);
  await stage.idle();
  const answers = [await repo.answerTo(one, ids[0]), await repo.answerTo(two, ids[1])];
  expect(new Set(answers.map(({ reaction }) => reaction))).toEqual(new Set(['confused', 'rocket']));
  expect((await repo.pulls()).filter(({ head }) => head.ref.startsWith('drafts/same/'))).toHaveLength(1);
});

longTest('an address that the base branch allows is read without credentials', async () => {
  const plain = stage.repository('plain');
  const repo = stage.repository('open');
  const spec = `branch: main\nupstreams: { allow: ["${plain.url.replace(/plain$/, '*')}"] }`;
  await repo.push('main', { '.github/portico.yaml': configuration('open', spec) });
  await stage.idle();
  const issue = await issueIn(repo);
  await plain.tag('db/v1', await plain.head('main'));
  await done(repo, issue, `/portico clone ${plain.url}.git/db@v1`);
  expect(await repo.read('db/Kptfile', 'drafts/db/v1')).toContain(`repo: ${plain.url}\n`);
  // A private one that Portico is not asked to know cannot be read there.
  await stage.as('alice').rest.repos.update({ ...plain.where, private: true });
  await refused(repo, issue, { [`/portico clone ${plain.url}.git/db@main unseen`]: 'could not be read' });
});

longTest('a change whose answer was lost is not made twice', async () => {
  const repo = stage.repository('blueprints');
  const { number } = (await repo.pulls()).find(({ head }) => head.ref === 'drafts/late/v1')!;
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

longTest('work that takes too long is cancelled without waiting for it', async () => {
  const repo = stage.repository('blueprints');
  const { number } = (await repo.pulls()).find(({ head }) => head.ref === 'drafts/late/v1')!;
  await refused(repo, number, { '/portico cancel': 'Portico is not working on' });
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let holding = false;
  await stage.watching(
    async ({ method, path }) => {
      if (holding || method !== 'POST' || !path.endsWith('/check-runs')) return;
      holding = true;
      begun.resolve();
      await held.promise;
    },
    async () => {
      await repo.push('drafts/late/v1', { 'late/config.yaml': configMap('late', {}) });
      await begun.promise;
      await done(repo, number, '/portico cancel');
      held.resolve();
    },
  );
  expect((await repo.checksOf(number)).get('portico')!.output.title).toBe('Cancelled by alice');
  await done(repo, number, '/portico render');
  expect((await repo.checksOf(number)).get('portico')).toMatchObject({ conclusion: 'action_required' });
});
