/** What a variant makes of the files of its package. */
import type { PackageFiles } from '../../package/package.ts';
import type { Edited } from '../../package/variant/package-context.ts';
import { namespaceOf, type InventoryObject } from '../../package/variant/variant-types.ts';
import { digestOf } from '../../revision/digest.ts';
import type { Content } from '../content-port.ts';
import { markOf } from '../repository/variant-mark.ts';
import type { PlannedVariant } from './variant-plan.ts';

/**
 * The package marked as the variant's, with its context, functions and injected values. Its labels and annotations are
 * put on only when it is made or adopted, as Porch does.
 */
export async function asVariant({
  content,
  files,
  planned,
  options,
  signal,
}: {
  readonly content: Pick<Content, 'variant'>;
  readonly files: PackageFiles;
  readonly planned: PlannedVariant;
  readonly options: { readonly fresh: boolean };
  readonly signal?: AbortSignal | undefined;
}): Promise<Edited<PackageFiles>> {
  const { spec } = planned.variant;
  if (!files.has('Kptfile')) return { ok: false, message: '"Kptfile" not found in the package' };
  const metadata = {
    labels: options.fresh ? (spec.labels ?? {}) : {},
    annotations: { ...(options.fresh && spec.annotations), ...markOf(planned.uid, spec.deletionPolicy) },
  };
  const { variant, inventory } = planned;
  return content.variant({ files, metadata, variant, inventory }, signal);
}

/** An upstream's files with the same values, so that a merge finds no change in what the variant sets on both sides. */
export async function likeVariant(
  content: Pick<Content, 'variant'>,
  files: PackageFiles,
  planned: PlannedVariant,
  signal?: AbortSignal,
): Promise<PackageFiles> {
  const { name, uid, namespace } = planned.variant.metadata;
  const metadata = {
    name,
    ...(uid !== undefined && { uid }),
    ...(namespace !== undefined && { namespace }),
    labels: {},
    annotations: {},
  };
  const { pipeline: _pipeline, ...spec } = planned.variant.spec;
  const { inventory } = planned;
  const mutated = await content.variant({ files, variant: { metadata, spec }, inventory }, signal);
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
  const sources = [
    metadata.name,
    namespace,
    spec,
    objects.map(({ apiVersion, kind, value }) => [apiVersion, kind, value]),
  ];
  return digestOf('portico variant 1', [
    JSON.stringify(sources, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)),
  ]);
}
