/** Pure: what is said of documents that speak of repositories which do not obey them, or which nobody may know of here. */
import type { CatalogRepository } from '../../catalog/catalog.ts';

type Named = Pick<CatalogRepository, 'ref'>;

/** The same for a repository that is not there and for one that may not be known where the document stands. */
export function notKnown(name: string, { ref }: Named): string {
  return `"${name}" names no repository of ${ref.owner} that Portico is registered in and that may be known here: one that fewer people can read has to share with this one (spec.sharing)`;
}

/** The other repository may be known, and its base configuration does not name this one. */
export function doesNotObey({ ref }: Named, control: Named): string {
  const here = fullName(control);
  return `${fullName({ ref })} does not obey the documents of ${here}: add "controlledBy: [${here}]" to its spec in .github/portico.yaml`;
}

/** A set selects objects, and not all of them may go where it asks for a package. */
export function notInventory(downstream: Named): string {
  return `${fullName(downstream)} may not have all objects that the set can select: the repositories with the inventory have to share with it (spec.sharing)`;
}

function fullName({ ref: { owner, name } }: Named): string {
  return `${owner}/${name}`;
}
