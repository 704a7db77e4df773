import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { argoObjects, fluxObjects } from '../../../src/demo/clusters.ts';
import { below, configuration, locked } from '../../e2e/packages.ts';
import { longTest, STORIES } from '../../long-test.ts';
import { done } from '../command/commanded.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const DATA = { color: 'blue', size: 'small', shape: 'round' };
const PACKAGE = smallPackage('web', { data: DATA });
const data = (changes: Record<string, string>): string => configMap('web', { ...DATA, ...changes });

const says = (sharing: string): Record<string, string> => ({
  '.github/portico.yaml': configuration('shared', `branch: main\n${sharing}`),
});

const follow = (spec: string): { spec: string } => ({
  spec: `branch: main\ndeployment: true\nupdates: ${spec}`,
});

const CI = {
  '.github/workflows/ci.yaml': 'on: [push, pull_request]\njobs: { lint: {} }\n',
};

/** Others are at work in some of the repositories, where there is time for it. */
const othersIn = (name: string): Record<string, string> =>
  !STORIES
    ? {}
    : name === 'local'
      ? { ...CI, ...fluxObjects({ repository: 'acme/local', folder: 'shop' }) }
      : { ...CI, ...argoObjects({ repository: `acme/${name}`, folder: 'shop' }) };

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: { ...below('web', PACKAGE), ...(STORIES && CI) } },
      local: follow('{ follow: latest }'),
      twice: follow('{ follow: latest }'),
      conflict: follow('{ follow: latest }'),
      closed: follow('{ follow: latest }'),
      none: follow('{ follow: none }'),
      pin: follow('{ follow: v2 }'),
      few: follow('{ follow: latest, maxOpen: 1 }'),
      open: { ...follow('{ follow: latest }'), private: false },
      object: follow('{ follow: latest }'),
      foreign: { ...follow('{ follow: latest }'), owner: 'globex' },
    },
    { shares: true },
  );
  const up = stage.repository('up');
  await up.publish('v1', { 'web/config.yaml': data({ color: 'first' }) });
  const at = (await up.tags()).get('web/v1')!;
  const clone = (color = 'first', lock = at, directory = 'web'): Record<string, string> => ({
    ...PACKAGE,
    'config.yaml': data({ color, size: 'large' }),
    Kptfile: locked(PACKAGE['Kptfile']!, up.url, directory, 'web/v1', lock),
  });
  const seed = (name: string, files: Record<string, string>): Promise<string> =>
    stage.repository(name).push('main', files);
  await seed('local', { ...below('shop', clone('first', at, '/web')), ...othersIn('local') });
  await seed('twice', { ...below('shop', clone()), ...othersIn('twice') });
  await seed('conflict', below('shop', clone('mine')));
  await seed('closed', below('shop', clone()));
  await seed('none', below('shop', clone()));
  await seed('pin', below('shop', clone()));
  await seed('few', { ...below('one', clone()), ...below('two', clone()) });
  await seed('open', below('shop', clone()));
  await seed('foreign', below('shop', clone()));
  await seed('object', below('shop', clone('first', await up.git('rev-parse', 'refs/tags/web/v1'))));
  await stage.idle();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function onlyPull(repo: StageRepository): Promise<Awaited<ReturnType<StageRepository['pull']>>> {
  const pulls = await repo.pulls();
  expect(pulls.map(({ title }) => title)).toHaveLength(1);
  return pulls[0]!;
}

test('nothing is due while everybody has the newest', async () => {
  for (const name of ['local', 'twice', 'conflict', 'few', 'object'])
    expect(await stage.repository(name).pulls('all')).toEqual([]);
});

