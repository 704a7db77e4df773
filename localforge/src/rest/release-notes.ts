import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import type { RepositoryRecord } from '../records.ts';
import { issueOf } from '../shapes/pull.ts';

/** Name and Markdown of generated notes: the pull requests merged since the previous tag. */
export async function releaseNotes({
  context,
  repository,
  tag,
  target,
  previous,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly tag: string;
  readonly target: string;
  readonly previous: string | undefined;
}): Promise<{ readonly name: string; readonly body: string }> {
  const git = context.git(repository);
  const tip = (await git.resolve(`refs/tags/${tag}`)) ?? (await git.resolve(target));
  const from = previous === undefined ? undefined : await git.resolve(`refs/tags/${previous}`);
  const commits =
    tip === undefined ? [] : await git.log({ include: [tip], exclude: from === undefined ? [] : [from] });
  const reached = new Set(commits);
  const lines = collaborationStore(context.store)
    .pulls.find('repository', [repository.id])
    .filter((pull) => pull.mergeCommitSha !== null && reached.has(pull.mergeCommitSha))
    .map((pull) => {
      const issue = issueOf(context, pull);
      const url = context.urls.repoWeb(repository, `/pull/${pull.number}`);
      return `* ${issue.title} by @${context.records.account(issue.userId).login} in ${url}`;
    });
  const changes = lines.length === 0 ? [] : ["## What's Changed", ...lines, ''];
  const range = previous === undefined ? `commits/${tag}` : `compare/${previous}...${tag}`;
  const link = `**Full Changelog**: ${context.urls.repoWeb(repository, `/${range}`)}`;
  return { name: tag, body: [...changes, link].join('\n') };
}
