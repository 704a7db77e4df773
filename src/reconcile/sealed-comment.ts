/**
 * Pure: records that Portico keeps in comments of its own. The seal is a keyed digest over the record and the place, so
 * a copy elsewhere or a changed word is no record. Whoever reads also checks that the App wrote the comment.
 */
import type { Keyring } from '../revision/keyring.ts';

/** The record as a line for a comment's body; `place` is what it is for, such as a repository and an issue. */
export function sealedComment(kind: string, place: string, value: unknown, seals: Keyring): string {
  const text = Buffer.from(JSON.stringify(value)).toString('base64url');
  return `<!-- portico:sealed ${kind} ${text} ${seals.sign(sealed(kind, place, text))} -->`;
}

/** The records of one kind in a body, as they were written; those of other places are passed over. */
export function readSealedComments(kind: string, place: string, body: string, seals: Keyring): unknown[] {
  return [...body.matchAll(/<!-- portico:sealed ([a-z-]+) ([\w-]+) ([0-9a-f]+) -->/g)].flatMap(
    ([, found, text = '', mac = '']): unknown[] =>
      found === kind && seals.verify(sealed(kind, place, text), mac)
        ? [JSON.parse(Buffer.from(text, 'base64url').toString())]
        : [],
  );
}

/** What the seal is over. */
function sealed(kind: string, place: string, text: string): string {
  return `comment ${kind} ${place} ${text}`;
}
