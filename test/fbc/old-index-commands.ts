/** What the commands for old indexes did with a bundle, as the golden cases know it. */

import { byText } from '../../src/fbc/go-text.ts';
import { packageOfBundles, type OldBundle, type OldChannel } from '../../src/fbc/old-index.ts';
import { type Parsed } from '../../src/fbc/version.ts';

export interface TailEntry {
  readonly channels: readonly string[];
  readonly replaces: readonly string[];
  readonly replacedBy: readonly string[];
}

/**
 * Marks a bundle as deprecated, which takes away everything below it. The head of the default channel is refused; what no
 * channel has is passed by.
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

/** A bundle and everything below it, with the channels that have it and the edges from and to it. */
export function tailOf(name: string, channels: ReadonlyMap<string, OldChannel>): Map<string, TailEntry> {
  const own = new Map<string, { channels: Set<string>; replaces: Set<string>; replacedBy: Set<string> }>();
  const at = (one: string): { channels: Set<string>; replaces: Set<string>; replacedBy: Set<string> } => {
    const found = own.get(one) ?? { channels: new Set(), replaces: new Set(), replacedBy: new Set() };
    own.set(one, found);
    return found;
  };
  for (const [channel, { entries }] of channels) {
    for (const [entry, { replaces, skips }] of entries) {
      at(entry).channels.add(channel);
      for (const below of [replaces, ...skips].filter((one) => one !== '')) {
        at(entry).replaces.add(below);
        at(below).replacedBy.add(entry);
      }
    }
  }
  const tail = new Map<string, TailEntry>();
  const open = [name];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    if (tail.has(here)) continue;
    const found = at(here);
    const entry = {
      channels: sorted(found.channels),
      replaces: sorted(found.replaces),
      replacedBy: sorted(found.replacedBy),
    };
    tail.set(here, entry);
    open.push(...entry.replaces);
  }
  return tail;
}

function sorted(names: ReadonlySet<string>): string[] {
  return [...names].sort(byText);
}
