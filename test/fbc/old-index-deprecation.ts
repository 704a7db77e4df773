/** How `opm index deprecatetruncate` marked a bundle of an old index: Portico has no such command, only the rule of `packageOfBundles`. */
import { packageOfBundles, type OldBundle } from '../../src/fbc/old-index.ts';
import type { Parsed } from '../../src/fbc/version.ts';

/**
 * Marks a bundle as deprecated, which removes everything below it. Refuses the head of the default channel, and ignores a bundle that no
 * channel has.
 */
export function deprecateBundle(
  bundles: readonly OldBundle[],
  deprecated: ReadonlySet<string>,
  bundle: OldBundle,
): Parsed<ReadonlySet<string>> {
  const before = packageOfBundles(bundles, 'replaces', deprecated);
  if (before.value === undefined) return before;
  const { channels, defaultChannel } = before.value;
  if (![...channels.values()].some(({ entries }) => entries.has(bundle.name))) return { value: deprecated };
  if (channels.get(defaultChannel)?.head !== bundle.name)
    return { value: new Set([...deprecated, bundle.name]) };
  const what = `error deprecating bundle ${bundle.image ?? bundle.name}`;
  return { problem: `${what}: Bundle deprecation causing default channel removal` };
}
