/**
 * Updates of a package that somebody paused: the ref `refs/portico/paused/<path>/updates` stands for it, a sealed tag that
 * says who and when. It is fetched with everything else. One that is not sealed pauses nothing.
 */
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { pausedRef } from '../../revision/ref-name.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { readSealedTag } from '../seal/sealed-ref.ts';

/** What the ref of a pause says. */
export interface Pause {
  /** Null where the ref is not Portico's: it pauses nothing, and no update of the package merges itself meanwhile. */
  readonly by: string | null;
  /** The tag that the ref leads to. */
  readonly oid: string;
}

/** The pause of the package in a directory from the top of the repository; null where there is none. */
export async function pauseOf(
  { seals }: Pick<Ports, 'seals'>,
  { git, ref: { id } }: Pick<RepositoryAccess, 'git' | 'ref'>,
  directory: RepositoryDirectory,
  signal?: AbortSignal,
): Promise<Pause | null> {
  const ref = pausedRef(directory);
  const found = (await git.refs(ref, signal)).get(ref);
  if (found === undefined) return null;
  const { oid } = found;
  const record = readSealedTag(await git.tag(oid, signal), { repository: id, ref }, seals);
  return { by: /^Paused-By: ([A-Za-z0-9_-]{1,80})$/m.exec(record ?? '')?.[1] ?? null, oid };
}

/** Brings the pauses of a repository as they stand at this moment, whatever the job has fetched before. */
export async function fetchPauses(
  { git }: Pick<RepositoryAccess, 'git'>,
  signal?: AbortSignal,
): Promise<void> {
  await git.fetch({ refspecs: ['+refs/portico/paused/*:refs/portico/paused/*'] }, signal);
}
