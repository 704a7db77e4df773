/** What somebody wrote to Portico, wherever it was written, and how it is answered there. */
import type { CommandLine } from '../../command/parse.ts';
import { joined } from '../../text/joined.ts';
import type { CommentSource } from '../comment-source.ts';
import type { Reaction } from '../forge/comments.ts';
import type { CommentTarget } from '../job.ts';
import type { RepositoryAccess, RepositoryWork } from '../ports.ts';
import { code } from '../text/markdown-blocks.ts';

/** What came of one command; `line` is absent where the whole comment was refused. */
export interface CommandOutcome {
  readonly line?: CommandLine;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly text?: string;
}

/** Reads it as it is now, and then whether that is what was written; null where it is gone, or a review that was never submitted. */
export async function readCommentSource(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  { number, source: { kind, id }, form }: Pick<CommentTarget, 'number' | 'source' | 'form'>,
  signal?: AbortSignal,
): Promise<CommentSource | null> {
  if (kind === 'comment') {
    const comment = await forge.getComment(id, signal);
    return comment && { ...comment, kind, edited: await forge.isEdited(comment, signal) };
  }
  if (kind === 'form' || kind === 'opening' || kind === 'line')
    return form === undefined ? null : { edited: false, ...form, kind, id };
  const review = (await forge.listReviews(number, signal)).find((one) => one.id === id);
  if (review === undefined || review.submittedAt === null) return null;
  const edited = await forge.isEdited(review, signal);
  return { ...review, kind, createdAt: review.submittedAt, edited };
}

const ENDS: readonly string[] = ['rocket', 'confused', '-1'];

/** True when it was answered before: by the reaction that ends a comment, by the reply to a review. */
export async function wasAnswered(
  { ports: { app }, access: { forge }, signal }: RepositoryWork<'app', 'forge'>,
  number: number,
  { kind, id }: CommentSource,
): Promise<boolean> {
  if (kind === 'comment') {
    const reactions = await forge.listReactions({ commentId: id }, signal);
    return reactions.some(({ content, author }) => author === app.botLogin && ENDS.includes(content));
  }
  const comments = await forge.listComments(number, signal);
  return comments.some(
    ({ author, body }) => author === app.botLogin && body.startsWith(replyMarker({ kind, id })),
  );
}

/** 👀, or takes it back. Everything else is answered by a reply alone: reviews and opening texts are no comments to react to. */
export async function acknowledge(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  { kind, id }: CommentSource,
  seen: boolean,
  signal?: AbortSignal,
): Promise<void> {
  if (kind !== 'comment') return;
  const target = { commentId: id };
  await (seen ? forge.addReaction(target, 'eyes', signal) : forge.removeReaction(target, 'eyes', signal));
}

const REACTION: Record<CommandOutcome['outcome'], Reaction> = {
  done: 'rocket',
  refused: 'confused',
  failed: '-1',
};
const EMOJI: Record<CommandOutcome['outcome'], string> = { done: '🚀', refused: '😕', failed: '👎' };

/** Ends it: a reply where there is something to read, then the reaction, and no 👀 any more. */
export async function answer({
  access,
  number,
  source,
  outcomes,
  signal,
}: {
  readonly access: Pick<RepositoryAccess, 'forge'>;
  readonly number: number;
  readonly source: CommentSource;
  readonly outcomes: readonly CommandOutcome[];
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const last = outcomes.at(-1);
  if (last === undefined) return react(access, source, outcomes, signal);
  const isReview = source.kind !== 'comment';
  // Of several commands that did not all succeed each is named with its end; what is answered is named always.
  const all = isReview || (outcomes.length > 1 && last.outcome !== 'done');
  const shown = outcomes.filter(({ text }) => text !== undefined || all);
  if (shown.length > 0) {
    const body = shown.map(({ line, outcome, text = '' }, at) => {
      const mark = all ? `${EMOJI[outcome]} ` : '';
      const by = at === 0 ? ` by ${code(source.author)}` : '';
      const title = line === undefined ? '' : `${mark}${code(line.text)}${by}`;
      return joined([title, text]);
    });
    await access.forge.upsertSticky(number, replyMarker(source), body.join('\n\n---\n\n'), signal);
  }
  await react(access, source, outcomes, signal);
}

/** Ends a comment by the reaction alone, with no 👀 any more. */
export async function react(
  access: Pick<RepositoryAccess, 'forge'>,
  source: CommentSource,
  outcomes: readonly CommandOutcome[],
  signal?: AbortSignal,
): Promise<void> {
  const last = outcomes.at(-1);
  if (source.kind === 'comment' && last !== undefined) {
    await access.forge.addReaction({ commentId: source.id }, REACTION[last.outcome], signal);
  }
  await acknowledge(access, source, false, signal);
}

function replyMarker({ kind, id }: Pick<CommentSource, 'kind' | 'id'>): string {
  return `<!-- portico:reply ${kind === 'comment' ? '' : `${kind} `}${id} -->`;
}
