/** Pure: what the seal of a commit is over, beside what it says. */
import type { Keyring } from '../../revision/keyring.ts';
import type { CommitInfo } from '../git-port.ts';

/**
 * The commit that a seal is of. Commits have the same id wherever they are pushed, and Portico works in repositories whose
 * owners trust each other with nothing: what it was made to commit in one says nothing in another.
 */
export type SealedPlace = Pick<CommitInfo, 'repository' | 'tree' | 'parents'>;

type Kind = 'commit' | 'update' | 'render';

/** What is signed; `text` is without spaces. */
export function commitSeal(kind: Kind, text: string, { repository, tree, parents }: SealedPlace): string {
  return `${kind}@${repository} ${text} ${tree} ${parents.join(' ')}`;
}

/**
 * Whether a seal is of this text at this commit. Those of earlier versions name no repository; they count as long as
 * their keys do.
 */
export function isCommitSeal(
  kind: Kind,
  text: string,
  place: SealedPlace,
  seal: string,
  seals: Keyring,
): boolean {
  if (seals.verify(commitSeal(kind, text, place), seal)) return true;
  const words = text === '' ? [] : [text];
  return seals.verify([kind, ...words, place.tree, place.parents.join(' ')].join(' '), seal);
}
