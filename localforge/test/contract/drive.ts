/** Calls every operation that the forge serves, with the plain client, as the people and the App of a small story. */
import type { Octokit } from '@octokit/rest';

import { lines, REPO } from '../collaboration-fixture.ts';
import type { Collaboration } from '../collaboration-fixture.ts';
import { MERGE_QUEUE } from '../merge-queue-rule.ts';

/** Drives all of it; every call must succeed except those that `missing` says. */
export async function driveEverything(forge: Collaboration): Promise<void> {
  await driveApp(forge);
  await driveAccounts(forge);
  await driveRepository(forge);
  await driveGit(forge);
  await drivePulls(forge);
  await driveReviews(forge);
  await driveIssues(forge);
  await driveChecks(forge);
  await driveDeployments(forge);
  await driveReleases(forge);
  await driveHooks(forge);
  await driveRules(forge);
  await driveMerges(forge);
  await driveQueue(forge);
  await driveActions(forge);
  await driveEnds(forge);
}

async function driveApp(forge: Collaboration): Promise<void> {
  const app = forge.asApp().rest.apps;
  await app.getAuthenticated();
  await app.getWebhookConfigForApp();
  await app.updateWebhookConfigForApp({ content_type: 'json' });
  const [installation] = (await app.listInstallations()).data;
  const one = { installation_id: installation!.id };
  await app.getInstallation(one);
  await app.getOrgInstallation({ org: 'acme' });
  await app.getRepoInstallation(REPO);
  await app.getUserInstallation({ username: 'acme' });
  await app.getBySlug({ app_slug: 'local-app' });
  await app.suspendInstallation(one);
  await app.unsuspendInstallation(one);
  const made = await app.createInstallationAccessToken({ ...one, permissions: { contents: 'read' } });
  const narrow = forge.as(made.data.token);
  await narrow.rest.apps.listReposAccessibleToInstallation();
  await narrow.rest.apps.revokeInstallationAccessToken();
  const [delivery] = (await app.listWebhookDeliveries()).data;
  await app.getWebhookDelivery({ delivery_id: delivery!.id });
  await app.redeliverWebhookDelivery({ delivery_id: delivery!.id });
}

async function driveAccounts({ alice, bob }: Collaboration): Promise<void> {
  const { orgs, teams, users, repos, rateLimit, meta } = alice.rest;
  await rateLimit.get();
  await meta.get();
  const { data: me } = await users.getAuthenticated();
  await users.list();
  await users.getByUsername({ username: 'bob' });
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJbcY5OGP2yU4iS4gs0lTOJ4Ub1fH8Mul8lN0Rsc1Qb';
  const { data: made } = await users.createSshSigningKeyForAuthenticatedUser({ title: 'signing', key });
  await users.listSshSigningKeysForAuthenticatedUser();
  await users.listSshSigningKeysForUser({ username: 'alice' });
  await users.getSshSigningKeyForAuthenticatedUser({ ssh_signing_key_id: made.id });
  await users.deleteSshSigningKeyForAuthenticatedUser({ ssh_signing_key_id: made.id });
  await alice.request('GET /user/{account_id}', { account_id: me.id });
  await orgs.get({ org: 'acme' });
  await orgs.listForAuthenticatedUser();
  await orgs.listForUser({ username: 'alice' });
  await orgs.listMembers({ org: 'acme' });
  await orgs.checkMembershipForUser({ org: 'acme', username: 'alice' });
  await orgs.getMembershipForUser({ org: 'acme', username: 'alice' });
  await orgs.getMembershipForAuthenticatedUser({ org: 'acme' });
  await teams.list({ org: 'acme' });
  await teams.getByName({ org: 'acme', team_slug: 'platform' });
  await teams.listMembersInOrg({ org: 'acme', team_slug: 'platform' });
  await teams.getMembershipForUserInOrg({ org: 'acme', team_slug: 'platform', username: 'alice' });
  const team = { org: 'acme', team_slug: 'platform' };
  await teams.addOrUpdateRepoPermissionsInOrg({ ...team, ...REPO, permission: 'push' });
  await teams.listReposInOrg(team);
  await orgs.setMembershipForUser({ org: 'acme', username: 'bob', role: 'member' });
  await teams.addOrUpdateMembershipForUserInOrg({ ...team, username: 'bob', role: 'member' });
  await teams.removeMembershipForUserInOrg({ ...team, username: 'bob' });
  await orgs.removeMembershipForUser({ org: 'acme', username: 'bob' });
  await driveInstallations(alice);
  await repos.createInOrg({ org: 'acme', name: 'second', private: true });
  await repos.listForOrg({ org: 'acme' });
  await bob.rest.repos.createForAuthenticatedUser({ name: 'own' });
  await bob.rest.repos.listForAuthenticatedUser();
  await bob.rest.repos.listForUser({ username: 'bob' });
}

