import { repositoryName } from '../../catalog/catalog.ts';
import type { UpdateChoice } from '../../command/command-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { SOURCES_FILE } from '../../package/sources/source-files.ts';
import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import { openUpstream, type Upstream } from '../downstream/upstream.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { readKptfileAt, withMappedLock } from '../repository/kptfile-at.ts';
import type { UpstreamAccess } from '../repository/outside-upstream.ts';
import { filesAt } from '../repository/package-files.ts';
import { taggedRevisions } from '../repository/package-revisions.ts';
import { contentMayFlow, type Shared } from '../repository/visibility.ts';
import { rolledBackOf } from '../rollout/rolled-back.ts';
import type { SourceStanding } from '../source-port.ts';

/**
 * What packages, as they stand at a commit, could be updated to. Those without an upstream are left out, and those
 * whose upstream may not be known here: what people say about it must not tell of it.
 */
export async function updateChoices(
  { ports, access: { git }, signal }: RepositoryWork<keyof Ports, 'git'>,
  repository: Shared & { readonly config: Pick<RepositoryConfig, 'upstreams'> },
  commit: string,
  packages: readonly { readonly path: string; readonly directory: RepositoryDirectory }[],
): Promise<UpdateChoice[]> {
  const choices: UpdateChoice[] = [];
  // Many packages follow one repository, which is asked once.
  const flows = new Map<UpstreamAccess['git'] | number, Promise<boolean>>();
  const flowsFrom = ({ access }: Upstream): Promise<boolean> => {
    const key = access.ref.id > 0 ? access.ref.id : access.git;
    const answer =
      flows.get(key) ??
      access.forge.get(signal).then((facts) => contentMayFlow({ access, facts }, repository, signal));
    flows.set(key, answer);
    return answer;
  };
  for (const { path, directory } of packages) {
    const written = await readKptfileAt(git, commit, directory, signal);
    const { kptfile } = withMappedLock(written, repository.config.upstreams.map);
    if (kptfile === null) continue;
    if (kptfile.upstream === undefined && kptfile.upstreamLock === undefined) {
      const document = await git.readFile(commit, fileIn(directory, SOURCES_FILE), signal);
      if (document === null) continue;
      const reading = await ports.sources?.read(await filesAt(git, commit, directory, signal), signal);
      choices.push({
        package: path,
        upstream: `the sources of ${path}`,
        available: [],
        bySources: true,
        ...(reading?.kind === 'sources' && { sources: movable(reading.sources) }),
      });
      continue;
    }
    const found = await openUpstream(ports, kptfile, signal);
    if (found.kind === 'none') continue;
    const { upstream } = found;
    if (!(await flowsFrom(upstream))) continue;
    choices.push({
      package: path,
      upstream: `${repositoryName(upstream.access)}/${upstream.directory}`.replace(/\/$/, ''),
      available: taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name),
      ...(upstream.current !== undefined && { current: upstream.current }),
      ...(isRolledBack(ports, upstream) && { isRolledBack: true }),
    });
  }
  return choices;
}

function isRolledBack(
  { catalog }: Pick<Ports, 'catalog'>,
  { access, directory, current }: Pick<Upstream, 'access' | 'directory' | 'current'>,
): boolean {
  return current !== undefined && rolledBackOf(catalog, access.ref.id, directory).includes(current);
}

/** Those that lead elsewhere tomorrow, or nowhere yet. */
function movable(sources: readonly SourceStanding[]): readonly string[] {
  return sources
    .filter(({ isImmutable, pinned }) => !isImmutable || pinned === undefined)
    .map(({ id }) => id);
}
