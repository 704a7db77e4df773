import { parseRepositoryConfig } from '../config/parse-repository-config.ts';
import type { Git } from './git-port.ts';

/** The organisation's repository with defaults, by GitHub's own convention. */
export const ORGANIZATION_REPOSITORY = '.github';

const FILE = '.github/portico.yaml';
const HISTORY = 50;

/**
 * The organisation's defaults, which a repository's configuration is merged over; while the newest has mistakes, the
 * last version without. Undefined where there are none.
 */
export async function organizationDefaults(
  git: Git,
  signal?: AbortSignal,
): Promise<{ readonly file: string; readonly bytes: Uint8Array } | undefined> {
  const home = (await git.organization?.(signal)) ?? null;
  if (home === null) return undefined;
  const head = await home.git.resolve(`refs/heads/${home.defaultBranch}`, signal);
  const newest = head === null ? null : await home.git.readFile(head, FILE, signal);
  if (head === null || newest === null) return undefined;
  const file = `${ORGANIZATION_REPOSITORY}: ${FILE}`;
  if (parseRepositoryConfig({ file, bytes: newest }).ok) return { file, bytes: newest };
  const history = { path: FILE, limit: HISTORY, firstParent: true };
  for (const commit of (await home.git.log({ to: head }, history, signal)).slice(1)) {
    const bytes = await home.git.readFile(commit.oid, FILE, signal);
    if (bytes !== null && parseRepositoryConfig({ file, bytes }).ok) return { file, bytes };
  }
  return undefined;
}
