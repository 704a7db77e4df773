import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Objection } from './gate.ts';

/**
 * git asks its `update` hook about each ref of a push, at the moment when the new objects are there but not yet kept. The hook
 * reads the objections that were found beforehand and tests the conditions that need those objects; so git itself refuses
 * single refs, or all of them in an atomic push. It starts no process unless a condition has to be tested.
 */
const UPDATE_HOOK = `#!/bin/sh
[ -n "$FORGE_GATE" ] || exit 0
tab=$(printf '\\t')
refused=0
while IFS="$tab" read -r ref unless heading text; do
  [ "$ref" = "$1" ] || continue
  case "$unless" in
    fast-forward) git merge-base --is-ancestor "$2" "$3" && continue ;;
    linear) [ -z "$(git rev-list --min-parents=2 --max-count=1 "$3" --not --all)" ] && continue ;;
    workflows) [ -z "$(git rev-list --max-count=1 "$3" --not --all -- .github/workflows)" ] && continue ;;
  esac
  [ "$heading" = "-" ] || [ "$refused" = 1 ] || echo "error: $heading" >&2
  [ "$text" = "-" ] || echo "error: $text" >&2
  refused=1
done <<END
$FORGE_GATE
END
exit $refused
`;

/** Writes the hook where \`core.hooksPath\` of a push points, and returns that directory. */
export async function writePushHook(dataDir: string): Promise<string> {
  const directory = join(dataDir, 'hooks');
  const file = join(directory, 'update');
  await mkdir(directory, { recursive: true });
  await writeFile(file, UPDATE_HOOK);
  await chmod(file, 0o755);
  return directory;
}

/** The objections as the hook reads them, one a line. */
export const gateText = (found: readonly Objection[]): string =>
  found
    .map((one) =>
      [one.ref, one.unless ?? 'never', one.heading || '-', one.explanation || '-']
        .map((field) => field.replaceAll(/[\t\n]/g, ' '))
        .join('\t'),
    )
    .join('\n');
