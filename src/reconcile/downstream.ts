import type { RepositoryConfig } from '../config/repository-config.ts';
import { updateBranch } from '../revision/ref-name.ts';
import { loadConfiguration } from './configuration.ts';
import type { RepositoryFacts } from './forge-port.ts';
import type { CommitInfo } from './git-port.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { refPath } from './package-revisions.ts';
import type { Access, RepositoryRef, World } from './ports.ts';
import { withheld, type Withheld } from './update-target.ts';
import { openUpstream, type Upstream } from './upstream.ts';
import { mayFlow } from './visibility.ts';

export interface VariantTarget {
  readonly repository: RepositoryRef;
  /** Package path below the registered directory. */
  readonly package: string;
  /** A revision that somebody asked for. */
  readonly to?: string;
  /** Issue or pull request where somebody asked for it. */
  readonly askedIn?: number;
}

/** Everything about one downstream package that the update is made from. */
export interface Downstream {
  readonly access: Access;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly base: CommitInfo;
  readonly path: string;
  readonly directory: string;
  readonly upstream: Upstream;
  readonly upstreamName: string;
  /** False where the upstream is less public: nothing of it may come here, not even its name. */
  readonly visible: boolean;
  readonly branch: string;
}

/** Reads it, or says why the package is not one that is updated. */
export async function loadDownstream(
  world: World,
  target: VariantTarget,
  signal?: AbortSignal,
): Promise<Downstream | Withheld> {
  const access = await world.open(target.repository, signal);
  const [facts] = await Promise.all([access.forge.get(signal), access.git.fetch({}, signal)]);
  if (facts.archived) return withheld('archived', 'The repository is archived.');
  const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
  if (configuration.state !== 'registered')
    return withheld('not-followed', 'The repository is not registered.');
  const { config } = configuration;
  const head = await access.git.resolve(`refs/heads/${config.branch}`, signal);
  const directory = inRegistered(config.directory, target.package);
  const kptfile = head === null ? null : (await readKptfileAt(access.git, head, directory, signal)).kptfile;
  if (head === null || kptfile === null)
    return withheld('not-followed', 'There is no such package on the registered branch.');
  const found = await openUpstream(world, kptfile, signal);
  if (found.kind === 'none') {
    return withheld(
      'not-followed',
      'The package has no upstream in a repository that Portico is installed in.',
    );
  }
  const { upstream } = found;
  const upstreamFacts = await upstream.access.forge.get(signal);
  const upstreamName = `${upstreamFacts.fullName}:${refPath(upstream.directory)}`;
  return {
    access,
    facts,
    config,
    base: await access.git.commit(head, signal),
    path: target.package,
    directory,
    upstream,
    upstreamName,
    visible: mayFlow(upstreamFacts, facts),
    branch: updateBranch(refPath(directory), `${upstream.access.ref.id}:${refPath(upstream.directory)}`),
  };
}

/** Head of the update branch; null where it is not there. */
export async function branchHead(down: Downstream, signal: AbortSignal | undefined): Promise<string | null> {
  return down.access.git.resolve(`refs/heads/${down.branch}`, signal);
}

function inRegistered(directory: string, path: string): string {
  const joined = [directory, path].filter((part) => part !== '.').join('/');
  return joined;
}
