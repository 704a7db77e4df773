import type { CatalogRepository } from '../catalog/catalog.ts';
import type { RepositoryFacts } from './forge-port.ts';

const FROM_OPEN_TO_CLOSED: readonly RepositoryFacts['visibility'][] = ['public', 'internal', 'private'];

/** Pure: content, and even a name, goes only where as few people can read it as where it comes from. */
export function mayFlow(
  from: Pick<RepositoryFacts, 'visibility'>,
  to: Pick<RepositoryFacts, 'visibility'>,
): boolean {
  return FROM_OPEN_TO_CLOSED.indexOf(from.visibility) <= FROM_OPEN_TO_CLOSED.indexOf(to.visibility);
}

/**
 * Pure: whether an issue in `board` may name a repository: if whoever reads the one can certainly read the other, or
 * if that one's configuration agrees and it is no more private.
 */
export function isNamedOn(
  one: Pick<CatalogRepository, 'ref' | 'visibility' | 'organization'>,
  board: Pick<CatalogRepository, 'ref' | 'visibility'>,
): boolean {
  if (one.ref.id === board.ref.id) return true;
  const { listed } = one.organization ?? {};
  if (listed === false) return false;
  if (one.visibility === 'public') return true;
  if (one.visibility === 'internal' && board.visibility === 'internal') return true;
  return listed === true && mayFlow(one, board);
}
