import type { ConfigProblem } from '../../config/config-problem.ts';
import type { ConfigResult } from '../../config/parse-repository-config.ts';
import { readConfigurationFiles } from '../../config/read-content.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import type { PackageFile } from '../../package/package.ts';
import { digestOf } from '../../revision/digest.ts';
import { repositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { whyRefused } from '../text/why-refused.ts';
import { organizationDefaults } from './organization.ts';

export const CONFIGURATION_FILE = '.github/portico.yaml';

/** Documents beside the configuration: policies and what they refer to. */
export const DOCUMENTS = repositoryDirectory('.github/portico');

/** How many changes of the folder are looked at for the last good one. */
const HISTORY = 50;

export type Configuration =
  | { readonly state: 'absent' }
  /** `problems` of the newest version, where an older one is in force. */
  | {
      readonly state: 'registered';
      readonly config: RepositoryConfig;
      readonly problems: readonly ConfigProblem[];
    }
  | { readonly state: 'broken'; readonly problems: readonly ConfigProblem[] };

/**
 * The configuration in force: the file on the default branch, or, while that has mistakes, the last version without.
 * A repository without the file is not registered, and Portico touches nothing in it.
 */
export async function loadConfiguration(
  git: Git,
  defaultBranch: string,
  signal?: AbortSignal,
): Promise<Configuration> {
  const head = await git.resolve(`refs/heads/${defaultBranch}`, signal);
  return head === null ? { state: 'absent' } : loadConfigurationAt(git, head, defaultBranch, signal);
}

/** The configuration that is in force while the default branch is at that commit. */
export async function loadConfigurationAt(
  git: Git,
  head: string,
  defaultBranch: string,
  signal?: AbortSignal,
): Promise<Configuration> {
  const newest = await readConfiguration(git, head, defaultBranch, signal);
  if (newest === null) return { state: 'absent' };
  if (newest.ok) return { state: 'registered', config: newest.config, problems: [] };
  const history = await git.log({ to: head }, { path: '.github', limit: HISTORY, firstParent: true }, signal);
  for (const commit of history.slice(1)) {
    const older = await readConfiguration(git, commit.oid, defaultBranch, signal);
    if (older?.ok === true) return { state: 'registered', config: older.config, problems: newest.problems };
  }
  return { state: 'broken', problems: newest.problems };
}

/** The file as it stands at one commit with the documents beside it, checked; null where it is not there. */
export async function readConfiguration(
  git: Git,
  commit: string,
  defaultBranch: string,
  signal?: AbortSignal,
): Promise<ConfigResult | null> {
  try {
    const bytes = await git.readFile(commit, CONFIGURATION_FILE, signal);
    if (bytes === null) return null;
    const organization = await organizationDefaults(git, signal);
    const tree = await git.treeId(commit, DOCUMENTS, signal);
    const own = new TextDecoder().decode(bytes);
    const defaults = organization && [organization.file, new TextDecoder().decode(organization.bytes)];
    const key = digestOf('portico configuration 1', [own, tree, defaultBranch, defaults ?? null]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const beside = tree === null ? new Map() : await documentFiles(git, commit, signal);
    const sources = {
      file: CONFIGURATION_FILE,
      defaultBranch,
      sources: new Map([[CONFIGURATION_FILE, { mode: '100644' as const, bytes }], ...beside]),
      ...(organization && { organization }),
    };
    const read = await (git.content?.configuration(sources, signal) ?? readConfigurationFiles(sources));
    keepNewest(known, key, read, MAX_KNOWN);
    return read;
  } catch (error) {
    return { ok: false, config: undefined, problems: [unreadableProblem(error)] };
  }
}

/** A file too large, or with a name that no file may have, is a mistake like others: what was in force before stays. */
function unreadableProblem(error: unknown): ConfigProblem {
  if (whyRefused(error) === null || !(error instanceof PorticoError)) throw error;
  const { message, hint = 'Make the file smaller.' } = error;
  return { code: 'unreadable', file: CONFIGURATION_FILE, path: '', line: 1, column: 1, message, hint };
}

/** What was read, by its content: every job asks for it. */
const known = new Map<string, ConfigResult>();
/** Configurations that are remembered, parsed, by their content. */
const MAX_KNOWN = 200;

/** All YAML files beside the configuration, by path. */
async function documentFiles(
  git: Git,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<readonly (readonly [string, PackageFile])[]> {
  const found = await git.readPackage(commit, DOCUMENTS, {}, signal);
  return [...(found?.files ?? [])]
    .filter(([path]) => /\.ya?ml$/.test(path))
    .map(([path, file]) => [`${DOCUMENTS}/${path}`, file] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
