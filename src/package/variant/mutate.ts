/** What a variant makes of its package: package context, then pipeline, then injection, as Porch does it. */
import type { PackageFiles } from '../package.ts';
import { editYaml, type YamlEdit } from '../yaml/edit.ts';
import { injected } from './injection.ts';
import { CONTEXT_FILE, withContext, type Edited } from './package-context.ts';
import { withVariantFunctions } from './variant-pipeline.ts';
import { namespaceOf, type InventoryObject, type PackageVariant } from './variant-types.ts';

/**
 * The package as the variant wants it, before it is rendered. Only bytes that have to change do; done twice it is done
 * once. A package that lacks what the variant speaks of is refused with the reason.
 */
export function mutatePackage(
  files: PackageFiles,
  { metadata, spec }: Pick<PackageVariant, 'metadata' | 'spec'>,
  inventory: readonly InventoryObject[],
): Edited<PackageFiles> {
  const changed = new Map(files);
  const { data = {}, removeKeys = [] } = spec.packageContext ?? {};
  if (spec.packageContext !== undefined && Object.keys(data).length + removeKeys.length > 0) {
    const context = withContext(files.get(CONTEXT_FILE), spec.packageContext);
    if (!context.ok) return context;
    changed.set(CONTEXT_FILE, context.value);
  }
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return { ok: false, message: '"Kptfile" not found in the package' };
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(kptfile.bytes);
  const after = withVariantFunctions(before, metadata.name, spec.pipeline);
  if (after !== before) {
    changed.set('Kptfile', { mode: kptfile.mode, bytes: new TextEncoder().encode(after) });
  }
  return injected(changed, spec.injectors ?? [], inventory, namespaceOf(metadata));
}

/** The Kptfile with these labels and annotations: what Porch puts on a package revision when it makes or adopts it. */
export function withVariantMetadata(
  kptfile: Uint8Array,
  metadata: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  },
): Uint8Array {
  const edits = (['labels', 'annotations'] as const).flatMap((part) =>
    Object.entries(metadata[part]).map(([key, value]): YamlEdit => ({
      op: 'set',
      document: 0,
      path: ['metadata', part, key],
      value,
    })),
  );
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(kptfile);
  const after = editYaml(before, edits);
  return after === before ? kptfile : new TextEncoder().encode(after);
}
