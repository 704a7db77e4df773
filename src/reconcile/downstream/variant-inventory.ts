/** Pure: the inventory objects that the variants of a control repository may use. */
import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { InventoryObject } from '../../package/variant/variant-types.ts';
import { isSameOwner, mayFlow } from '../repository/visibility.ts';

export interface Inventory {
  /** What sets select. */
  readonly all: readonly InventoryObject[];
  /** False where a file could not be read, so that objects may be missing. */
  readonly isWhole: boolean;
  /** What may be injected into packages of a repository: what it may not have is not there for it. */
  for(downstream: CatalogRepository): readonly InventoryObject[];
}

/** Objects of the repository itself, and of those of its owner that are registered as an inventory and share with it. */
export function inventoryOf(catalog: Catalog, control: CatalogRepository): Inventory {
  const own = objectsIn([...control.inventory, ...control.documents]);
  const others = catalog
    .all()
    .filter((other) => other.ref.id !== control.ref.id && isSameOwner(other, control))
    .filter((other) => other.inventory.length > 0 && mayFlow(other, control));
  const all = [...own, ...others.flatMap(({ inventory }) => objectsIn(inventory))];
  const known = new Map<number, readonly InventoryObject[]>();
  return {
    all,
    isWhole: [control, ...others].every(({ inventory }) =>
      inventory.every(({ problems }) => problems.length === 0),
    ),
    for(downstream) {
      const before = known.get(downstream.ref.id);
      if (before !== undefined) return before;
      const shared = others.filter((other) => mayFlow(other, downstream));
      const objects =
        shared.length === others.length
          ? all
          : [...own, ...shared.flatMap(({ inventory }) => objectsIn(inventory))];
      known.set(downstream.ref.id, objects);
      return objects;
    },
  };
}

function objectsIn(files: CatalogRepository['documents']): InventoryObject[] {
  return files.flatMap(({ documents }) =>
    documents.flatMap((one) => (one.kind === 'object' ? [one.object] : [])),
  );
}