describe('after v2', () => {
  beforeAll(async () => {
    await stage.repository('up').publish('v2', { 'web/config.yaml': data({ color: 'second' }) });
  });

  test('one update pull request, merged three-way: the local change is kept, the lock follows', async () => {
    const repo = stage.repository('local');
    const pull = await onlyPull(repo);
    expect(pull.title).toBe('Update shop to upstream v2');
    expect(await repo.read('shop/Kptfile', pull.head.sha)).toMatch(
      /directory: \/web\n {4}ref: web\/v2\n[^]*directory: \/web\n {4}ref: web\/v2\n/,
    );
    const body = pull.body!;
    expect(body).toMatch(/- `v2` at `[0-9a-f]{12}`, proposal `#\d+`, approved by `bob`/);
    // What it does comes first, ids of commits last.
    const order = [
      /^Updates `shop`: upstream `v1` → `v2` of `acme\/up:web`\. \[Release `v2`\]\(\S+\/releases\/tag\/web\/v2\) · \[what changed upstream\]\(\S+\/compare\/web\/v1\.\.\.web\/v2\)/m,
      /^After the merge, `shop`: upstream `v2`, here `v1`\.$/m,
      /^What this changes is in Portico's comment below, which follows the branch\.$/m,
      /^\*\*Local changes that are kept:\*\*\n\n- `ConfigMap web`: `data\.size: large` \(upstream: `small`\)$/m,
      /<summary>Revisions included<\/summary>/,
      /^Commits that you push to this branch are kept\./m,
      /<sub>`acme\/up:web` `v1` `[0-9a-f]{12}` → `v2` `[0-9a-f]{12}`<\/sub>$/,
    ].map((part) => body.search(part));
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    const comment = await repo.sticky(pull.number);
    expect(comment).toMatch(
      /^\| `shop` \| upstream `v1` → `v2`, here `v1` \| 1 changed; 1 package file changed \|/m,
    );
    expect(comment).toMatch(
      /<details open><summary>What changes in <code>shop<\/code><\/summary>\n\n1 resource changed; 1 package file changed\.\n[^]*- data\.color: first\n *\+ data\.color: second$/m,
    );
    const text = await repo.read('shop/config.yaml', pull.head.sha);
    expect(text).toBe(data({ color: 'second', size: 'large' }));
    const kptfile = await repo.read('shop/Kptfile', pull.head.sha);
    expect(kptfile).toContain('ref: web/v2');
    expect(kptfile).toContain(`commit: ${(await stage.repository('up').tags()).get('web/v2')}`);
    expect((await repo.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
    expect(pull.user?.login).toBe('portico[bot]');
  });

  test('a lock with the id of the tag object, as kpt writes it, is peeled', async () => {
    const repo = stage.repository('object');
    const pull = await onlyPull(repo);
    expect(await repo.read('shop/config.yaml', pull.head.sha)).toBe(data({ color: 'second', size: 'large' }));
    expect(pull.body).toContain('upstream `v1` → `v2`');
  });

  test('looking again writes nothing (54)', async () => {
    expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
  });

  test('at most so many are open; the next one comes when one is merged', async () => {
    const repo = stage.repository('few');
    const pull = await onlyPull(repo);
    await repo.merge(pull.number);
    // What it became, and no advice of what is past.
    const path = pull.title.split(' ')[1]!;
    const merged = (await repo.pull(pull.number)).body!;
    expect(merged).toMatch(
      new RegExp(`\\*\\*Merged and published here\\*\\* as \\[\`${path}@v1\`\\]\\(\\S+\\)\\.`),
    );
    expect(merged).not.toMatch(/After the merge|close the pull request/);
    // Nobody follows it.
    await stage.downstream('few', path);
    const comment = await repo.sticky(pull.number);
    expect(comment).toContain(`### Published \`${path}@v1\``);
    expect(comment).not.toMatch(/Next|Downstream/);
    const next = await onlyPull(repo);
    expect([pull.title, next.title].toSorted()).toEqual([
      'Update one to upstream v2',
      'Update two to upstream v2',
    ]);
  });

  test('follow: none waits for a command; in an issue it can be asked for', async () => {
    const repo = stage.repository('none');
    expect(await repo.pulls('all')).toEqual([]);
    const { data: issue } = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Please' });
    expect((await repo.command(issue.number, '/portico update')).reaction).toBe('rocket');
    expect((await onlyPull(repo)).title).toBe('Update shop to upstream v2');
  });

  test('private content does not flow into a public repository, and its name is not told there (56)', async () => {
    const repo = stage.repository('open');
    expect(await repo.pulls('all')).toEqual([]);
    const { data: issue } = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Please' });
    for (const command of ['/portico update', '/portico update v9', '/portico update shop@v1']) {
      const { reaction, reply } = await repo.command(issue.number, command);
      expect(reaction).toBe('confused');
      expect(reply).not.toMatch(/acme\/up|v2/);
    }
    await stage.look('open');
    expect(await repo.pulls('all')).toEqual([]);
    const refs = await repo.git('for-each-ref', '--format=%(refname)');
    expect(refs.split('\n').filter((ref) => ref.includes('portico/update'))).toEqual([]);
  });

  test('nor into a private one of another owner, who only has to write the name of ours into a lock (56)', async () => {
    const repo = stage.repository('foreign');
    const { data: issue } = await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Please' });
    const { reaction, reply } = await repo.command(issue.number, '/portico update v2');
    expect(reaction).toBe('confused');
    expect(reply).not.toContain('acme/up');
    await stage.look('foreign');
    await stage.dashboard('foreign');
    expect(await repo.pulls('all')).toEqual([]);
    expect(await repo.git('for-each-ref', 'refs/heads/portico')).toBe('');
  });

  longTest('unless the base branches of both name each other, and as long as they do', async () => {
    const [up, repo] = [stage.repository('up'), stage.repository('foreign')];
    const openNow = async (): Promise<string[]> => {
      await stage.look('foreign');
      return (await repo.pulls()).map(({ title }) => title);
    };
    await repo.push('main', says('sharing: { from: [acme/*] }'));
    expect(await openNow()).toEqual([]);
    await up.push('main', says('sharing: { to: [globex/elsewhere, Globex/Foreign] }'));
    expect(await openNow()).toEqual(['Update shop to upstream v2']);
    expect((await repo.pulls())[0]!.body).toContain('acme/up');
    await up.push('main', says('sharing: { to: [globex/elsewhere] }'));
    expect(await openNow()).toEqual([]);
    await up.push('main', says(''));
  });

  test('closed means: not this revision', async () => {
    const repo = stage.repository('closed');
    const pull = await onlyPull(repo);
    const close = (state: 'open' | 'closed'): Promise<unknown> =>
      stage.as('alice').rest.pulls.update({ ...repo.where, pull_number: pull.number, state });
    const told = async (): Promise<readonly [string, string]> => {
      await stage.idle();
      return [(await repo.pull(pull.number)).body!, await repo.sticky(pull.number)];
    };
    const before = await told();
    await done(repo, pull.number, '/portico pause shop', 'bob');
    expect((await told())[0]).toContain('**Paused** by `bob`');
    await done(repo, pull.number, '/portico resume shop', 'bob');
    expect(await told()).toEqual(before);
    await close('closed');
    const [body, comment] = await told();
    expect(body).toContain('**Closed**: upstream `v2` of `shop` will not be proposed again.');
    expect(body).not.toMatch(/After the merge|close the pull request/);
    expect(comment).toContain('### Closed without merging');
    expect(comment).toContain('Reopen the pull request to continue.');
    expect(comment).not.toContain('Next');
    await close('open');
    expect(await told()).toEqual(before);
    await close('closed');
    await stage.idle();
    await stage.look('closed');
    expect(await repo.pulls()).toEqual([]);
  });

  test('closed because its branch was moved to the base branch: the update is proposed again', async () => {
    const repo = stage.repository('object');
    const { number, head, base } = await onlyPull(repo);
    const ref = `heads/${head.ref}`;
    await stage.as('alice').rest.git.updateRef({ ...repo.where, ref, sha: base.sha, force: true });
    await stage.idle();
    expect((await repo.pull(number)).state).toBe('closed');
    await stage.look('object');
    expect((await onlyPull(repo)).number).not.toBe(number);
    const { body } = await repo.pull(number);
    expect(body).toContain('proposes it again in a new pull request');
    expect(body).not.toContain('will not be proposed again');
    expect(await repo.sticky(number)).not.toContain('Reopen');
  });

  test('a publication says where it went, as far as its readers may know', async () => {
    const up = stage.repository('up');
    const [published] = (await up.pulls('closed')).filter(({ head }) => head.ref === 'v2');
    expect(await up.sticky(published!.number)).toContain('### Published `web@v2`');
    await stage.downstream('up', 'web');
    const comment = await up.sticky(published!.number);
    const rows = comment.split('\n').flatMap((line) => {
      const [, name, link, state] = /^\| `(acme\/\S+|globex\/\S+)` \| (\S*) \| (.+) \|$/.exec(line) ?? [];
      // Which of the two came first is told above.
      const called = name?.replace(/few:(?:one|two)$/, 'few');
      return called === undefined ? [] : [`${called} ${link === '' ? '-' : 'linked'} ${state}`];
    });
    expect(comment).toContain('**Downstream of `web@v2`:** 1 of 9 merged, 7 open, 1 waiting.');
    expect(rows).toEqual([
      'acme/conflict:shop linked open',
      'acme/few linked open',
      'acme/local:shop linked open',
      'acme/none:shop linked open',
      'acme/object:shop linked open',
      'acme/pin:shop linked open',
      'acme/twice:shop linked open',
      'acme/closed:shop - waiting (`declined`)',
      'acme/few linked merged',
    ]);
    const { number, html_url: page } = (await stage.repository('local').pulls())[0]!;
    expect(comment).toContain(`[#${number}](${page})`);
    const release = await up.release('web/v2');
    expect(release).toContain(
      comment.slice(comment.indexOf('**Downstream'), comment.indexOf('<!-- portico:part end')).trim(),
    );
    expect(await stage.writesOf(() => stage.downstream('up', 'web'))).toEqual([]);
    const plan = await up.command(published!.number, '/portico plan web', 'rita');
    expect(plan.reply).toContain(
      '| `acme/open:shop` | `web` | `latest` | upstream `v1` | upstream `v2` | step 1 of 1: v1 → v2. |',
    );
    // Nor is it counted who may not be known here.
    expect(plan.reply).not.toMatch(/globex|not shown/);
  });

  test('a conflict: upstream stands, it is listed and fails until a person settles it', async () => {
    const repo = stage.repository('conflict');
    const pull = await onlyPull(repo);
    expect(await repo.read('shop/config.yaml', pull.head.sha)).toBe(data({ color: 'second', size: 'large' }));
    expect(pull.body).toContain('**1 conflict:**');
    expect(pull.body).toContain('`ConfigMap/web data.color`');
    const before = (await repo.checksOf(pull.number)).get('portico/conflicts');
    expect(before?.conclusion).toBe('action_required');
    expect(before?.output.annotations_count).toBe(1);
    const board = async (): Promise<string> => {
      await stage.dashboard('conflict');
      const { data: issues } = await stage.as('alice').rest.issues.listForRepo(repo.where);
      return issues.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
    };
    expect(await board()).toContain(`| #${pull.number}, **open conflicts** |`);
    expect(await repo.command(pull.number, '/portico propose')).toMatchObject({ reaction: 'confused' });

    const words = pull.body!.replace(/<!-- portico:conflicts .* -->/, '');
    await stage.as('bob').rest.pulls.update({ ...repo.where, pull_number: pull.number, body: words });
    await stage.idle();
    const lost = (await repo.checksOf(pull.number)).get('portico/conflicts');
    expect(lost).toMatchObject({
      conclusion: 'failure',
      output: { title: 'The list of conflicts is missing' },
    });
    await stage.look('conflict');
    expect((await repo.pull(pull.number)).body).toBe(pull.body);
    expect((await repo.checksOf(pull.number)).get('portico/conflicts')?.output.title).toBe(
      'Open: ConfigMap/web data.color',
    );

    await repo.push(pull.head.ref, { 'shop/config.yaml': data({ color: 'ours', size: 'large' }) });
    await stage.idle();
    expect((await repo.checksOf(pull.number)).get('portico/conflicts')?.conclusion).toBe('success');
    expect(await board()).toContain(`| #${pull.number} |`);
    expect((await repo.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
    const settled = (await repo.pull(pull.number)).body!;
    expect(settled).toContain('**The only conflict is settled.**');
    expect(settled).not.toContain('`ConfigMap/web data.color`');
  });
});

describe('after v3, before v2 is approved', () => {
  let human: string;
  let number: number;

  beforeAll(async () => {
    const repo = stage.repository('twice');
    const pull = await onlyPull(repo);
    ({ number } = pull);
    human = await repo.push(
      pull.head.ref,
      {
        'shop/config.yaml': `# By hand.\n${data({ color: 'second', size: 'huge' })}`,
        'shop/notes.md': 'by hand\n',
      },
      { as: 'bob' },
    );
    await stage.idle();
    await stage
      .repository('up')
      .publish('v3', { 'web/config.yaml': `# Third.\n${data({ color: 'third' })}` });
  });

  test('the same pull request; the commit of a person is kept as it is', async () => {
    const repo = stage.repository('twice');
    const pull = await onlyPull(repo);
    expect(pull.number).toBe(number);
    expect(pull.title).toBe('Update shop to upstream v3');
    expect((await repo.git('merge-base', human, pull.head.sha)).trim()).toBe(human);
    expect(await repo.read('shop/config.yaml', pull.head.sha)).toBe(
      `# By hand.\n${data({ color: 'third', size: 'huge' })}`,
    );
    expect(pull.body).toContain(
      '- `config.yaml`: ConfigMap web: both sides changed the comment; the local one is kept, upstream says: # Third.',
    );
    expect(await repo.read('shop/notes.md', pull.head.sha)).toBe('by hand\n');
    expect(await repo.read('shop/Kptfile', pull.head.sha)).toContain('ref: web/v3');
    expect((await repo.checksOf(number)).get('portico')?.conclusion).toBe('action_required');
    const told = (await repo.comments(number)).filter(({ body }) => body?.includes('portico:retargeted'));
    expect(told.map(({ body }) => body)).toEqual([expect.stringContaining('now brings upstream `v3`')]);
    // The upstream's release, which is quoted here, names others.
    expect(pull.body).not.toContain('acme/few');
    const up = stage.repository('up');
    const [before] = (await up.pulls('closed')).filter(({ head }) => head.ref === 'v2');
    await stage.downstream('up', 'web');
    expect(await up.sticky(before!.number)).toContain(
      '**Downstream of `web@v2`:** the updates now bring `v3`.',
    );
    expect(await up.release('web/v2')).not.toContain('acme/few');
  });

  test('a declined revision is past: the next one is offered', async () => {
    const repo = stage.repository('closed');
    const pull = await onlyPull(repo);
    expect(pull.title).toBe('Update shop to upstream v3');
    expect(await repo.pulls('all')).toHaveLength(2);
  });

  test('a pin stays where it is', async () => {
    const repo = stage.repository('pin');
    const pull = await onlyPull(repo);
    expect(pull.title).toBe('Update shop to upstream v2');
    await repo.merge(pull.number);
    await stage.look('pin');
    expect(await repo.pulls()).toEqual([]);
  });

  test('where it meets what a person committed it stops, and says so on the pull request', async () => {
    const repo = stage.repository('conflict');
    const pull = await onlyPull(repo);
    expect(pull.title).toBe('Update shop to upstream v2');
    expect(await repo.read('shop/config.yaml', pull.head.sha)).toContain('color: ours');
    const told = (await repo.comments(pull.number)).filter(({ body }) =>
      body?.startsWith('<!-- portico:update -->'),
    );
    expect(told.map(({ body }) => body)).toEqual([
      expect.stringMatching(/^[^]*A newer revision was not added\.[^]*Publish or close this pull request/),
    ]);
    expect(pull.body).not.toContain('**Local changes');
    expect((await repo.checksOf(pull.number)).get('portico/conflicts')?.conclusion).toBe('success');
  });

  longTest('what was settled stays settled when the next update leaves it alone', async () => {
    const repo = stage.repository('conflict');
    const pull = await onlyPull(repo);
    await repo.push(pull.head.ref, { 'shop/config.yaml': data({ color: 'second', size: 'large' }) });
    await stage.look('conflict');
    const update = await repo.pull(pull.number);
    expect(update.title).toBe('Update shop to upstream v3');
    expect((await repo.checksOf(pull.number)).get('portico/conflicts')?.conclusion).toBe('action_required');
    const told = (await repo.comments(pull.number)).find(({ body }) =>
      body?.startsWith('<!-- portico:update -->'),
    );
    expect(told?.body).toContain('`shop` is updated to upstream `v3`.');
    expect(update.body).toContain('**Local changes');
    await repo.review(pull.number, 'APPROVE', undefined, 'carol');
    const resolved = await repo.command(pull.number, '/portico resolve local');
    expect(resolved.reaction).toBe('rocket');
    expect(resolved.reply).toContain(
      'It needs a new approval: the approval of `carol` was for the content before',
    );
    expect((await repo.pull(pull.number)).body).not.toContain('**Local changes');
    expect((await repo.checksOf(pull.number)).get('portico/conflicts')?.conclusion).toBe('success');
    await repo.push('main', { 'shop/more.yaml': configMap('more', { a: 'b' }) });
    await stage.idle();
    const refreshed = await repo.pull(pull.number);
    expect(await repo.read('shop/config.yaml', refreshed.head.sha)).toContain('color: mine');
    expect(await repo.read('shop/more.yaml', refreshed.head.sha)).toBe(configMap('more', { a: 'b' }));
    expect((await repo.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
  });

  test('merged: the lock is the new revision, and nothing is due', async () => {
    const repo = stage.repository('twice');
    await repo.merge(number);
    expect(await repo.pulls()).toEqual([]);
    expect(await repo.read('shop/Kptfile')).toContain('ref: web/v3');
    expect([...(await repo.tags()).keys()]).toEqual(['shop/v1']);
    expect(await stage.writesOf(() => stage.look('twice'))).toEqual([]);
  });

  longTest(
    'made public, a repository with an open update from a private one: the update is closed (57)',
    async () => {
      const repo = stage.repository('local');
      const pull = await onlyPull(repo);
      await stage.as('alice').rest.repos.update({ ...repo.where, private: false });
      await stage.idle();
      expect((await repo.pull(pull.number)).state).toBe('closed');
      const said = (await repo.comments(pull.number)).map(({ body }) => body).join('\n');
      expect(said).toContain('**Closed.** Updates from its upstream are blocked');
      expect(said).not.toContain('acme/up');
    },
  );
});
