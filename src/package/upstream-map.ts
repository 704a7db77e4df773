/** Addresses that locks name and that are elsewhere now, as `spec.upstreams.map` lists them: an old forge, and this one. */

/** `from` and `to` are addresses; where `from` ends in `/*`, so does `to`, and what stands for the star stays. */
export interface MappedAddress {
  readonly from: string;
  readonly to: string;
}

const ADDRESS = /^(?:(?:https?|ssh):\/\/|git@)[^/\s?#*]+[/:][^\s?#*]*(?:\/\*)?$/;
const TARGET = /^https?:\/\/[^/\s@?#*]+(?:\/[A-Za-z0-9_.-]+)*(?:\/\*)?$/;
const MAX_LENGTH = 500;

/** Why an entry is refused, or undefined. */
export function mappedAddressProblem({ from, to }: MappedAddress): string | undefined {
  if (from.length > MAX_LENGTH || to.length > MAX_LENGTH)
    return `must not be longer than ${MAX_LENGTH} characters`;
  if (!ADDRESS.test(from))
    return 'from must be an address such as https://git.example.com/acme/blueprints, or end in /*';
  if (!TARGET.test(to))
    return 'to must be an address such as https://github.com/acme/blueprints, or end in /*';
  if (from.endsWith('/*') !== to.endsWith('/*')) return 'from and to must both end in /*, or neither';
  return undefined;
}

/** Where a repository is now: by the first entry that fits, else as it is written. */
export function mappedAddress(map: readonly MappedAddress[], repo: string): string {
  if (map.length === 0) return repo;
  const place = placeOf(repo);
  for (const { from, to } of map) {
    const old = placeOf(from);
    if (!old.endsWith('/*')) {
      if (place.toLowerCase() === old.toLowerCase()) return to;
    } else if (place.toLowerCase().startsWith(old.slice(0, -1).toLowerCase())) {
      return `${to.slice(0, -1)}${place.slice(old.length - 1)}`;
    }
  }
  return repo;
}

/** `git@host:owner/name.git` and `https://host/owner/name` are one place: `host/owner/name`. */
function placeOf(address: string): string {
  return address
    .trim()
    .replace(/^[A-Za-z+]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/i, '');
}
