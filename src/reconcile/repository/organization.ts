import { parseRepositoryConfig } from '../../config/parse-repository-config.ts';
import type { Git } from '../git-port.ts';
import { catchUserError } from '../text/why-refused.ts';

/** The organisation's repository with defaults, by GitHub's own convention. */
export const ORGANIZATION_REPOSITORY = '.github';

const FILE = '.github/portico.yaml';
const HISTORY = 50;

/**
 * The organisation's defaults, which a repository's configuration is merged over; while the newest has mistakes, the
 * last version without, and where there is none, the newest as it is. Undefined where there are none. Throws what reading
 * throws.
 */
export async function organizationDefaults(
  git: Git,
  signal?: AbortSignal,
): Promise<{ readonly file: string; readonly bytes: Uint8Array } | undefined> {
  const organization = (await git.organization?.(signal)) ?? null;
  if (organization === null) return undefined;
  const head = await organization.git.resolve(`refs/heads/${organization.defaultBranch}`, signal);
  if (head === null) return undefined;
  const file = `${ORGANIZATION_REPOSITORY}: ${FILE}`;
  /** Null where there is none, undefined where it has mistakes. */
  const goodAt = async (commit: string): Promise<Uint8Array | null | undefined> => {
    const bytes = await catchUserError(
      () => organization.git.readFile(commit, FILE, signal),
      () => undefined,
    );
    if (bytes === null || bytes === undefined) return bytes;
    return parseRepositoryConfig({ file, bytes }).ok ? bytes : undefined;
  };
  const newest = await goodAt(head);
  if (newest === null) return undefined;
  if (newest !== undefined) return { file, bytes: newest };
  const history = { path: FILE, limit: HISTORY, firstParent: true };
  for (const commit of (await organization.git.log({ to: head }, history, signal)).slice(1)) {
    const bytes = await goodAt(commit.oid);
    if (bytes !== null && bytes !== undefined) return { file, bytes };
  }
  // Without its defaults a repository would be judged by fewer guardrails: its configuration has their mistakes instead.
  const broken = await organization.git.readFile(head, FILE, signal);
  return broken === null ? undefined : { file, bytes: broken };
}
