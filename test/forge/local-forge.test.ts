import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Octokit } from '@octokit/rest';
import type { LocalForge } from '@portico/localforge';
import { startForge } from '@portico/localforge';
import { ACTIONS_APP } from '@portico/localforge/actors/apps';
import { beginRun, concludeRun } from '@portico/localforge/actors/check-app';
import type { HttpExchange } from '@portico/localforge/exchanges';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { forgeCalls } from '../../scripts/forge-calls.ts';
import type { Forge } from '../../src/forge/forge-api.ts';
import type { ForgeCall, Installation } from '../../src/forge/forge-types.ts';
import { connectForge } from '../../src/forge/forge.ts';
import type { Mirror } from '../../src/git/mirror-types.ts';
import { openMirror } from '../../src/git/mirror.ts';
import type { Forge as RepositoryForge } from '../../src/reconcile/forge/forge.ts';
import type { RepositoryFacts } from '../../src/reconcile/forge/repository.ts';
import { judgeForEnterprise, versions } from '../contract/enterprise.ts';

const BOT = { name: 'Portico', email: 'portico@example.com' };
const MARKER = '<!-- portico:summary -->';

let scratch: string;
let local: LocalForge;
let forge: Forge;
let installation: Installation;
let known: RepositoryFacts;
let repository: RepositoryForge;
let mirror: Mirror;
let alice: Octokit;
const calls: ForgeCall[] = [];
const exchanges: HttpExchange[] = [];

const where = { owner: 'acme', repo: 'blueprints' };
const text = (value: string) => ({ mode: '100644' as const, bytes: new TextEncoder().encode(value) });

/** Calls since then, as `METHOD status`. */
const written = (from: number): string[] =>
  calls
    .slice(from)
    .filter((call) => call.method !== 'GET' && !call.route.endsWith('/access_tokens'))
    .map((call) => `${call.method} ${call.route}`);

/** Commits files on top of a branch of the mirror and pushes them. */
async function push(
  branch: string,
  from: string | null,
  files: Readonly<Record<string, string>>,
): Promise<string> {
  const tree = await mirror.writeTree(
    from,
    new Map(Object.entries(files).map(([path, value]) => [path, text(value)])),
  );
  const commit = await mirror.commitTree({
    tree,
    parents: from === null ? [] : [from],
    message: `Change ${branch}\n`,
    committer: BOT,
  });
  const ref = `refs/heads/${branch}`;
  const result = await mirror.push([
    { ref, to: commit, expect: (await mirror.refs()).get(ref)?.oid ?? null },
  ]);
  expect(result).toMatchObject({ ok: true });
  return commit;
}

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'portico-forge-'));
  local = await startForge({
    dataDir: join(scratch, 'data'),
    manifestFile: 'app.yml',
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      users: [{ login: 'alice' }, { login: 'bob' }, { login: 'eve' }],
      orgs: [
        {
          login: 'acme',
          members: { alice: 'admin', bob: 'member' },
          teams: [{ slug: 'platform', members: ['alice'] }],
        },
      ],
      repos: [
        { owner: 'acme', name: 'blueprints', private: true, collaborators: { bob: 'read' } },
        { owner: 'acme', name: 'other', private: true },
      ],
      app: { installations: [{ account: 'acme', repositories: 'all' }] },
    },
  });
  forge = connectForge({
    appId: local.app.id,
    privateKey: local.app.privateKeyPem,
    baseUrl: local.apiUrl,
    backoffMs: 20,
    onCall: (call) => calls.push(call),
  });
  const found = await forge.repositoryInstallation('acme', 'blueprints');
  installation = found!;
  known = (await forge.repositories(installation.id)).find((one) => one.name === 'blueprints')!;
  repository = forge.repository(installation.id, known);
  mirror = await openMirror({
    dir: join(scratch, 'mirror'),
    url: `${local.gitUrl}/acme/blueprints.git`,
    protocols: ['http'],
    token: (refused) =>
      refused === undefined
        ? forge.tokenFor(installation.id, known.id)
        : forge.tokenAfter(refused, installation.id, known.id),
  });
  alice = new Octokit({ baseUrl: local.apiUrl, auth: 'alice-token' });
  local.onExchange((exchange) => exchanges.push(exchange));
});