async function driveInstallations(alice: Octokit): Promise<void> {
  const { apps, repos } = alice.rest;
  const [installation] = (await apps.listInstallationsForAuthenticatedUser()).data.installations;
  const one = { installation_id: installation!.id };
  await apps.listInstallationReposForAuthenticatedUser(one);
  const { id } = (await repos.get(REPO)).data;
  await apps.addRepoToInstallationForAuthenticatedUser({ ...one, repository_id: id }).catch(refusedOnly);
  await apps.removeRepoFromInstallationForAuthenticatedUser({ ...one, repository_id: id }).catch(refusedOnly);
}

/** The App has all repositories here, so that single ones cannot be chosen: the refusal is judged as well. */
function refusedOnly(error: unknown): void {
  const { status } = error as { status?: number };
  if (status !== 403 && status !== 422) throw error;
}

async function driveRepository(forge: Collaboration): Promise<void> {
  const { repos } = forge.alice.rest;
  await repos.get(REPO);
  await repos.update({ ...REPO, description: 'Packages', allow_auto_merge: true });
  await repos.replaceAllTopics({ ...REPO, names: ['kpt'] });
  await repos.getAllTopics(REPO);
  await repos.createFork(REPO);
  await repos.listForks(REPO);
  await repos.addCollaborator({ ...REPO, username: 'eve', permission: 'triage' });
  await repos.listCollaborators(REPO);
  await repos.checkCollaborator({ ...REPO, username: 'eve' });
  await repos.getCollaboratorPermissionLevel({ ...REPO, username: 'eve' });
  const made = await repos.createOrUpdateFileContents({
    ...REPO,
    path: 'docs/a.md',
    message: 'Add',
    content: Buffer.from('a\n').toString('base64'),
  });
  await repos.getContent({ ...REPO, path: 'docs/a.md' });
  await repos.getContent({ ...REPO, path: '' });
  await repos.deleteFile({ ...REPO, path: 'docs/a.md', message: 'Drop', sha: made.data.content!.sha! });
  await repos.getReadme(REPO);
  await forge.commit('main', { 'later.md': 'x\n' }, { from: 'origin/main' }).catch(() => '');
}

async function driveGit(forge: Collaboration): Promise<void> {
  const { alice, bob } = forge;
  const { git: data, repos } = bob.rest;
  const head = (await data.getRef({ ...REPO, ref: 'heads/main' })).data.object.sha;
  const blob = await data.createBlob({ ...REPO, content: 'b: 1\n' });
  await data.getBlob({ ...REPO, file_sha: blob.data.sha });
  const parent = (await data.getCommit({ ...REPO, commit_sha: head })).data;
  const tree = await data.createTree({
    ...REPO,
    base_tree: parent.tree.sha,
    tree: [{ path: 'b.yaml', mode: '100644', type: 'blob', sha: blob.data.sha }],
  });
  await data.getTree({ ...REPO, tree_sha: tree.data.sha, recursive: '1' });
  const made = await data.createCommit({ ...REPO, message: 'B', tree: tree.data.sha, parents: [head] });
  await data.createRef({ ...REPO, ref: 'refs/heads/by-api', sha: head });
  await data.updateRef({ ...REPO, ref: 'heads/by-api', sha: made.data.sha });
  await data.listMatchingRefs({ ...REPO, ref: 'heads/by' });
  const tag = await data.createTag({ ...REPO, tag: 'app/v0', message: 'v0', object: head, type: 'commit' });
  await data.getTag({ ...REPO, tag_sha: tag.data.sha });
  await data.createRef({ ...REPO, ref: 'refs/tags/app/v0', sha: tag.data.sha });
  await repos.listTags(REPO);
  await repos.listBranches(REPO);
  await repos.getBranch({ ...REPO, branch: 'by-api' });
  await alice.rest.repos.renameBranch({ ...REPO, branch: 'by-api', new_name: 'renamed' });
  await repos.listCommits({ ...REPO, sha: 'renamed' });
  await repos.getCommit({ ...REPO, ref: 'renamed' });
  await repos.listBranchesForHeadCommit({ ...REPO, commit_sha: made.data.sha });
  await repos.compareCommitsWithBasehead({ ...REPO, basehead: 'main...renamed' });
  await data.deleteRef({ ...REPO, ref: 'heads/renamed' });
  await repos.listActivities({ ...REPO, ref: 'renamed', time_period: 'day', per_page: 1 });
  await forge.git(forge.clone, 'fetch', '-q', 'origin');
}

