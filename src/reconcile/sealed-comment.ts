/**
 * Pure: records that Portico keeps in comments of its own. The seal is a keyed digest over the record and the place, so
 * a copy elsewhere or a changed word is no record. Whoever reads also checks that the App wrote the comment.
 */
import type { World } from './ports.ts';

/** The record as a line for a comment's body; `place` is what it is for, such as a repository and an issue. */
export function sealedComment(kind: string, place: string, value: unknown, hmac: World['hmac']): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `<!-- portico:sealed ${kind} ${text} ${seal(kind, place, text, hmac)} -->`;
}

/** The records of one kind in a body, as they were written; those of other places are passed over. */
export function readSealedComments(
  kind: string,
  place: string,
  body: string,
  hmac: World['hmac'],
): unknown[] {
  return [...body.matchAll(/<!-- portico:sealed ([a-z-]+) ([\w-]+) ([0-9a-f]+) -->/g)].flatMap(
    ([, found, text = '', mac]): unknown[] =>
      found === kind && mac === seal(kind, place, text, hmac)
        ? [JSON.parse(Buffer.from(text, 'base64url').toString())]
        : [],
  );
}

function seal(kind: string, place: string, text: string, hmac: World['hmac']): string {
  return hmac(`comment ${kind} ${place} ${text}`);
}