afterAll(async () => {
  await mirror[Symbol.asyncDispose]();
  await local.close();
  await rm(scratch, { recursive: true, force: true });
});

describe('against the local forge', () => {
  test('the App knows itself, its installations and its repositories', async () => {
    expect(await forge.app()).toMatchObject({ id: local.app.id, slug: 'portico', botLogin: 'portico[bot]' });
    expect((await forge.installations()).map((one) => one.account)).toEqual(['acme']);
    expect((await forge.repositories(installation.id)).map((one) => one.fullName).sort()).toEqual([
      'acme/blueprints',
      'acme/other',
    ]);
    expect(await forge.repositoryInstallation('nobody', 'nothing')).toBeNull();
    expect(await repository.get()).toMatchObject({
      id: known.id,
      defaultBranch: 'main',
      visibility: 'private',
    });
  });

  test('a token is for one repository', async () => {
    const key = { id: known.id, owner: 'acme', name: 'other' };
    await expect(forge.repository(installation.id, key).get()).rejects.toMatchObject({
      code: expect.stringMatching(/FORGE_(?:FORBIDDEN|NOT_FOUND)/),
    });
    const opening = openMirror({
      dir: join(scratch, 'wrong'),
      url: `${local.gitUrl}/acme/other.git`,
      protocols: ['http'],
      token: () => forge.tokenFor(installation.id, known.id),
    });
    await expect(opening).rejects.toMatchObject({ code: expect.stringMatching(/GIT_(?:AUTH|NOT_FOUND)/) });
  });

  test('permissions are those of the moment', async () => {
    expect(await repository.permission('alice')).toBe('admin');
    expect(await repository.permission('bob')).toBe('read');
    expect(await repository.permission('nobody-at-all')).toBe('none');
    expect(await forge.accountId(installation.id, 'nobody-at-all')).toBeNull();
    expect(await repository.teamMember('acme', 'platform', 'alice')).toBe(true);
    expect(await repository.teamMember('acme', 'platform', 'bob')).toBe(false);
  });

  test('from a draft to a release', async () => {
    const main = await push('main', null, { 'app/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\n' });
    const head = await push('drafts/app/next', main, { 'app/cm.yaml': 'kind: ConfigMap\n' });

    // The pull request: made once, drafted and made ready.
    const wanted = { title: 'Next', body: 'Why', head: 'drafts/app/next', base: 'main' };
    const { created, pull } = await repository.createPull(wanted);
    expect(created).toBe(true);
    expect(await repository.createPull(wanted)).toMatchObject({
      created: false,
      pull: { number: pull.number },
    });
    await repository.convertToDraft(pull.nodeId);
    expect(await repository.getPull(pull.number)).toMatchObject({ draft: true });
    await repository.markReady(pull.nodeId);
    await expect
      .poll(() => repository.getPull(pull.number))
      .toMatchObject({
        draft: false,
        mergeable: true,
        headSha: head,
        author: 'portico[bot]',
      });
    expect((await repository.listOpenPulls()).map((one) => one.number)).toEqual([pull.number]);
    expect((await repository.pullsForHead({ branch: 'drafts/app/next' })).map((one) => one.number)).toEqual([
      pull.number,
    ]);

    // Checks: made, left alone, with many annotations.
    const check = {
      name: 'portico/render',
      headSha: head,
      externalId: 'x',
      status: 'completed' as const,
      title: 'Rendered',
      summary: 'Fine.',
    };
    expect(await repository.putCheck({ ...check, conclusion: 'success' })).toMatchObject({
      written: 'created',
    });
    let before = calls.length;
    expect(await repository.putCheck({ ...check, conclusion: 'success' })).toMatchObject({
      written: 'unchanged',
    });
    expect(written(before)).toEqual([]);
    const annotations = Array.from({ length: 120 }, (_, n) => ({
      path: 'app/cm.yaml',
      startLine: n + 1,
      endLine: n + 1,
      level: 'warning' as const,
      message: `m${n}`,
    }));
    await repository.putCheck({ ...check, name: 'guardrail/schema', conclusion: 'failure', annotations });
    before = calls.length;
    expect(
      await repository.putCheck({ ...check, name: 'guardrail/schema', conclusion: 'failure', annotations }),
    ).toMatchObject({ written: 'unchanged' });
    expect(written(before)).toEqual([]);
    // The forge counts the texts of a check in bytes: 40,000 characters of these are 160,000 of them.
    const rockets = '🚀'.repeat(20_000);
    const long = { title: rockets, summary: `${rockets}é`, text: `é${rockets}` };
    const full = { ...check, ...long, name: 'guardrail/long', conclusion: 'neutral' as const };
    const said = [{ ...annotations[0]!, message: rockets, rawDetails: rockets, title: rockets }];
    await repository.putCheck({ ...full, annotations: said });
    const checks = await repository.listChecks(head);
    const { id: check_run_id } = checks.find(({ name }) => name === 'guardrail/long')!;
    const { data: run } = await alice.rest.checks.get({ ...where, check_run_id });
    expect(run.output.summary).toMatch(/^🚀{16000,}\n\n\*\(\d+ char/u);
    expect(checks.map((one) => [one.name, one.conclusion, one.externalId, one.appId])).toEqual(
      expect.arrayContaining([
        ['portico/render', 'success', 'x', local.app.id],
        ['guardrail/schema', 'failure', 'x', local.app.id],
      ]),
    );
    expect(await repository.combinedStatus(head)).toMatchObject({ state: 'pending', statuses: [] });

    // Comments: one sticky; a stranger's with our marker stays as it is.
    await alice.rest.issues.createComment({ ...where, issue_number: pull.number, body: `${MARKER}\nmine` });
    expect(await repository.upsertSticky(pull.number, MARKER, 'one')).toMatchObject({ written: 'created' });
    before = calls.length;
    expect(await repository.upsertSticky(pull.number, MARKER, 'one')).toMatchObject({ written: 'unchanged' });
    expect(written(before)).toEqual([]);
    expect(await repository.upsertSticky(pull.number, MARKER, 'two')).toMatchObject({ written: 'updated' });
    // As long as a comment and a pull request may be, in any way of counting.
    await repository.upsertSticky(pull.number, MARKER, rockets.repeat(10));
    await repository.updatePull(pull.number, { body: rockets.repeat(10) });
    await repository.upsertSticky(pull.number, MARKER, 'two');
    const comments = await repository.listComments(pull.number);
    expect(comments.map((one) => one.body)).toEqual([`${MARKER}\nmine`, `${MARKER}\ntwo`]);
    expect((await repository.listRecentComments(new Date(0))).map((one) => one.issue)).toEqual([
      pull.number,
      pull.number,
    ]);
    expect(await repository.listRecentLineComments(new Date(0))).toEqual([]);
    expect(await repository.getComment(999_999)).toBeNull();

    // Reactions: one of ours, taken back; never another's.
    const target = { commentId: comments[0]!.id };
    await repository.addReaction(target, 'eyes');
    await repository.addReaction(target, 'eyes');
    await alice.rest.reactions.createForIssueComment({
      ...where,
      comment_id: target.commentId,
      content: 'eyes',
    });
    expect((await repository.listReactions(target)).map((one) => one.author).sort()).toEqual([
      'alice',
      'portico[bot]',
    ]);
    await repository.removeReaction(target, 'eyes');
    await repository.removeReaction(target, 'eyes');
    expect((await repository.listReactions(target)).map((one) => one.author)).toEqual(['alice']);
    await alice.rest.pulls.createReview({
      ...where,
      pull_number: pull.number,
      event: 'APPROVE',
      body: 'good',
      commit_id: head,
    });
    const [review] = await repository.listReviews(pull.number);
    expect(review).toMatchObject({ author: 'alice', state: 'APPROVED', commitId: head, authorIsBot: false });

    // The merge is bound to the head that was checked.
    const merge = { method: 'merge' as const, title: 'Publish app', message: 'x' };
    expect(await repository.mergePull(pull.number, { ...merge, sha: main })).toMatchObject({
      ok: false,
      reason: 'moved',
    });
    const merged = await repository.mergePull(pull.number, { ...merge, sha: head });
    expect(merged).toMatchObject({ ok: true });
    const sha = (merged as { sha: string }).sha;
    expect(await repository.getPull(pull.number)).toMatchObject({
      merged: true,
      mergeCommitSha: sha,
      state: 'closed',
    });

    // Tag and ledger in one push; once.
    await mirror.fetch();
    expect(await mirror.resolve('main')).toBe(sha);
    const tag = await mirror.writeTag({ name: 'app/v1', object: sha, message: 'app@v1', tagger: BOT });
    const updates = [
      { ref: 'refs/tags/app/v1', to: tag, expect: null },
      { ref: 'refs/portico/published/app/v1', to: sha, expect: null },
    ];
    expect(await mirror.push(updates)).toEqual({ ok: true, unchanged: [] });
    const second = await mirror.writeTag({ name: 'app/v1', object: sha, message: 'another', tagger: BOT });
    expect(await mirror.push([{ ref: 'refs/tags/app/v1', to: second, expect: null }])).toMatchObject({
      ok: false,
      rejected: [{ reason: 'exists' }],
    });
    // A commit that the forge makes and signs.
    const { tree } = await mirror.commit(sha);
    const signed = await repository.createCommit({ tree, parents: [sha], message: 'Signed' });
    await mirror.fetch({ refspecs: [signed] });
    expect(await mirror.commit(signed)).toMatchObject({ tree, parents: [sha], message: 'Signed' });
    // The repository's own release stays its latest, whatever packages are published.
    await alice.rest.repos.createRelease({ ...where, tag_name: 'product-1.2', target_commitish: sha });
    const latest = async (): Promise<string> =>
      (await alice.rest.repos.getLatestRelease(where)).data.tag_name;
    const release = { tag: 'app/v1', name: 'app@v1', body: 'First.' };
    expect(await repository.upsertRelease(release)).toMatchObject({ written: 'created' });
    expect(await latest()).toBe('product-1.2');
    expect(await repository.upsertRelease(release)).toMatchObject({ written: 'unchanged' });
    expect(await repository.upsertRelease({ ...release, body: 'Better.' })).toMatchObject({
      written: 'updated',
    });
    expect(await latest()).toBe('product-1.2');
    expect(await repository.getRelease('app/v2')).toBeNull();
    expect(await repository.released(['app/v1', 'app/v2', 'product-1.2'])).toEqual(
      new Set(['app/v1', 'product-1.2']),
    );
  });

  test('pull requests are found by commit', async () => {
    const commit = (await mirror.resolve('refs/tags/app/v1'))!;
    const { parents } = await mirror.commit(commit);
    const [found] = await repository.pullsForCommit(commit);
    expect(found).toMatchObject({ merged: true, headRef: 'drafts/app/next', mergeCommitSha: commit });
    const byHead = await repository.pullsForCommit(parents[1]!);
    expect(byHead.map((one) => one.number)).toEqual([found!.number]);
    expect(await repository.pullsForCommit('0'.repeat(40))).toEqual([]);
  });

  test('a conflict cannot be merged', async () => {
    const main = (await mirror.resolve('main'))!;
    const head = await push('clash', main, { 'app/cm.yaml': 'kind: One\n' });
    await push('main', main, { 'app/cm.yaml': 'kind: Two\n' });
    const { pull } = await repository.createPull({ title: 'Clash', body: '', head: 'clash', base: 'main' });
    await expect.poll(() => repository.getPull(pull.number)).toMatchObject({ mergeable: false });
    expect(await repository.mergePull(pull.number, { sha: head, method: 'merge' })).toMatchObject({
      ok: false,
      reason: 'not-mergeable',
    });
    const puts = (from: number): number => calls.slice(from).filter(({ method }) => method === 'PUT').length;
    const start = calls.length;
    await repository.mergePull(pull.number, { sha: head, method: 'merge' });
    expect(puts(start)).toBe(1);
    await repository.closePull(pull.number);
    expect(await repository.pullsForHead({ branch: 'clash' })).toEqual([]);
    expect(await repository.pullsForHead({ branch: 'clash' }, { state: 'all' })).toMatchObject([
      { state: 'closed', merged: false },
    ]);
  });

  test('a merge that is refused for a moment is tried again, while what was checked stands', async () => {
    const main = (await mirror.resolve('main'))!;
    const opened = async (branch: string): Promise<{ n: number; sha: string }> => {
      const sha = await push(branch, main, { [`app/${branch}.yaml`]: 'kind: Moment\n' });
      const made = await repository.createPull({ title: branch, body: '', head: branch, base: 'main' });
      return { n: made.pull.number, sha };
    };
    const method = 'merge' as const;
    for (const message of [
      'Base branch was modified. Review and try the merge again.',
      'Pull Request is not mergeable',
    ]) {
      const { n, sha } = await opened(message.slice(0, 4));
      local.knobs.nextMerges = { message, times: 3 };
      expect(await repository.mergePull(n, { sha, method })).toMatchObject({ ok: true });
    }

    const late = await opened('late');
    local.knobs.nextMerges = {
      message: 'Base branch was modified. Review and try the merge again.',
      times: 9,
    };
    const asked: boolean[] = [];
    const isStillValid = (): Promise<boolean> => Promise.resolve(asked.push(true) < 3);
    expect(await repository.mergePull(late.n, { sha: late.sha, method, isStillValid })).toMatchObject({
      ok: false,
      reason: 'moved',
    });
    expect([asked.length, local.knobs.nextMerges.times]).toEqual([3, 6]);
    expect(await repository.mergePull(late.n, { sha: late.sha, method })).toMatchObject({
      ok: false,
      reason: 'busy',
    });
    expect(local.knobs.nextMerges.times).toBe(1);
    local.knobs.nextMerges = null;
    await repository.closePull(late.n);
  });

  test('a new token that is refused for a moment is waited for, by the API and by git', async () => {
    Object.assign(local.knobs.realism, { freshTokens: { share: 1, ms: 100 } });
    const young = connectForge({
      appId: local.app.id,
      privateKey: local.app.privateKeyPem,
      baseUrl: local.apiUrl,
      backoffMs: 20,
    });
    for (let turn = 0; turn < 3; turn += 1) {
      expect(await young.repository(installation.id, known).get()).toMatchObject({ id: known.id });
      await using made = await openMirror({
        dir: join(scratch, `young-${turn}`),
        url: `${local.gitUrl}/acme/blueprints.git`,
        protocols: ['http'],
        token: (refused) =>
          refused === undefined
            ? young.tokenFor(installation.id, known.id)
            : young.tokenAfter(refused, installation.id, known.id),
      });
      expect(await made.resolve('main')).not.toBeNull();
    }
    Object.assign(local.knobs.realism, { freshTokens: null });
  });

  test('issues, labels, rules', async () => {
    const issue = await repository.createIssue({ title: 'Dashboard', body: 'x' });
    await repository.addLabels(issue.number, ['portico', 'more']);
    await repository.removeLabel(issue.number, 'more');
    await repository.removeLabel(issue.number, 'never-there');
    await repository.updateIssue(issue.number, { body: 'y' });
    expect(await repository.listIssues({ labels: ['portico'] })).toMatchObject([
      { number: issue.number, body: 'y', labels: ['portico'], isPull: false },
    ]);
    await alice.rest.issues.update({ ...where, issue_number: issue.number, state: 'closed' });
    expect(await repository.listIssues({})).toEqual([]);
    expect(await repository.branchRules('main')).toEqual({
      requiredChecks: [],
      requiresSignatures: false,
      mergeQueue: false,
      refusesPushes: false,
    });
    expect(await repository.branchProtection('main')).toEqual({ requiredChecks: [], isOn: false });
    expect(await repository.branchProtection('missing')).toBeNull();
  });

  test('what others report, remarks on lines, and the end of a release', async () => {
    const head = await push('remarked', await mirror.resolve('refs/heads/main'), {
      'app/remarked.yaml': 'a: 1\n',
    });
    const { pull } = await repository.createPull({ title: 'x', body: '', head: 'remarked', base: 'main' });
    const remark = { path: 'app/remarked.yaml', line: 1, body: 'Here.' };
    const review = await repository.remark(pull.number, {
      commitId: head,
      body: 'See below.',
      comments: [remark],
    });
    expect(review).toMatchObject({ author: 'portico[bot]' });
    expect(await repository.getIssue(pull.number)).toMatchObject({ number: pull.number });
    await repository.addLabels(pull.number, ['seen']);
    expect(await repository.hasLabel('seen')).toBe(true);
    expect(await repository.labelsEverOn(pull.number)).toEqual(['seen']);
    const { data } = await alice.rest.repos.createDeployment({
      ...where,
      ref: head,
      environment: 'production',
      required_contexts: [],
      auto_merge: false,
    });
    if (!('id' in data)) throw new Error('no deployment was made');
    await alice.rest.repos.createDeploymentStatus({ ...where, deployment_id: data.id, state: 'success' });
    const asked = { statuses: true, environments: ['production'] };
    // They may come late; nobody has made a check.
    expect((await repository.checkSuites(head)).filter(({ runs }) => runs > 0)).toEqual([]);
    // A job that was skipped has looked at nothing.
    const record = local.context.records.repositoryByName(where.owner, where.repo)!;
    const commit = { repository: record, sha: head, branch: 'remarked' };
    for (const conclusion of ['success', 'skipped'] as const) {
      const run = beginRun(local.context, commit, ACTIONS_APP, conclusion);
      concludeRun(local.context, commit, run, conclusion);
    }
    expect(await repository.healthOf(head, asked)).toMatchObject({
      statuses: [{ context: 'success', state: 'success' }],
      deployments: [{ environment: 'production', state: 'success' }],
    });
    const everywhere = await repository.healthOf(head, { statuses: false, environments: 'all' });
    expect(everywhere.deployments).toMatchObject([{ environment: 'production', state: 'success' }]);
    expect((await repository.branchActivity('refs/heads/remarked'))?.pushes).toMatchObject([{ after: head }]);
    await repository.removeRelease('app/v1');
    expect(await repository.getRelease('app/v1')).toBeNull();
    await repository.closePull(pull.number);
  });

  test('a secondary limit is told with its time', async () => {
    local.knobs.secondaryLimit = { status: 403, retryAfter: 11, times: 1 };
    const making = repository.createIssue({ title: 'x', body: 'x' });
    await expect(making).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 11 });
    expect(local.knobs.secondaryLimit).toMatchObject({ times: 0 });
  });

  test('lost webhooks are found and sent again', async () => {
    local.setAppWebhookUrl(`${local.url}/nobody-listens`);
    local.knobs.webhooks.lose = 1;
    const since = new Date(Date.now() - 60_000);
    await alice.rest.issues.create({ ...where, title: 'lost' });
    await local.settled();
    local.knobs.webhooks.lose = 0;
    const failed = await forge.failedDeliveries(since);
    expect(failed).toMatchObject([{ event: 'issues', action: 'opened' }]);
    await forge.redeliver(failed[0]!.id);
    await local.settled();
  });

  test('every call that the client can make is one that each GitHub Enterprise Server still supported takes', () => {
    // What the client calls is read from its source. A call that is new belongs into the tests above, and into the extract
    // (scripts/extract-openapi.ts).
    const made = new Set(calls.map(({ method, route }) => `${method} ${route}`));
    expect(forgeCalls().filter((call) => !made.has(call))).toEqual([]);
    const ours = exchanges.filter(({ status }) => status < 400);
    for (const [version, { judged, problems }] of Object.entries(judgeForEnterprise(ours))) {
      expect({ version, problems }).toEqual({ version, problems: [] });
      expect(judged).toBeGreaterThan(80);
    }
    // Releases with a discussion are github.com's alone.
    const requestBody = JSON.stringify({ tag_name: 'v1', discussion_category_name: 'x' });
    const url = new URL('https://ghes.example.com/api/v3/repos/acme/blueprints/releases');
    for (const { problems } of Object.values(judgeForEnterprise([{ method: 'POST', url, requestBody }]))) {
      expect(problems).toEqual([
        'POST /repos/{owner}/{repo}/releases: body member discussion_category_name is unknown',
      ]);
    }
    for (const [version, { operations }] of versions) {
      expect({ version, calls: Object.keys(operations).sort() }).toEqual({ version, calls: forgeCalls() });
    }
  });
});
