/**
 * Records that Portico keeps in comments of its own. The seal is a keyed digest over the record and the place, so a copy
 * elsewhere or a changed word is no record. What was written there earlier has its seal, too, and maintainers may edit the App's
 * comments: a record counts only where the App itself was the last to write.
 */
import type { Keyring } from '../../revision/keyring.ts';
import { openRecord, sealRecord } from '../../revision/sealed-record.ts';
import type { Comment } from '../forge/comments.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';

/** The record as a line for a comment's body; `place` is what it is for, such as a repository and an issue. */
export function sealedComment(kind: string, place: string, value: unknown, seals: Keyring): string {
  return `<!-- portico:sealed ${kind} ${sealRecord({ of: 'comment', kind, place }, value, seals)} -->`;
}

/** The records of one kind in these comments, as they were written; those of other places are passed over. */
export async function sealedRecords({
  ports,
  forge,
  kind,
  place,
  comments,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly forge: Pick<RepositoryAccess['forge'], 'isAuthorsOwn'>;
  readonly kind: string;
  readonly place: string;
  readonly comments: readonly Comment[];
  readonly signal?: AbortSignal | undefined;
}): Promise<unknown[]> {
  const records: unknown[] = [];
  for (const comment of comments.filter(({ author }) => author === ports.app.botLogin)) {
    const found = readSealedComments(kind, place, comment.body, ports.seals);
    // Asked only of those that hold one.
    if (found.length > 0 && (await forge.isAuthorsOwn(comment, signal))) records.push(...found);
  }
  return records;
}

/** The same in one body, whoever wrote it. */
export function readSealedComments(kind: string, place: string, body: string, seals: Keyring): unknown[] {
  return [...body.matchAll(/<!-- portico:sealed ([a-z-]+) ([\w-]+ [0-9a-f]+) -->/g)].flatMap(
    ([, found, sealed = '']): unknown[] => {
      const record = found === kind ? openRecord({ of: 'comment', kind, place }, sealed, seals) : undefined;
      return record === undefined ? [] : [record];
    },
  );
}
