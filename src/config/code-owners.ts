/**
 * CODEOWNERS, as GitHub reads it ("About code owners"): patterns of gitignore without `!` and `[…]`; of all lines that
 * match a file the last counts, and one without owners takes them away.
 */

export interface OwnerRule {
  readonly pattern: string;
  /** As written: `@login`, `@org/team` or an e-mail address. */
  readonly owners: readonly string[];
}

/** Where the file may be; the first that is there is in force. */
export const CODE_OWNER_FILES = ['.github/CODEOWNERS', 'CODEOWNERS', 'docs/CODEOWNERS'] as const;

const MOST_RULES = 5_000;
const LONGEST_PATTERN = 500;

/** Reads the file; lines that GitHub would pass over are passed over. */
export function parseCodeOwners(text: string): OwnerRule[] {
  return text
    .split('\n')
    .slice(0, MOST_RULES)
    .flatMap((line): OwnerRule[] => {
      const [pattern = '', ...rest] = line.trim().split(/\s+/);
      if (pattern === '' || /^[#!]/.test(pattern) || /[[\]]/.test(pattern)) return [];
      if (pattern.length > LONGEST_PATTERN) return [];
      const comment = rest.findIndex((word) => word.startsWith('#'));
      return [{ pattern, owners: comment < 0 ? rest : rest.slice(0, comment) }];
    });
}

/** Who owns a file, by its path from the top of the repository; nobody is an empty list. */
export function ownersOf(rules: readonly OwnerRule[], path: string): readonly string[] {
  return rules.findLast(({ pattern }) => matchesPattern(pattern, path))?.owners ?? [];
}

/** Whether a pattern means a file; time is at most the product of their lengths. */
export function matchesPattern(pattern: string, path: string): boolean {
  const below = pattern.endsWith('/');
  const plain = pattern.replace(/^\/+|\/+$/g, '');
  if (plain === '') return pattern === '/' ? false : below;
  const anchored = pattern.startsWith('/') || plain.includes('/');
  const wanted = [...(anchored ? [] : ['**']), ...plain.split('/')];
  const parts = path.split('/');
  // `docs/*` means what lies directly in docs; every other pattern means also what lies below what it names.
  const direct = wanted.at(-1) === '*' && wanted.length > 1 && anchored;
  return matchesParts(wanted, parts, { exact: direct, below });
}

/** Whether the parts of a pattern match a path, or, unless `exact`, a folder above it. */
function matchesParts(
  wanted: readonly string[],
  parts: readonly string[],
  { exact, below }: { readonly exact: boolean; readonly below: boolean },
): boolean {
  // reach[n]: the pattern so far can end in front of part n.
  let reach = Array.from({ length: parts.length + 1 }, () => false);
  reach[0] = true;
  for (const segment of wanted) {
    const next = Array.from({ length: parts.length + 1 }, () => false);
    for (let at = 0; at <= parts.length; at += 1) {
      if (segment === '**') next[at] = reach[at] === true || (at > 0 && next[at - 1] === true);
      else if (at > 0 && reach[at - 1] === true) next[at] = matchesSegment(segment, parts[at - 1] ?? '');
    }
    reach = next;
  }
  if (exact) return reach[parts.length] === true;
  return reach.some((ends, at) => ends && at > 0 && (below ? at < parts.length : true));
}

/** `*` is any run of characters, `?` any one. */
function matchesSegment(glob: string, text: string): boolean {
  let reach = Array.from({ length: text.length + 1 }, () => false);
  reach[0] = true;
  for (const character of glob) {
    const next = Array.from({ length: text.length + 1 }, () => false);
    for (let at = 0; at <= text.length; at += 1) {
      if (character === '*') next[at] = reach[at] === true || (at > 0 && next[at - 1] === true);
      else if (at > 0 && reach[at - 1] === true) {
        next[at] = character === '?' || character === text[at - 1];
      }
    }
    reach = next;
  }
  return reach[text.length] === true;
}
