/** Pure: which of many versions a range takes. */

import clean from 'semver/functions/clean.js';
import maxSatisfying from 'semver/ranges/max-satisfying.js';

/** The newest of the names that is a version in the range; `v1.2.3` counts as 1.2.3. A name that is the range itself goes first. */
export function chooseVersion(names: readonly string[], range: string): string | undefined {
  if (names.includes(range)) return range;
  // Registries take no + in a tag; Helm writes _ for it.
  const versions = new Map<string, string>();
  for (const name of names.toSorted()) {
    const version = clean(name.replaceAll('_', '+'));
    if (version !== null && !versions.has(version)) versions.set(version, name);
  }
  const newest = maxSatisfying([...versions.keys()], range);
  return newest === null ? undefined : versions.get(newest);
}
