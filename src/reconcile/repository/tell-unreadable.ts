import { AGGREGATE_CHECK, CONFIG_CHECK } from '../check-names.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { RepositoryAccess } from '../ports.ts';
import { SUMMARY_MARKER } from '../text/summary-marker.ts';
import { loadConfiguration } from './configuration.ts';

const TITLE = 'This proposal cannot be checked';

/** The check that merging needs, failed, where nothing else could be found out. */
export function unreadableCheck(headSha: string, why: string): CheckInput {
  return {
    name: AGGREGATE_CHECK,
    headSha,
    externalId: '',
    status: 'completed',
    conclusion: 'failure',
    title: TITLE,
    summary: why,
  };
}

/** Tells who proposes what cannot be read: by the check, and by the comment that else sums the proposal up. */
export async function tellUnreadable(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  number: number,
  why: string,
  signal?: AbortSignal,
): Promise<void> {
  const pull = await forge.getPull(number, signal);
  if (pull === null || pull.state === 'closed') return;
  await forge.putChecks([unreadableCheck(pull.headSha, why)], signal);
  await forge.upsertSticky(number, SUMMARY_MARKER, `### ${TITLE}\n\n${why}`, signal);
}

/** Tells whoever looks at the newest commit of a repository that it is too large to be looked at. */
export async function tellUnreadableRepository(
  { git, forge }: Pick<RepositoryAccess, 'git' | 'forge'>,
  why: string,
  signal?: AbortSignal,
): Promise<void> {
  const { defaultBranch, archived } = await forge.get(signal);
  const headSha = await git.resolve(`refs/heads/${defaultBranch}`, signal);
  const { state } = await loadConfiguration(git, defaultBranch, signal);
  if (headSha === null || archived || state === 'absent') return;
  const title = 'This repository cannot be checked';
  await forge.putCheck({ ...unreadableCheck(headSha, why), name: CONFIG_CHECK, title }, signal);
}
