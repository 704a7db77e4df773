import { randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Objection } from './gate.ts';
import { WORKFLOWS } from './workflow-permission.ts';

/**
 * git asks its `update` hook about each ref of a push, at the moment when the new objects are there but not yet kept. The hook
 * reads the objections that were found beforehand and tests the conditions that need those objects; so git itself refuses
 * single refs, or all of them in an atomic push. Why each was refused goes into the file FORGE_REASONS. The hook starts no
 * process unless a condition has to be tested.
 */
const UPDATE_HOOK = `#!/bin/sh
[ -n "$FORGE_GATE" ] || exit 0
tab=$(printf '\\t')
files=${WORKFLOWS}
# As newWorkflowFile of workflow-permission.ts: each workflow file stands so at the tip of some branch.
has_known_workflows() {
  tree=$(git rev-parse --quiet --verify "$1^{commit}:$files") || return 0
  git for-each-ref --format="%(objectname):$files" refs/heads |
    git cat-file --batch-check='%(objectname)' | grep -qxF "$tree" && return 0
  known=$(for tip in $(git for-each-ref --format='%(objectname)' refs/heads); do
    git ls-tree -r "$tip" -- "$files"
  done)
  file=$(git ls-tree -r "$1^{tree}" -- "$files" | grep -vxF "$known" | head -n 1)
  [ -z "$file" ]
}
refused=0
while IFS="$tab" read -r ref unless heading reason text; do
  [ "$ref" = "$1" ] || continue
  case "$unless" in
    fast-forward) git merge-base --is-ancestor "$2" "$3" && continue ;;
    linear) [ -z "$(git rev-list --min-parents=2 --max-count=1 "$3" --not --all)" ] && continue ;;
    workflows)
      has_known_workflows "$3" && continue
      reason='refusing to allow a GitHub App to create or update workflow \`'"\${file##*$tab}"'\` without \`workflows\` permission' ;;
  esac
  [ "$refused" = 1 ] || printf '%s\\t%s\\n' "$1" "$reason" >> "$FORGE_REASONS"
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

/** Where the hook of one push says which objection stood. */
export interface PushReasons {
  readonly file: string;
  /** By ref. Takes the file away. */
  read(): Promise<ReadonlyMap<string, string>>;
}

export function pushReasons(): PushReasons {
  const file = join(tmpdir(), `forge-reasons-${randomUUID()}`);
  return {
    file,
    read: async () => {
      const text = await readFile(file, 'utf8').catch(() => '');
      await rm(file, { force: true });
      const lines = text.split('\n').filter((line) => line !== '');
      return new Map(lines.map((line) => line.split('\t') as [string, string]));
    },
  };
}

/** The objections as the hook reads them, one a line. */
export const gateText = (found: readonly Objection[]): string =>
  found
    .map((one) =>
      [one.ref, one.unless ?? 'never', one.heading || '-', one.reason, one.explanation || '-']
        .map((field) => field.replaceAll(/[\t\n]/g, ' '))
        .join('\t'),
    )
    .join('\n');
