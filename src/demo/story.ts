/** The story: one change travels from a draft to every repository downstream. */
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { LocalPortico } from '../cli/local-portico.ts';
import { branchRuleset, tagRuleset } from '../config/ruleset.ts';
import { PorticoError } from '../error.ts';
import { revisionsText } from '../text/revision-text.ts';
import { as, DOWNSTREAMS, ORGANISATION, UPSTREAM } from './cast.ts';
import { changePackage } from './choose.ts';
import type { Narrator } from './narrator.ts';
import { checkout, commitAndPush, seedDownstream, seedUpstream } from './seed.ts';

export interface Plot {
  /** Folder with the packages to seed from. */
  readonly source: string;
  readonly packages: readonly string[];
  /** The package that is changed. */
  readonly hero: string;
  readonly own: boolean;
  /** Empty folder for the work trees. */
  readonly workspace: string;
}

/** Addresses that the story learns, because issues and pull requests share one series of numbers. */
export interface StoryPages {
  readonly dashboards: ReadonlyMap<string, string>;
  /** Number of the update that is still open, in the second downstream. */
  readonly openUpdate: number;
}

/** How many packages each downstream is made from. */
const CLONED = 3;

/** A first dashboard takes three seconds; a busy machine takes longer. */
const DASHBOARD_SECONDS = 120;

export async function tellStory(local: LocalPortico, narrator: Narrator, plot: Plot): Promise<StoryPages> {
  const { forge } = local;
  const alice = as('alice', forge.apiUrl);
  const bob = as('bob', forge.apiUrl);
  const here = { owner: ORGANISATION, repo: UPSTREAM };
  const page = (repo: string, path = ''): string => `${forge.url}/${ORGANISATION}/${repo}${path}`;
  const upstreamFolder = join(plot.workspace, UPSTREAM);
  const { hero } = plot;
  let number = 0;

  narrator.chapter('Three repositories');
  const git = await checkout(forge.gitUrl, UPSTREAM, 'alice', upstreamFolder);
  await narrator.step(
    `${UPSTREAM}: ${plot.packages.length} ${plot.packages.length === 1 ? 'package' : 'packages'}, each tagged v1`,
    async () => {
      await seedUpstream(git, upstreamFolder, plot.source, plot.packages);
      return page(UPSTREAM);
    },
  );
  const commit = (await git.revparse(['HEAD'])).trim();
  const cloned = [hero, ...plot.packages.filter((path) => path !== hero)].slice(0, CLONED);
  for (const name of DOWNSTREAMS) {
    await narrator.step(`${name}: made from ${cloned.join(', ')}`, async () => {
      const folder = join(plot.workspace, name);
      const downstream = await checkout(forge.gitUrl, name, 'bob', folder);
      const url = `${page(UPSTREAM)}.git`;
      await seedDownstream(downstream, folder, name, {
        folder: upstreamFolder,
        url,
        commit,
        packages: cloned,
      });
      await local.idle();
      return page(name);
    });
  }

  for (const name of [UPSTREAM, ...DOWNSTREAMS]) {
    await narrator.step(
      `${name}: rulesets require the check portico, and leave tags to the App`,
      async () => {
        const { id } = forge.app;
        for (const ruleset of [branchRuleset('main', id), tagRuleset(id)]) {
          await alice.request('POST /repos/{owner}/{repo}/rulesets', {
            owner: ORGANISATION,
            repo: name,
            ...ruleset,
          } as never);
        }
        return '';
      },
    );
  }

  const dashboards = new Map<string, string>();
  for (const name of [UPSTREAM, ...DOWNSTREAMS]) {
    await narrator.step(`${name}: Portico opens a dashboard`, async () => {
      const address = await dashboardOf(alice, name);
      dashboards.set(name, address);
      return address;
    });
  }

  narrator.chapter('A draft');
  const branch = `drafts/${hero}/second-revision`;
  await narrator.step(`Alice pushes ${branch}`, async () => {
    await git.checkoutLocalBranch(branch);
    const what = changePackage(upstreamFolder, hero, plot.own);
    await commitAndPush(git, `Change ${hero}`, branch);
    return what;
  });
  await narrator.step('Alice opens a draft pull request', async () => {
    const title = `${hero}: second revision`;
    const { data } = await alice.rest.pulls.create({
      ...here,
      title,
      head: branch,
      base: 'main',
      draft: true,
    });
    number = data.number;
    return page(UPSTREAM, `/pull/${number}`);
  });
  await narrator.step('Portico renders the package and reports its checks', async () => {
    await local.idle();
    const { data: pull } = await alice.rest.pulls.get({ ...here, pull_number: number });
    const { data } = await alice.rest.checks.listForRef({ ...here, ref: pull.head.sha });
    const aggregate = data.check_runs.find(({ name }) => name === 'portico');
    // Nothing is wrong with it: it only waits for an approval.
    expect(
      aggregate?.conclusion === 'action_required' &&
        aggregate.output.title?.startsWith('Needs 1 approval') === true,
      `the check is ${aggregate?.conclusion ?? 'missing'}: ${aggregate?.output.title ?? ''}`,
    );
    return `${data.check_runs.length} checks on ${pull.head.sha.slice(0, 7)}, ${pull.commits} commits`;
  });
  await narrator.step('One comment sums it up', async () => {
    const { data } = await alice.rest.issues.listComments({ ...here, issue_number: number });
    expect(
      data.filter(({ user }) => user?.type === 'Bot').length === 1,
      'there is not one comment by the bot',
    );
    return data[0]?.html_url ?? '';
  });

  narrator.chapter('A proposal');
  await narrator.step('Alice comments /portico propose', async () => {
    await say({ local, who: alice, repo: UPSTREAM, number, body: '/portico propose' });
    const { data } = await alice.rest.pulls.get({ ...here, pull_number: number });
    expect(data.draft !== true, 'the pull request is still a draft');
    return 'ready for review';
  });
  await narrator.step('Alice presses the merge button, and the ruleset refuses', async () => {
    const answer = await alice.rest.pulls
      .merge({ ...here, pull_number: number })
      .then(() => 'it was merged', String);
    expect(answer.includes('Required status check "portico"'), `no one has approved, and ${answer}`);
    return 'portico waits for an approval';
  });
  await narrator.step('Bob approves with a review', async () => {
    await bob.rest.pulls.createReview({
      ...here,
      pull_number: number,
      event: 'APPROVE',
      body: 'Looks right.',
    });
    await local.idle();
    const { data: pull } = await bob.rest.pulls.get({ ...here, pull_number: number });
    const { data } = await bob.rest.checks.listForRef({
      ...here,
      ref: pull.head.sha,
      check_name: 'portico/approval',
    });
    const [approval] = data.check_runs;
    expect(approval?.conclusion === 'success', `the check is ${approval?.conclusion ?? 'missing'}`);
    return approval?.output.title ?? '';
  });

  narrator.chapter('Published');
  await narrator.step('Alice comments /portico publish', async () => {
    await say({ local, who: alice, repo: UPSTREAM, number, body: '/portico publish' });
    const { data } = await alice.rest.pulls.get({ ...here, pull_number: number });
    expect(data.merged, 'the pull request was not merged');
    return `merged as ${data.merge_commit_sha?.slice(0, 7) ?? ''}`;
  });
  await narrator.step(`${UPSTREAM}: ${hero}@v2 is tagged and released`, async () => {
    await alice.rest.git.getRef({ ...here, ref: `tags/${hero}/v2` });
    const { data } = await alice.rest.repos.getReleaseByTag({ ...here, tag: `${hero}/v2` });
    return data.html_url;
  });

  narrator.chapter('Downstream');
  let openUpdate = 0;
  for (const name of DOWNSTREAMS) {
    await narrator.step(`${name} gets an update pull request`, async () => {
      const { data } = await bob.rest.pulls.list({ owner: ORGANISATION, repo: name, state: 'open' });
      const [update] = data.filter(({ title }) => title.includes(hero) && title.includes('v2'));
      expect(update !== undefined && data.length === 1, `there are ${data.length} open pull requests`);
      openUpdate = update?.number ?? 0;
      return page(name, `/pull/${openUpdate}`);
    });
  }
  const [first] = DOWNSTREAMS;
  await narrator.step(`Bob approves the update of ${first} by comment, and Alice publishes it`, async () => {
    const there = { owner: ORGANISATION, repo: first };
    const { data } = await bob.rest.pulls.list({ ...there, state: 'open' });
    const update = data[0]?.number ?? 0;
    await say({ local, who: bob, repo: first, number: update, body: '/portico approve' });
    await say({ local, who: alice, repo: first, number: update, body: '/portico publish' });
    const { data: tags } = await bob.rest.git.listMatchingRefs({ ...there, ref: `tags/${hero}/` });
    expect(tags.length === 1, `there are ${tags.length} tags`);
    const here = tags[0]?.ref.split('/').at(-1) ?? '';
    return `${first}: ${revisionsText({ path: hero, upstream: { from: 'v1', to: 'v2' }, here: { to: here } })}`;
  });
  return { dashboards, openUpdate };
}

