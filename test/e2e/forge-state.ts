import { updateBranch } from '../../src/revision/ref-name.ts';
import type { FaultStage } from './fault-stage.ts';
import { OWNER } from './fault-stage.ts';

const OF_SOURCES = `refs/heads/${updateBranch('web', 'sources')}`;

/** What a person would see on the forge, one line each, with numbers of commits, times and comments left out. */
export type ForgeState = readonly string[];

/**
 * Everything on the forge that the bot can change, but the dashboard: refs with their content, pull requests, comments, reactions,
 * reviews, the newest check of each name, releases. Two states are the same when nobody could tell which of two
 * histories led to them.
 */
export async function forgeState(stage: FaultStage, repositories: readonly string[]): Promise<ForgeState> {
  const all = await Promise.all(repositories.map((name) => stateOf(stage, name)));
  return all.flatMap((lines, at) => lines.map((line) => `${repositories[at]}: ${line}`)).sort();
}

async function stateOf(stage: FaultStage, repo: string): Promise<string[]> {
  const { rest } = stage.as('alice');
  const where = { owner: OWNER, repo };
  const lines = await refs(stage, repo);
  const { data: releases } = await rest.repos.listReleases({ ...where, per_page: 100 });
  lines.push(...releases.map(({ tag_name, body }) => `release ${tag_name}: ${plain(body ?? '')}`));
  const { data: issues } = await rest.issues.listForRepo({ ...where, state: 'all', per_page: 100 });
  for (const issue of issues) {
    // The dashboard comes minutes after the last news.
    if (issue.title === 'Portico dashboard') continue;
    const pull =
      issue.pull_request === undefined
        ? undefined
        : (await rest.pulls.get({ ...where, pull_number: issue.number })).data;
    const name = pull === undefined ? `issue "${issue.title}"` : `pull ${pull.head.ref}`;
    const facts = pull === undefined ? '' : ` draft=${pull.draft} merged=${pull.merged}`;
    lines.push(`${name} ${issue.state}${facts} "${plain(issue.title)}" ${plain(issue.body ?? '')}`);
    lines.push(...(await comments(stage, where, issue.number, name)));
    if (pull === undefined) continue;
    const { data: reviews } = await rest.pulls.listReviews({ ...where, pull_number: issue.number });
    lines.push(
      ...reviews.map(({ user, state, body }) => `${name} review by ${user?.login} ${state} ${plain(body)}`),
    );
    const { data: checks } = await rest.checks.listForRef({ ...where, ref: pull.head.sha, per_page: 100 });
    const newest = new Map(checks.check_runs.toReversed().map((run) => [run.name, run]));
    lines.push(
      ...[...newest.values()].map(
        (run) =>
          `${name} check ${run.name} ${run.status} ${run.conclusion} ${plain(run.output.summary ?? '')}`,
      ),
    );
  }
  return lines;
}

async function refs(stage: FaultStage, repo: string): Promise<string[]> {
  const git = stage.repository(repo);
  const text = await git.git('for-each-ref', '--format=%(refname) %(tree)%(*tree) %(contents)%00');
  const list = text
    .split('\0')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '' && !entry.startsWith('refs/pull/'));
  const merges = await git.git('rev-list', '--count', '--min-parents=2', 'main');
  return [
    `main has ${merges} merges`,
    ...list.map((entry) => {
      const [ref = '', tree = '', ...message] = entry.split(/[ \n]+/);
      // What an update branch holds names the commit that it came from, unless it is of sources.
      const namesCommit = ref.includes('/portico/update/') && ref !== OF_SOURCES;
      const content = namesCommit ? 'TREE' : tree;
      return `ref ${ref} ${content} ${plain(message.join(' '))}`;
    }),
  ];
}

async function comments(
  stage: FaultStage,
  where: { owner: string; repo: string },
  issue_number: number,
  name: string,
): Promise<string[]> {
  const { rest } = stage.as('alice');
  const { data } = await rest.issues.listComments({ ...where, issue_number, per_page: 100 });
  const lines: string[] = [];
  for (const { id, user, body } of data) {
    const { data: reactions } = await rest.reactions.listForIssueComment({ ...where, comment_id: id });
    const faces = reactions.map(({ user: by, content }) => `${by?.login}:${content}`).sort();
    lines.push(`${name} comment by ${user?.login} [${faces.join()}] ${plain(body ?? '')}`);
  }
  return lines;
}

/** A text without what differs from run to run: ids of commits and comments, seals, numbers of issues, times. */
function plain(text: string): string {
  return (
    text
      .replaceAll('%3A', ':')
      .replaceAll('%22', '"')
      .replaceAll(/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z| UTC)?)?/g, 'TIME')
      .replaceAll(/\b\d\d:\d\d(?::\d\d)?\b/g, 'TIME')
      .replaceAll(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b/g, 'ID')
      .replaceAll('"ID"', 'ID')
      // Said where a step is done a second time after a crash.
      .replaceAll('Your approval already counts for this content.', '')
      .replaceAll(/portico:(\w+) \d+/g, 'portico:$1 N')
      .replaceAll(/(#|\/pull\/|\/issues\/|#issuecomment-|\/runs\/|discussion_r)\d+/g, '$1N')
      .replaceAll(/[A-Za-z0-9_-]{40,}/g, 'SEAL')
      .replaceAll(/\s+/g, ' ')
      .trim()
  );
}
