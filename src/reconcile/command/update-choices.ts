import type { UpdateChoice } from '../../command/command-state.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { SOURCES_FILE } from '../../package/sources/source-files.ts';
import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import { openUpstream } from '../downstream/upstream.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { readKptfileAt, withMappedLock } from '../repository/kptfile-at.ts';
import { taggedRevisions } from '../repository/package-revisions.ts';
import { contentMayFlow, type Shared } from '../repository/visibility.ts';

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
  for (const { path, directory } of packages) {
    const written = await readKptfileAt(git, commit, directory, signal);
    const { kptfile } = withMappedLock(written, repository.config.upstreams.map);
    if (kptfile === null) continue;
    if (kptfile.upstream === undefined && kptfile.upstreamLock === undefined) {
      const document = await git.readFile(commit, fileIn(directory, SOURCES_FILE), signal);
      if (document !== null)
        choices.push({ package: path, upstream: `the sources of ${path}`, available: [], bySources: true });
      continue;
    }
    const found = await openUpstream(ports, kptfile, signal);
    if (found.kind === 'none') continue;
    const { upstream } = found;
    const from = { access: upstream.access, facts: await upstream.access.forge.get(signal) };
    if (!(await contentMayFlow(from, repository, signal))) continue;
    choices.push({
      package: path,
      upstream: `${upstream.access.ref.owner}/${upstream.access.ref.name}/${upstream.directory}`.replace(
        /\/$/,
        '',
      ),
      available: taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name),
      ...(upstream.current !== undefined && { current: upstream.current }),
    });
  }
  return choices;
}
