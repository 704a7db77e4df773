import { MERGE_QUEUE } from '../forge/merging.ts';
import { type Pull } from '../forge/pulls.ts';
import { type RepositoryFacts } from '../forge/repository.ts';
import type { CommitInfo } from '../git-port.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { sealedComment, sealedRecords } from '../seal/sealed-comment.ts';
import { mergeRequestOf, type MergeRequestTrailers } from './merge-message.ts';

const KIND = 'publish-request';

interface PublishRequest extends MergeRequestTrailers {
  /** The head that was to be merged. */
  readonly head: string;
}

/** Commits that a rebase or a merge queue brings have messages of others, so what was asked for is kept in a comment. */
export async function recordPublishRequest(
  { ports, access: { forge }, signal }: RepositoryWork<'seals', 'forge'>,
  facts: Pick<RepositoryFacts, 'id'>,
  pull: Pick<Pull, 'number'>,
  request: PublishRequest,
): Promise<void> {
  const sealed = sealedComment(KIND, placeOf(facts, pull), request, ports.seals);
  const who = request.requestedBy === undefined ? '' : ` by \`${request.requestedBy}\``;
  const text = `Publication of ${request.head.slice(0, 7)} requested${who}.`;
  await forge.upsertSticky(pull.number, `<!-- portico:${KIND} -->`, `${text}\n\n${sealed}`, signal);
}

/** True for a merge behind which somebody stands who asked for it. */
export function isMergedForSomebody({ app }: Pick<Ports, 'app'>, mergedBy: string | null): boolean {
  return mergedBy === app.botLogin || mergedBy === MERGE_QUEUE;
}

/**
 * Who asked for a merge, and for what: by the line that Portico sealed in its message, or, where others wrote that, by
 * the comment. A merge by somebody's own hand was asked for by that person, and nobody is known to have asked for what
 * came past any pull request, whatever the messages say.
 */
export async function publishRequestOf(
  { ports, access, signal }: RepositoryWork<'app' | 'seals', 'forge'>,
  facts: Pick<RepositoryFacts, 'id'>,
  commit: Pick<CommitInfo, 'message'>,
  pull: Pull | null,
): Promise<MergeRequestTrailers> {
  if (pull === null) return {};
  const forge = access.forge.lookingAt(pull.number);
  // Lists of pull requests do not say who merged.
  const mergedBy = pull.mergedBy ?? (await forge.getPull(pull.number, signal))?.mergedBy ?? null;
  if (mergedBy === null) return {};
  if (!isMergedForSomebody(ports, mergedBy)) return { requestedBy: mergedBy };
  const place = { repository: facts.id, pull: pull.number, head: pull.headSha };
  const request = mergeRequestOf(commit.message, place, ports.seals);
  if (mergedBy === ports.app.botLogin && request !== undefined) return request;
  const comments = await forge.listComments(pull.number, signal);
  const found = await sealedRecords({
    ports,
    forge,
    kind: KIND,
    place: placeOf(facts, pull),
    comments,
    signal,
  });
  // The seal says that this is what we wrote.
  return (found as PublishRequest[]).find(({ head }) => head === pull.headSha) ?? {};
}

function placeOf({ id }: Pick<RepositoryFacts, 'id'>, { number }: Pick<Pull, 'number'>): string {
  return `${id}#${number}`;
}
