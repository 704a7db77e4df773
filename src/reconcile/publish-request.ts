import type { Pull, RepositoryFacts } from './forge-port.ts';
import type { CommitInfo } from './git-port.ts';
import { mergeRequestOf, type MergeRequestTrailers } from './merge-message.ts';
import type { Access, World } from './ports.ts';
import { readSealedComments, sealedComment } from './sealed-comment.ts';

const KIND = 'publish-request';

interface PublishRequest extends MergeRequestTrailers {
  /** The head that was to be merged. */
  readonly head: string;
}

/** Commits that a rebase brings keep their own messages, so what was asked for is kept in a comment. */
export async function recordPublishRequest(
  world: Pick<World, 'hmac'>,
  { forge }: Pick<Access, 'forge'>,
  facts: Pick<RepositoryFacts, 'id'>,
  pull: Pick<Pull, 'number'>,
  request: PublishRequest,
  signal?: AbortSignal,
): Promise<void> {
  const sealed = sealedComment(KIND, placeOf(facts, pull), request, world.hmac);
  const who = request.requestedBy === undefined ? '' : ` for \`${request.requestedBy}\``;
  const text = `Published by rebasing ${request.head.slice(0, 7)}${who}.`;
  await forge.upsertSticky(pull.number, `<!-- portico:${KIND} -->`, `${text}\n\n${sealed}`, signal);
}

/**
 * Who asked for a merge, and for what: by its message, or, where that could not be written, by the comment. A merge by
 * somebody's own hand was asked for by that person.
 */
export async function publishRequestOf(
  world: Pick<World, 'app' | 'hmac'>,
  { forge }: Pick<Access, 'forge'>,
  facts: Pick<RepositoryFacts, 'id'>,
  commit: Pick<CommitInfo, 'message'>,
  pull: Pull | null,
  signal?: AbortSignal,
): Promise<MergeRequestTrailers> {
  const said = mergeRequestOf(commit.message);
  if (said.requestedBy !== undefined || pull === null) return said;
  // Lists of pull requests do not say who merged.
  const mergedBy = pull.mergedBy ?? (await forge.getPull(pull.number, {}, signal))?.mergedBy ?? undefined;
  if (mergedBy !== world.app.botLogin)
    return mergedBy === undefined ? said : { ...said, requestedBy: mergedBy };
  for (const { author, body } of await forge.listComments(pull.number, signal)) {
    if (author !== world.app.botLogin) continue;
    for (const found of readSealedComments(KIND, placeOf(facts, pull), body, world.hmac)) {
      // The seal says that this is what we wrote.
      const request = found as PublishRequest;
      if (request.head === pull.headSha) return request;
    }
  }
  return said;
}

function placeOf({ id }: Pick<RepositoryFacts, 'id'>, { number }: Pick<Pull, 'number'>): string {
  return `${id}#${number}`;
}
