/**
 * Commands of one issue or pull request are carried out in the order in which they were source. As they come, webhooks see to
 * that; after an outage they come as the forge sends them again, or as a sweep finds them.
 */
import { parseComment } from '../../command/parse.ts';
import type { CommentSource } from '../comment-source.ts';
import type { CommentTarget } from '../job.ts';
import type { RepositoryWork } from '../ports.ts';
import type { Answered } from './answered.ts';

/** What is carried out so long after it was written, in milliseconds, may have others before it that still wait. */
const LATE_MS = 30_000;
/** Older ones, in milliseconds, and more than these are not waited for. */
const MAX_AGE_MS = 24 * 3_600_000;
const MAX_EARLIER = 10;

/** Comments and reviews before this one that may hold commands which nobody answered yet, the oldest first. */
export async function earlierCommands(
  { ports, access: { forge }, signal }: RepositoryWork<'now', 'forge'>,
  target: CommentTarget,
  source: Pick<CommentSource, 'createdAt' | 'id' | 'kind'>,
  answered: Pick<Answered, 'has'>,
): Promise<readonly CommentTarget[]> {
  const at = Date.parse(source.createdAt);
  if (ports.now().getTime() - at < LATE_MS) return [];
  const isPull = source.kind === 'review' || source.kind === 'line';
  const [comments, reviews] = await Promise.all([
    forge.listComments(target.number, signal),
    // Of an issue there are none; whether it is one the comment does not tell.
    isPull || (await forge.getPull(target.number, signal)) !== null
      ? forge.listReviews(target.number, signal)
      : [],
  ]);
  const found = [
    ...comments.map((one) => ({ ...one, kind: 'comment' as const, when: one.createdAt })),
    ...reviews.map((one) => ({ ...one, kind: 'review' as const, when: one.submittedAt ?? '' })),
  ];
  return found
    .filter(({ kind, id, when, authorIsBot, body }) => {
      const time = Date.parse(when);
      const isEarlier = time < at || (time === at && kind === source.kind && id < source.id);
      return isEarlier && at - time < MAX_AGE_MS && !authorIsBot && holdsCommand(body);
    })
    .toSorted((a, b) => Date.parse(a.when) - Date.parse(b.when) || a.id - b.id)
    .map(({ kind, id }): CommentTarget => ({ ...withoutForm(target), source: { kind, id } }))
    .filter((one) => !answered.has(one))
    .slice(-MAX_EARLIER);
}

function withoutForm({ form: _form, ...target }: CommentTarget): CommentTarget {
  return target;
}

/** True where a text speaks to Portico, whether it can be obeyed or not. */
export function holdsCommand(body: string): boolean {
  const parsed = parseComment(body);
  return parsed.kind === 'refuse' || parsed.commands.length > 0;
}
