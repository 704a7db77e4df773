import { REGISTRY_CHECK } from '../check-names.ts';
import type { CheckInput } from '../forge/checks.ts';
import { code, tableUpTo } from '../text/markdown-blocks.ts';

/** Packages that the check's table lists. */
const MAX_ROWS = 100;

/** Pure: what a commit of the registered branch says about packages that are published and cannot be pushed to the registry. */
export function registryCheck(commit: string, refused: ReadonlyMap<string, string>): CheckInput {
  const rows = [...refused].map(([path, why]) => [code(path), why]);
  const common = {
    name: REGISTRY_CHECK,
    headSha: commit,
    externalId: commit,
    status: 'completed' as const,
  };
  if (refused.size === 0) {
    return {
      ...common,
      conclusion: 'success',
      title: 'The registry is up to date',
      summary: 'The registry holds every published package as its tags record it.',
    };
  }
  return {
    ...common,
    conclusion: 'failure',
    title: `Missing from the registry: ${[...refused.keys()].join(', ')}`,
    summary: `These packages are published, and could not be pushed to the registry of \`spec.oci\`:\n\n${tableUpTo(MAX_ROWS, ['package', 'why'], rows)}`,
  };
}
