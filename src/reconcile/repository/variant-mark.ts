/** Pure: a package says in its Kptfile which variant it belongs to, so that git alone tells it. */
import type { VariantMark } from '../../catalog/catalog.ts';
import type { Kptfile } from '../../package/kptfile-types.ts';

const UID = 'portico.dev/variant';
const DELETION = 'portico.dev/variant-deletion';

export function readMark({ annotations }: Pick<Kptfile, 'annotations'>): VariantMark | undefined {
  const uid = annotations[UID];
  return uid === undefined ? undefined : { uid, orphan: annotations[DELETION] === 'orphan' };
}

/** The annotations of a package of this variant. The policy is said where it is not the default. */
export function markOf(uid: string, deletionPolicy: string | undefined): Readonly<Record<string, string>> {
  return { [UID]: uid, ...(deletionPolicy === 'orphan' && { [DELETION]: 'orphan' }) };
}
