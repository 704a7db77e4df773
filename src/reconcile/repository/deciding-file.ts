import { CODE_OWNER_FILES } from '../../config/code-owners.ts';
import { isOfGuardrails } from '../../config/guardrail-config.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';

/**
 * Pure: whether a file, by its path from the root of the repository, decides what is let in: the configuration, CODEOWNERS, and what
 * guardrails are made from. A package may hold such files, most of all one at the top, and they say something else in each
 * repository: what an upstream brings there a person decides.
 */
export function isDecidingFile(config: Pick<RepositoryConfig, 'guardrails'>, path: string): boolean {
  const isOwners = CODE_OWNER_FILES.some((file) => file === path);
  return path.startsWith('.github/') || isOwners || isOfGuardrails(config, path);
}
