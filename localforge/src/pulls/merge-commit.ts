/** The commit that a pull request becomes on its base, by each method and in GitHub's words. */
import { forgePerson } from '../acting.ts';
import type { MergeMethod, PullRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import type { GitRepository } from '../git-repository.ts';
import { mergeCommit, rebaseCommits, squashCommit } from '../merge-engine.ts';
import type { CommitMerge } from '../merge-engine.ts';
import { personOf } from '../people.ts';
import { issueOf } from '../shapes/pull.ts';
import { writeSigned } from '../signatures.ts';
import type { Actor } from '../viewer.ts';
import { headRepositoryOf } from './head-repository.ts';

export interface MergeRequest {
  readonly actor: Actor;
  readonly method: MergeMethod;
  /** The head that the caller has seen. */
  readonly sha?: string;
  readonly title?: string;
  readonly message?: string;
}

/** Makes the commit over `base` without moving a ref. */
export async function commitFor({
  context,
  git,
  pull,
  base,
  request,
}: {
  readonly context: ForgeContext;
  readonly git: GitRepository;
  readonly pull: PullRecord;
  readonly base: string;
  readonly request: MergeRequest;
}): Promise<CommitMerge> {
  const committer = forgePerson(context);
  const issue = issueOf(context, pull);
  const head = pull.headSha;
  const write: GitRepository['writeCommit'] = (commit) => writeSigned(context, git, commit);
  if (request.method === 'rebase') return rebaseCommits(git, base, head, committer);
  if (request.method === 'merge') {
    const repository = context.records.repositories.get(pull.repositoryId);
    const source = repository && headRepositoryOf(context, repository, pull);
    const owner = source === undefined ? '' : context.records.account(source.ownerId).login;
    const title = request.title ?? `Merge pull request #${pull.number} from ${owner}/${pull.headRef}`;
    const message = joined(title, request.message ?? issue.title);
    const author = personOf(context, request.actor.user);
    return mergeCommit(git, { base, head, message, author, committer, write });
  }
  const { title, body } = await squashText(git, base, head, issue.title);
  const message = joined(request.title ?? `${title} (#${pull.number})`, request.message ?? body);
  const author = personOf(context, context.records.account(issue.userId));
  return squashCommit(git, { base, head, message, author, committer, write });
}

/** GitHub's default: of one commit its own words, of several the pull request's title and a list. */
async function squashText(
  git: GitRepository,
  base: string,
  head: string,
  pullTitle: string,
): Promise<{ title: string; body: string }> {
  const shas = await git.log({ include: [head], exclude: [base], reverse: true });
  const messages: string[] = [];
  for (const sha of shas) messages.push((await git.commit(sha))?.message.trim() ?? '');
  const [only] = messages;
  if (messages.length === 1 && only !== undefined) {
    const [title = '', ...rest] = only.split('\n');
    return { title, body: rest.join('\n').trim() };
  }
  return { title: pullTitle, body: messages.map((message) => `* ${message}`).join('\n\n') };
}

const joined = (title: string, body: string): string =>
  body === '' ? `${title}\n` : `${title}\n\n${body}\n`;