async function drivePulls(forge: Collaboration): Promise<void> {
  const { bob } = forge;
  const sha = await forge.commit(
    'draft',
    { 'README.md': lines(20, { 5: 'five' }), 'x.yaml': 'a: 1\n' },
    { from: 'origin/main' },
  );
  const { pulls, repos } = bob.rest;
  const { data } = await pulls.create({ ...REPO, title: 'Draft', head: 'draft', base: 'main', draft: true });
  const one = { ...REPO, pull_number: data.number };
  await forge.known(data.number);
  await pulls.list({ ...REPO, state: 'all' });
  await pulls.listFiles(one);
  await pulls.listCommits(one);
  await repos.listPullRequestsAssociatedWithCommit({ ...REPO, commit_sha: sha });
  await pulls.update({ ...one, title: 'Better' });
  await pulls.update({ ...one, state: 'closed' });
  await pulls.update({ ...one, state: 'open' });
  await forge.commit('draft', { 'x.yaml': 'a: 2\n' });
  await bob.graphql(
    `mutation { markPullRequestReadyForReview(input: {pullRequestId: "${data.node_id}"}) { pullRequest { id } } }`,
  );
  await bob.graphql(
    `mutation { convertPullRequestToDraft(input: {pullRequestId: "${data.node_id}"}) { pullRequest { id } } }`,
  );
  await bob.graphql(
    `mutation { markPullRequestReadyForReview(input: {pullRequestId: "${data.node_id}"}) { pullRequest { id } } }`,
  );
}

async function driveReviews({ bob, carol, alice }: Collaboration): Promise<void> {
  const one = { ...REPO, pull_number: 1 };
  const { pulls } = carol.rest;
  await bob.rest.pulls.requestReviewers({ ...one, reviewers: ['carol'], team_reviewers: ['platform'] });
  await pulls.listRequestedReviewers(one);
  await bob.rest.pulls.removeRequestedReviewers({
    ...one,
    reviewers: ['carol'],
    team_reviewers: ['platform'],
  });
  const gone = await pulls.createReview({ ...one, body: 'No' });
  await pulls.deletePendingReview({ ...one, review_id: gone.data.id });
  const pending = await pulls.createReview({
    ...one,
    comments: [{ path: 'README.md', line: 5, body: 'Hm' }],
  });
  const review = { ...one, review_id: pending.data.id };
  await pulls.submitReview({ ...review, event: 'REQUEST_CHANGES', body: 'Change' });
  await pulls.getReview(review);
  await pulls.listReviews(one);
  await pulls.listCommentsForReview(review);
  await pulls.updateReview({ ...review, body: 'Change it' });
  await alice.rest.pulls.dismissReview({ ...review, message: 'Done' });
  const head = (await pulls.get(one)).data.head.sha;
  const comment = await pulls.createReviewComment({
    ...one,
    body: 'Here',
    commit_id: head,
    path: 'x.yaml',
    line: 1,
  });
  const at = { ...REPO, comment_id: comment.data.id };
  await pulls.createReplyForReviewComment({ ...one, comment_id: comment.data.id, body: 'There' });
  await pulls.listReviewComments(one);
  await pulls.listReviewCommentsForRepo(REPO);
  await pulls.getReviewComment(at);
  await pulls.updateReviewComment({ ...at, body: 'Somewhere' });
  const reaction = await carol.rest.reactions.createForPullRequestReviewComment({ ...at, content: 'heart' });
  await carol.rest.reactions.listForPullRequestReviewComment(at);
  await carol.rest.reactions.deleteForPullRequestComment({ ...at, reaction_id: reaction.data.id });
  await pulls.deleteReviewComment(at);
}

