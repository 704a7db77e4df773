/** What somebody wrote to Portico, wherever it was written, and how it is answered there. */
import type { CommandLine } from '../command/parse.ts';
import type { Reaction } from './forge-port.ts';
import { code } from './markdown-blocks.ts';
import type { Access, RepositoryRef, World } from './ports.ts';

/** A comment or a review with a text. `headSeen`: the head of the pull request when the webhook came. */
export interface CommentTarget {
  readonly repository: RepositoryRef;
  /** Of the pull request or issue. */
  readonly number: number;
  readonly source: {
    /**
     * `form`: the issue itself, written by one of our forms. `opening`: the text of an issue or a pull request that is none.
     * The id of both is the number below zero. `line`: a comment on lines of a change, which is of a review.
     */
    readonly kind: 'comment' | 'review' | 'form' | 'opening' | 'line';
    readonly id: number;
  };
  /** What a form, an opening text or a comment on lines held when it was sent: it may be edited since, also by others. */
  readonly form?: Pick<Written, 'author' | 'authorId' | 'authorIsBot' | 'body' | 'createdAt'>;
  readonly headSeen?: string;
  /** It ends what is under way there, so it does not wait for that. */
  readonly aside?: true;
}

export interface Written {
  readonly kind: CommentTarget['source']['kind'];
  readonly id: number;
  readonly author: string;
  readonly authorId?: number | undefined;
  readonly authorIsBot: boolean;
  readonly body: string;
  readonly createdAt: string;
  readonly edited: boolean;
}

/** What came of one command; `line` is absent where the whole comment was refused. */
export interface Said {
  readonly line?: CommandLine;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly text?: string;
}

/** Reads it as it is now, and then whether that is what was written; null where it is gone, or a review that was never submitted. */
export async function readWritten(
  { forge }: Pick<Access, 'forge'>,
  { number, source: { kind, id }, form }: Pick<CommentTarget, 'number' | 'source' | 'form'>,
  signal?: AbortSignal,
): Promise<Written | null> {
  if (kind === 'comment') {
    const comment = await forge.getComment(id, signal);
    return comment && { ...comment, kind, edited: await forge.isEdited(comment, signal) };
  }
  if (kind === 'form' || kind === 'opening' || kind === 'line')
    return form === undefined ? null : { ...form, kind, id, edited: false };
  const review = (await forge.listReviews(number, signal)).find((one) => one.id === id);
  if (review === undefined || review.submittedAt === null) return null;
  const edited = await forge.isEdited(review, signal);
  return { ...review, kind, createdAt: review.submittedAt, edited };
}

const ENDS: readonly string[] = ['rocket', 'confused', '-1'];

/** True when it was answered before: by the reaction that ends a comment, by the reply to a review. */
export async function wasAnswered(
  { app }: Pick<World, 'app'>,
  { forge }: Pick<Access, 'forge'>,
  number: number,
  { kind, id }: Written,
  signal?: AbortSignal,
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
  { forge }: Pick<Access, 'forge'>,
  { kind, id }: Written,
  seen: boolean,
  signal?: AbortSignal,
): Promise<void> {
  if (kind !== 'comment') return;
  const target = { commentId: id };
  await (seen ? forge.addReaction(target, 'eyes', signal) : forge.removeReaction(target, 'eyes', signal));
}

const REACTION: Record<Said['outcome'], Reaction> = { done: 'rocket', refused: 'confused', failed: '-1' };
const EMOJI: Record<Said['outcome'], string> = { done: '🚀', refused: '😕', failed: '👎' };

/** Ends it: a reply where there is something to read, then the reaction, and no 👀 any more. */
export async function answer(
  access: Pick<Access, 'forge'>,
  number: number,
  written: Written,
  said: readonly Said[],
  signal?: AbortSignal,
): Promise<void> {
  const last = said.at(-1);
  if (last === undefined) return react(access, written, said, signal);
  const isReview = written.kind !== 'comment';
  // Of several commands that did not all succeed each is named with its end; what is answered is named always.
  const all = isReview || (said.length > 1 && last.outcome !== 'done');
  const shown = said.filter(({ text }) => text !== undefined || all);
  if (shown.length > 0) {
    const body = shown.map(({ line, outcome, text = '' }, at) => {
      const mark = all ? `${EMOJI[outcome]} ` : '';
      const by = at === 0 ? ` by ${code(written.author)}` : '';
      const title = line === undefined ? '' : `${mark}${code(line.text)}${by}`;
      return [title, text].filter((part) => part !== '').join('\n\n');
    });
    await access.forge.upsertSticky(number, replyMarker(written), body.join('\n\n---\n\n'), signal);
  }
  await react(access, written, said, signal);
}

/** Ends a comment by the reaction alone, with no 👀 any more. */
export async function react(
  access: Pick<Access, 'forge'>,
  written: Written,
  said: readonly Said[],
  signal?: AbortSignal,
): Promise<void> {
  const last = said.at(-1);
  if (written.kind === 'comment' && last !== undefined) {
    await access.forge.addReaction({ commentId: written.id }, REACTION[last.outcome], signal);
  }
  await acknowledge(access, written, false, signal);
}

function replyMarker({ kind, id }: Pick<Written, 'kind' | 'id'>): string {
  return `<!-- portico:reply ${kind === 'comment' ? '' : `${kind} `}${id} -->`;
}
