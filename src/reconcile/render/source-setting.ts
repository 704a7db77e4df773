import { repositoryDirectory } from '../../revision/package-path.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import { filesAt } from '../repository/package-files.ts';
import type { SourceSetting } from '../source-port.ts';
import { runtimeFor } from './foreign-functions.ts';
import type { LoadedGuardrails } from './guardrails.ts';

/** Where a repository has the profiles of its targets. */
export const TARGETS = repositoryDirectory('.github/portico/targets');

/** With what the sources of a package are fetched and processed: the base branch says it, whatever a proposal has. */
export async function sourceSetting(
  { runtime }: Pick<Ports, 'runtime'>,
  { git, ref }: Pick<RepositoryAccess, 'git' | 'ref'>,
  {
    loaded,
    base,
    ...origin
  }: {
    readonly loaded: Pick<LoadedGuardrails, 'foreign'>;
    readonly base: string;
    /** False for a proposal from a fork. */
    readonly writable?: boolean;
  },
  signal?: AbortSignal,
): Promise<SourceSetting> {
  const inside = await filesAt(git, base, TARGETS, signal);
  return {
    owner: ref.owner,
    runtime: runtimeFor(runtime, loaded, origin),
    foreign: loaded.foreign,
    targets: new Map([...inside].map(([path, file]) => [`${TARGETS}/${path}`, file])),
  };
}