/** One goes through the queue, another leaves it while it waits for a check. */
async function driveQueue(forge: Collaboration): Promise<void> {
  const { alice } = forge;
  const { git, repos, pulls } = alice.rest;
  const main = (await git.getRef({ ...REPO, ref: 'heads/main' })).data.object.sha;
  await git.createRef({ ...REPO, ref: 'refs/heads/queued', sha: main });
  await repos.createRepoRuleset({
    ...REPO,
    name: 'queue',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/queued'], exclude: [] } },
    rules: [MERGE_QUEUE],
  });
  const open = async (head: string): Promise<string> => {
    const tree = await git.createTree({
      ...REPO,
      base_tree: main,
      tree: [{ path: `${head}.md`, mode: '100644', type: 'blob', content: head }],
    });
    const commit = await git.createCommit({ ...REPO, message: head, tree: tree.data.sha, parents: [main] });
    await git.createRef({ ...REPO, ref: `refs/heads/${head}`, sha: commit.data.sha });
    return (await pulls.create({ ...REPO, title: head, head, base: 'queued' })).data.node_id;
  };
  const enter = (id: string) =>
    alice.graphql(
      `mutation { enqueuePullRequest(input: {pullRequestId: "${id}"}) { mergeQueueEntry { position state enqueuer { login } pullRequest { isInMergeQueue isMergeQueueEnabled isCrossRepository } } } }`,
    );
  await enter(await open('through'));
  await forge.forge.settled();
  const { data } = await pulls.list({ ...REPO, state: 'closed', head: 'acme:through' });
  if (typeof data[0]?.merged_at !== 'string') throw new Error('the queue did not merge');
  await repos.createRepoRuleset({
    ...REPO,
    name: 'never',
    enforcement: 'active',
    conditions: { ref_name: { include: ['refs/heads/queued'], exclude: [] } },
    rules: [
      {
        type: 'required_status_checks',
        parameters: {
          required_status_checks: [{ context: 'never' }],
          strict_required_status_checks_policy: false,
        },
      },
    ],
  });
  const waits = await open('waits');
  const head = (await git.getRef({ ...REPO, ref: 'heads/waits' })).data.object.sha;
  await repos.createCommitStatus({ ...REPO, sha: head, state: 'success', context: 'never' });
  await enter(waits);
  await forge.forge.settled();
  await alice.graphql(`mutation { dequeuePullRequest(input: {id: "${waits}"}) { mergeQueueEntry { id } } }`);
}

async function driveIssues({ bob, app }: Collaboration): Promise<void> {
  const { issues, reactions } = bob.rest;
  await issues.createLabel({ ...REPO, name: 'area', color: 'ff0000' });
  await issues.updateLabel({ ...REPO, name: 'area', color: '00ff00' });
  await issues.getLabel({ ...REPO, name: 'area' });
  await issues.listLabelsForRepo(REPO);
  const { data } = await issues.create({
    ...REPO,
    title: 'Retire',
    body: 'Please',
    labels: ['area'],
    assignees: ['bob'],
  });
  const one = { ...REPO, issue_number: data.number };
  await issues.get(one);
  await issues.listForRepo({ ...REPO, state: 'all', labels: 'area' });
  await issues.update({ ...one, title: 'Retire it' });
  await issues.addAssignees({ ...one, assignees: ['carol'] });
  await issues.removeAssignees({ ...one, assignees: ['carol'] });
  await issues.addLabels({ ...one, labels: ['new'] });
  await issues.listLabelsOnIssue(one);
  await issues.removeLabel({ ...one, name: 'new' });
  await issues.setLabels({ ...one, labels: ['area'] });
  await issues.removeAllLabels(one);
  await issues.listEvents(one);
  await issues.lock({ ...one, lock_reason: 'resolved' });
  await issues.unlock(one);
  await issues.update({ ...one, state: 'closed', state_reason: 'completed' });
  await issues.update({ ...one, state: 'open' });
  const comment = (await app.rest.issues.createComment({ ...one, body: 'Noted' })).data;
  const at = { ...REPO, comment_id: comment.id };
  await issues.getComment(at);
  await app.rest.issues.updateComment({ ...at, body: 'Noted.' });
  await issues.listComments(one);
  await issues.listCommentsForRepo(REPO);
  const eyes = await reactions.createForIssueComment({ ...at, content: 'eyes' });
  await reactions.createForIssueComment({ ...at, content: 'eyes' });
  await reactions.listForIssueComment(at);
  await reactions.deleteForIssueComment({ ...at, reaction_id: eyes.data.id });
  const rocket = await reactions.createForIssue({ ...one, content: 'rocket' });
  await reactions.listForIssue(one);
  await reactions.deleteForIssue({ ...one, reaction_id: rocket.data.id });
  await issues.deleteComment(at);
  await issues.deleteLabel({ ...REPO, name: 'area' });
  await issues.lock({ ...REPO, issue_number: 1 });
  await issues.unlock({ ...REPO, issue_number: 1 });
  await issues.setLabels({ ...REPO, issue_number: 1, labels: ['p1'] });
  await issues.removeAllLabels({ ...REPO, issue_number: 1 });
  await issues.addAssignees({ ...REPO, issue_number: 1, assignees: ['carol'] });
  await issues.removeAssignees({ ...REPO, issue_number: 1, assignees: ['carol'] });
}

