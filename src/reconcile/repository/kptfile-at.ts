import { PorticoError } from '../../error.ts';
import type { Kptfile, KptfileProblem } from '../../package/kptfile-types.ts';
import { readKptfile } from '../../package/kptfile.ts';
import { mappedAddress, type MappedAddress } from '../../package/upstream-map.ts';
import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';

export interface KptfileRead {
  /** Null where there is none, or it is no YAML map. */
  readonly kptfile: Kptfile | null;
  readonly problems: readonly KptfileProblem[];
}

/** The Kptfile of a package at a commit. One that cannot be read is a problem of that package alone, not an error. */
export async function readKptfileAt(
  git: Pick<Git, 'readFile'>,
  commit: string,
  directory: RepositoryDirectory,
  signal?: AbortSignal,
): Promise<KptfileRead> {
  try {
    const bytes = await git.readFile(commit, fileIn(directory, 'Kptfile'), signal);
    return bytes === null ? { kptfile: null, problems: [] } : readKptfile(bytes);
  } catch (error) {
    if (!(error instanceof PorticoError) || error.blame !== 'user') throw error;
    return { kptfile: null, problems: [{ severity: 'error', path: '', message: error.message }] };
  }
}

/** The same with its lock as the map says where that is now. */
export function withMappedLock(read: KptfileRead, map: readonly MappedAddress[] | undefined): KptfileRead {
  const { kptfile } = read;
  const lock = kptfile?.upstreamLock;
  const git = lock?.git;
  if (kptfile === null || lock === undefined || git === undefined || map === undefined) return read;
  const repo = mappedAddress(map, git.repo);
  if (repo === git.repo) return read;
  return {
    ...read,
    kptfile: { ...kptfile, upstreamLock: { ...lock, git: { ...git, repo } } },
  };
}
