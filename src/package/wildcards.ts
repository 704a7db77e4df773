/** Patterns of gitignore and of CODEOWNERS, part by part, in time in proportion to the product of the lengths. */

/** What beginning with a part of a pattern costs, in steps. */
export const PER_PART = 20;

/**
 * After how many parts of the path the pattern can end; none where it does not match. `**` stands for any number of parts. `count` is told
 * of the comparisons.
 */
export function matchedParts(
  pattern: readonly string[],
  path: readonly string[],
  count: { steps: number } = { steps: 0 },
): readonly number[] {
  let reach = new Set([0]);
  for (const part of pattern) {
    const next = new Set<number>();
    count.steps += path.length + PER_PART;
    if (part === '**') for (let to = Math.min(...reach); to <= path.length; to += 1) next.add(to);
    else
      for (const at of reach)
        if (at < path.length && matchesName(part, path[at] ?? '', count)) next.add(at + 1);
    if (next.size === 0) return [];
    reach = next;
  }
  return [...reach];
}

/** `*` is any run of characters, `?` any one. The last `*` alone takes more: what an earlier one took can stay. */
function matchesName(pattern: string, name: string, count: { steps: number }): boolean {
  let [at, from] = [0, 0];
  let star = -1;
  let taken = 0;
  while (from < name.length) {
    count.steps += 1;
    if (pattern[at] === '*') {
      star = at;
      taken = from;
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === name[from])) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      at = star + 1;
      taken += 1;
      from = taken;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}
