import { PorticoError } from '../../error.ts';
import type { Kptfile, KptfileProblem } from '../../package/kptfile-types.ts';
import { readKptfile } from '../../package/kptfile.ts';
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
  directory: string,
  signal?: AbortSignal,
): Promise<KptfileRead> {
  try {
    const bytes = await git.readFile(commit, directory === '' ? 'Kptfile' : `${directory}/Kptfile`, signal);
    return bytes === null ? { kptfile: null, problems: [] } : readKptfile(bytes);
  } catch (error) {
    if (!(error instanceof PorticoError) || error.blame !== 'user') throw error;
    return { kptfile: null, problems: [{ severity: 'error', path: '', message: error.message }] };
  }
}