async function driveChecks(forge: Collaboration): Promise<void> {
  const { alice, app, bob } = forge;
  const { checks } = app.rest;
  const sha = (await forge.git(forge.clone, 'rev-parse', 'draft')).trim();
  const note = {
    path: 'x.yaml',
    start_line: 1,
    end_line: 1,
    annotation_level: 'notice' as const,
    message: 'm',
  };
  const run = await checks.create({ ...REPO, name: 'portico', head_sha: sha, status: 'in_progress' });
  const one = { ...REPO, check_run_id: run.data.id };
  await checks.update({
    ...one,
    conclusion: 'failure',
    output: { title: 't', summary: 's', annotations: [note] },
    actions: [{ label: 'Apply', description: 'Push it', identifier: 'apply' }],
  });
  await checks.get(one);
  await checks.listAnnotations(one);
  await checks.listForRef({ ...REPO, ref: 'draft' });
  await bob.rest.checks.rerequestRun(one);
  forge.pressButton(run.data.id, 'apply', 'bob');
  const [suite] = (await checks.listSuitesForRef({ ...REPO, ref: 'draft' })).data.check_suites;
  const at = { ...REPO, check_suite_id: suite!.id };
  await checks.getSuite(at);
  await checks.listForSuite(at);
  await bob.rest.checks.rerequestSuite(at);
  await checks.createSuite({ ...REPO, head_sha: sha });
  await alice.rest.checks.setSuitesPreferences({ ...REPO, auto_trigger_checks: [] });
  await bob.rest.repos.createCommitStatus({ ...REPO, sha, state: 'success', context: 'flux' });
  await bob.rest.repos.getCombinedStatusForRef({ ...REPO, ref: 'draft' });
  await bob.rest.repos.listCommitStatusesForRef({ ...REPO, ref: 'draft' });
  await checks.create({ ...REPO, name: 'portico', head_sha: sha, conclusion: 'success' });
}

async function driveDeployments({ bob }: Collaboration): Promise<void> {
  const { repos } = bob.rest;
  const made = await repos.createDeployment({
    ...REPO,
    ref: 'draft',
    auto_merge: false,
    required_contexts: [],
  });
  if (made.status !== 201) throw new Error('there is no deployment');
  const one = { ...REPO, deployment_id: made.data.id };
  await repos.listDeployments(REPO);
  await repos.getDeployment(one);
  const status = await repos.createDeploymentStatus({ ...one, state: 'success' });
  await repos.getDeploymentStatus({ ...one, status_id: status.data.id });
  await repos.listDeploymentStatuses(one);
  await repos.deleteDeployment(one);
}

async function driveReleases({ bob }: Collaboration): Promise<void> {
  const { repos } = bob.rest;
  const { data } = await repos.createRelease({ ...REPO, tag_name: 'app/v1', name: 'v1', body: 'First' });
  await repos.createRelease({ ...REPO, tag_name: 'app/v2-rc', prerelease: true });
  await repos.listReleases(REPO);
  await repos.getLatestRelease(REPO);
  await repos.getReleaseByTag({ ...REPO, tag: 'app/v1' });
  await repos.getRelease({ ...REPO, release_id: data.id });
  await repos.generateReleaseNotes({ ...REPO, tag_name: 'app/v2' });
  await repos.updateRelease({ ...REPO, release_id: data.id, body: 'The first' });
  await repos.updateRelease({ ...REPO, release_id: data.id, draft: true });
  await repos.deleteRelease({ ...REPO, release_id: data.id });
}