/** Waits for the dashboard: `local.idle()` does not, because dashboards collect changes before they are written. */
async function dashboardOf(who: ReturnType<typeof as>, repo: string): Promise<string> {
  const end = Date.now() + DASHBOARD_SECONDS * 1000;
  while (Date.now() < end) {
    const { data } = await who.rest.issues.listForRepo({ owner: ORGANISATION, repo });
    const dashboard = data.find(({ user, pull_request }) => user?.type === 'Bot' && !pull_request);
    if (dashboard !== undefined) return dashboard.html_url;
    await pause(200);
  }
  throw new PorticoError('DEMO_STEP', `${repo} has no dashboard after ${DASHBOARD_SECONDS} s`, {
    blame: 'bug',
  });
}

/** Comments a command and waits for what comes of it; a refusal ends the story with the bot's words. */
async function say({
  local,
  who,
  repo,
  number,
  body,
}: {
  readonly local: LocalPortico;
  readonly who: ReturnType<typeof as>;
  readonly repo: string;
  readonly number: number;
  readonly body: string;
}): Promise<void> {
  const there = { owner: ORGANISATION, repo };
  const { data: comment } = await who.rest.issues.createComment({ ...there, issue_number: number, body });
  await local.idle();
  const { data: reactions } = await who.rest.reactions.listForIssueComment({
    ...there,
    comment_id: comment.id,
  });
  if (reactions.some(({ content }) => content === 'rocket')) return;
  const { data: comments } = await who.rest.issues.listComments({ ...there, issue_number: number });
  const reply = comments.findLast(({ user }) => user?.type === 'Bot');
  throw new PorticoError('DEMO_REFUSED', `${body} was not carried out: ${reply?.body ?? 'no answer'}`, {
    blame: 'user',
  });
}

function expect(held: boolean, otherwise: string): void {
  if (!held) throw new PorticoError('DEMO_STEP', otherwise, { blame: 'bug' });
}
