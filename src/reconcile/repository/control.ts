/** Pure: what is said of documents that speak of repositories which do not obey them, or which nobody may know of here. */
import type { CatalogRepository } from '../../catalog/catalog.ts';

type Named = Pick<CatalogRepository, 'ref'>;

/** The same for a repository that is not there and for one that may not be known where the document stands. */
export function notKnown(name: string, { ref }: Named): string {
  return `"${name}" is not a repository of ${ref.owner} that is registered with Portico and visible here; a repository that fewer people can read must share with this one (spec.sharing), and one that was archived or deleted must be taken out of the document`;
}

/** The other repository may be known, and its base configuration does not name this one. */
export function doesNotObey({ ref }: Named, control: Named): string {
  const here = fullName(control);
  return `${fullName({ ref })} does not accept documents from ${here}: add "controlledBy: [${here}]" to its spec in .github/portico.yaml`;
}

/** A set selects objects, and not all of them may go where it asks for a package. */
export function notInventory(downstream: Named): string {
  return `${fullName(downstream)} may not receive all objects that the set can select: the repositories with the inventory must share with it (spec.sharing)`;
}

function fullName({ ref: { owner, name } }: Named): string {
  return `${owner}/${name}`;
}