async function driveHooks({ alice, forge }: Collaboration): Promise<void> {
  const { repos } = alice.rest;
  const config = { url: 'http://127.0.0.1:9/other', content_type: 'json', secret: 'hook-secret' };
  const { data } = await repos.createWebhook({ ...REPO, config, events: ['push'] });
  const one = { ...REPO, hook_id: data.id };
  await repos.listWebhooks(REPO);
  await repos.getWebhook(one);
  await repos.updateWebhook({ ...one, active: true });
  await repos.pingWebhook(one);
  await forge.settled();
  const [delivery] = (await repos.listWebhookDeliveries(one)).data;
  await repos.getWebhookDelivery({ ...one, delivery_id: delivery!.id });
  await repos.redeliverWebhookDelivery({ ...one, delivery_id: delivery!.id });
  await repos.deleteWebhook(one);
}

async function driveRules({ alice, bob }: Collaboration): Promise<void> {
  const { repos } = alice.rest;
  await repos.updateBranchProtection({
    ...REPO,
    branch: 'main',
    required_status_checks: { strict: false, contexts: ['portico'] },
    enforce_admins: true,
    required_pull_request_reviews: { required_approving_review_count: 1 },
    restrictions: null,
  });
  await repos.getBranchProtection({ ...REPO, branch: 'main' });
  await repos.createCommitSignatureProtection({ ...REPO, branch: 'main' });
  await repos.getCommitSignatureProtection({ ...REPO, branch: 'main' });
  await repos.deleteCommitSignatureProtection({ ...REPO, branch: 'main' });
  await autoMerge(bob);
  await repos.deleteBranchProtection({ ...REPO, branch: 'main' });
  const ruleset = {
    name: 'tags',
    target: 'tag' as const,
    enforcement: 'active' as const,
    conditions: { ref_name: { include: ['refs/tags/app/*'], exclude: [] } },
    rules: [{ type: 'deletion' as const }],
  };
  const { data } = await repos.createRepoRuleset({ ...REPO, ...ruleset });
  await repos.getRepoRulesets(REPO);
  await repos.getRepoRuleset({ ...REPO, ruleset_id: data.id });
  await repos.updateRepoRuleset({ ...REPO, ruleset_id: data.id, enforcement: 'disabled' });
  await repos.getBranchRules({ ...REPO, branch: 'main' });
  await repos.deleteRepoRuleset({ ...REPO, ruleset_id: data.id });
}

async function autoMerge(bob: Octokit): Promise<void> {
  const { node_id: id } = (await bob.rest.pulls.get({ ...REPO, pull_number: 1 })).data;
  const mutation = (name: string): string =>
    `mutation { ${name}(input: {pullRequestId: "${id}"}) { pullRequest { id } } }`;
  await bob.graphql(mutation('enablePullRequestAutoMerge'));
  await bob.graphql(mutation('disablePullRequestAutoMerge'));
}

async function driveMerges(forge: Collaboration): Promise<void> {
  const { bob, clone } = forge;
  await forge.git(clone, 'fetch', '-q', 'origin');
  await forge.commit('side', { 'side.yaml': 'a: 1\n' }, { from: 'origin/main' });
  await bob.rest.repos.merge({ ...REPO, base: 'main', head: 'side' });
  const one = { ...REPO, pull_number: 1 };
  await bob.rest.pulls.updateBranch(one);
  await bob.rest.pulls.merge(one);
  await bob.rest.pulls.checkIfMerged(one);
  await forge.git(clone, 'push', '-q', 'origin', ':side');
}

async function driveActions({ alice, forge }: Collaboration): Promise<void> {
  forge.knobs.realism.actionsLag = { share: 1, ms: 1 };
  await alice.rest.repos.createOrUpdateFileContents({
    ...REPO,
    path: '.github/workflows/ci.yaml',
    message: 'Run something',
    content: Buffer.from('on: push\njobs: { test: {} }\n').toString('base64'),
  });
  await forge.settled();
  forge.knobs.realism.actionsLag = null;
}

async function driveEnds(forge: Collaboration): Promise<void> {
  const { alice } = forge;
  const eve = { ...REPO, username: 'eve' };
  await alice.rest.repos.removeCollaborator(eve);
  await alice.rest.repos.addCollaborator(eve);
  for (const change of [{ archived: true }, { archived: false }, { private: false }, { private: true }]) {
    await alice.rest.repos.update({ ...REPO, ...change });
  }
  await alice.rest.repos.update({ ...REPO, name: 'moved' });
  await alice.rest.repos.delete({ owner: 'acme', repo: 'moved' });
  const [installation] = (await forge.asApp().rest.apps.listInstallations()).data;
  await forge.asApp().rest.apps.deleteInstallation({ installation_id: installation!.id });
}
