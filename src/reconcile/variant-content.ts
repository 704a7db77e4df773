/** Pure: what a variant makes of the files of its package. */
import type { PackageFiles } from '../package/package.ts';
import { mutatePackage, withVariantMetadata } from '../package/variant/mutate.ts';
import type { Edited } from '../package/variant/package-context.ts';
import { namespaceOf, type InventoryObject } from '../package/variant/variant-types.ts';
import { digestOf } from '../revision/digest.ts';
import { markOf } from './variant-mark.ts';
import type { PlannedVariant } from './variant-plan.ts';

/**
 * The package marked as the variant's, with its context, functions and injected values. Its labels and annotations are
 * put on only when it is made or adopted, as Porch does.
 */
export function asVariant(
  files: PackageFiles,
  planned: PlannedVariant,
  options: { readonly fresh: boolean },
): Edited<PackageFiles> {
  const { spec } = planned.variant;
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return { ok: false, message: '"Kptfile" not found in the package' };
  const mark = markOf(planned.uid, spec.deletionPolicy);
  const bytes = withVariantMetadata(kptfile.bytes, {
    labels: options.fresh ? (spec.labels ?? {}) : {},
    annotations: { ...(options.fresh && spec.annotations), ...mark },
  });
  const marked =
    bytes === kptfile.bytes
      ? files
      : new Map([...files, ['Kptfile', { mode: kptfile.mode, bytes }] as const]);
  return mutatePackage(marked, planned.variant, planned.inventory);
}

/** An upstream's files with the same values, so that a merge finds no change in what the variant sets on both sides. */
export function likeVariant(files: PackageFiles, planned: PlannedVariant): PackageFiles {
  const { name, uid, namespace } = planned.variant.metadata;
  const metadata = {
    name,
    ...(uid !== undefined && { uid }),
    ...(namespace !== undefined && { namespace }),
    labels: {},
    annotations: {},
  };
  const { pipeline: _pipeline, ...spec } = planned.variant.spec;
  const mutated = mutatePackage(files, { metadata, spec }, planned.inventory);
  return mutated.ok ? mutated.value : files;
}

/** Identity of everything in the documents and the inventory that the content of the package comes from. */
export function variantDigest({ variant, inventory }: PlannedVariant): string {
  const { metadata, spec } = variant;
  const names = new Set((spec.injectors ?? []).map(({ name }) => name));
  const namespace = namespaceOf(metadata);
  const objects: readonly InventoryObject[] = inventory.filter(
    (one) => names.has(one.metadata.name) && namespaceOf(one.metadata, namespace) === namespace,
  );
  const said = [
    metadata.name,
    namespace,
    spec,
    objects.map(({ apiVersion, kind, value }) => [apiVersion, kind, value]),
  ];
  return digestOf('portico variant 1', [
    JSON.stringify(said, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  ]);
}
