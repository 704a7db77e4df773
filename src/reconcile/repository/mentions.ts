/** Whom a document may have mentioned: whoever writes it could else have anyone on the forge notified. */
import type { CatalogRepository } from '../../catalog/catalog.ts';
import type { PeoplePort } from '../forge/people.ts';
import { code } from '../text/markdown-blocks.ts';
import { answered } from './caller.ts';

/**
 * The owners as they stand in a comment: teams of the same organisation and people with access to the repository are mentioned, others are named
 * in code, which notifies nobody. On a public repository everyone may read, so a person needs more than that there. Who cannot be asked about is not
 * mentioned.
 */
export async function mentionsOf(
  forge: Pick<PeoplePort, 'member'>,
  { ref, visibility }: Pick<CatalogRepository, 'ref' | 'visibility'>,
  owners: readonly string[],
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const mentions: string[] = [];
  for (const owner of owners) {
    const [account = '', team] = owner.slice(1).split('/', 2);
    if (team !== undefined) {
      mentions.push(account.toLowerCase() === ref.owner.toLowerCase() ? owner : code(owner));
      continue;
    }
    const role = (await answered(forge.member(account, signal)))?.role ?? 'none';
    const isMember = role !== 'none' && (visibility === 'private' || role !== 'read');
    mentions.push(isMember ? owner : code(owner));
  }
  return mentions;
}
