/** CustomResourceDefinitions that a guardrail of schemas is given: those of configured places, read at a commit. */

import { readDefinitions } from '../../config/read-content.ts';
import type { CrdSource, GuardrailConfig } from '../../config/repository-config.ts';
import { PorticoError, type Refusal } from '../../error.ts';
import type { PackageFiles } from '../../package/package.ts';
import { firstOfEach } from '../../package/render/definitions.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { digestOf } from '../../revision/digest.ts';
import { fileIn, repositoryDirectory, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git, SiblingRepository } from '../git-port.ts';
import { keepNewest } from '../text/keep-newest.ts';

export interface Definitions {
  /** Of the content: the same definitions, the same ids. */
  readonly ids: readonly string[];
  readonly definitions: readonly KrmObject[];
}

/** Other repositories that guardrails name, in lower case. */
export function namedRepositories(guardrails: readonly Pick<GuardrailConfig, 'crds'>[]): ReadonlySet<string> {
  const named = guardrails.flatMap(({ crds }) =>
    (crds ?? []).flatMap(({ repo }) => repo?.toLowerCase() ?? []),
  );
  return new Set(named);
}

export interface Reading {
  /** Of this repository: where definitions without `repo` are read from. */
  readonly base: string;
  /** Private repositories that may be read, in lower case; absent: all that the guardrails name. */
  readonly approved?: ReadonlySet<string> | undefined;
}

/**
 * The definitions of all places of one guardrail; of two for one kind, that of the place named first. Of another
 * repository is read only what may come into this one.
 */
export async function loadDefinitions(
  git: Git,
  sources: readonly CrdSource[],
  reading: Reading,
  signal?: AbortSignal,
): Promise<Definitions | Refusal> {
  const ids: string[] = [];
  const found: KrmObject[] = [];
  for (const source of sources) {
    const place = await openPlace(git, source, reading, signal);
    if ('code' in place) return place;
    const read = await readPlace(place, signal);
    if ('code' in read) return read;
    ids.push(read.id);
    found.push(...read.definitions);
  }
  return { ids, definitions: together(ids, found) };
}

interface Place {
  readonly git: Git;
  readonly commit: string;
  readonly path: RepositoryDirectory;
  /** For people: `acme/crds@v3: crds`. */
  readonly name: string;
}

async function openPlace(
  git: Git,
  { repo, path = '', ref }: CrdSource,
  { base, approved }: Reading,
  signal: AbortSignal | undefined,
): Promise<Place | Refusal> {
  const plain = repositoryDirectory(path);
  if (repo === undefined) return { git, commit: base, path: plain, name: plain };
  if (git.siblingRepository === undefined) return notHere(repo);
  const found = await neighbourOf(git, repo, signal);
  if (found === null) return missing(repo);
  if (approved !== undefined && found.facts.visibility !== 'public' && !approved.has(repo.toLowerCase())) {
    return {
      code: NOT_APPROVED,
      message: `${repo} is not read before the merge`,
      hint: 'It is read after the merge.',
    };
  }
  const commit = await commitOf(found, plain, ref, signal);
  const name = `${repo}${ref === undefined ? '' : `@${ref}`}${plain === TOP ? '' : `: ${plain}`}`;
  if (commit !== null) {
    const reading = { ...found.git, ...(git.content && { content: git.content }) };
    return { git: reading, commit, path: plain, name };
  }
  const message = `${repo} has no ${ref ?? `branch ${found.facts.defaultBranch}`}`;
  return broken(
    message,
    'Set ref in crds to a revision of the package at path, a tag, a branch or a full commit id.',
  );
}

/** The code of what an unapproved configuration may not have read for it. */
export const NOT_APPROVED = 'CRDS_NOT_APPROVED';

/** What is said of a repository that was removed, or taken out of the installation, since they were listed. */
const GONE = new Set(['GIT_NOT_FOUND', 'GIT_AUTH', 'FORGE_NOT_FOUND', 'FORGE_INVALID']);

/** One that cannot be fetched now is another try for the queue, except where it is gone. */
async function neighbourOf(
  git: Git,
  repo: string,
  signal: AbortSignal | undefined,
): Promise<SiblingRepository | null> {
  try {
    return (await git.siblingRepository?.(repo, signal)) ?? null;
  } catch (error) {
    if (error instanceof PorticoError && GONE.has(error.code)) return null;
    throw error;
  }
}

async function commitOf(
  { git, facts: { defaultBranch } }: SiblingRepository,
  path: RepositoryDirectory,
  ref: string | undefined,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (ref === undefined) return git.resolve(`refs/heads/${defaultBranch}`, signal);
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref)) return git.resolve(ref, signal);
  // The package of the revision is the folder itself, or one above it.
  const parts = path === TOP ? [] : path.split('/');
  const tags = parts.map((_part, at) => `refs/tags/${parts.slice(0, parts.length - at).join('/')}/${ref}`);
  for (const name of [...tags, `refs/tags/${ref}`, `refs/heads/${ref}`]) {
    const commit = await git.resolve(name, signal);
    if (commit !== null) return commit;
  }
  return null;
}

interface Read {
  readonly id: string;
  readonly definitions: readonly KrmObject[];
}

/** What was read, by the identity of its content. */
const known = new Map<string, Read>();
/** Sets of definitions that are remembered by their commit. */
const MAX_KNOWN = 50;

async function readPlace(
  { git, commit, path, name }: Place,
  signal: AbortSignal | undefined,
): Promise<Read | Refusal> {
  try {
    const tree = await git.treeId(commit, path, signal);
    const file = tree === null ? await git.readFile(commit, path, signal) : null;
    const id = tree ?? (file && digestOf('portico definitions 1', new TextDecoder().decode(file)));
    if (id === null)
      return broken(
        `${name} does not exist`,
        'Set path in crds to a file or directory, relative to the root of the repository.',
      );
    const before = known.get(id);
    if (before !== undefined) return before;
    const files: PackageFiles =
      file === null
        ? await filesOf(git, commit, path, signal)
        : new Map([[path, { mode: '100644', bytes: file }]]);
    const definitions = await (git.content?.definitions(files, signal) ?? readDefinitions(files).definitions);
    if (definitions.length === 0) {
      return broken(`${name} holds no CustomResourceDefinition`, 'Fix path in crds.');
    }
    if (definitions.length > MAX_DEFINITIONS) {
      return broken(
        `${name} holds more than ${MAX_DEFINITIONS} definitions`,
        'Name a smaller directory in crds.',
      );
    }
    return keep({ id, definitions });
  } catch (error) {
    if (
      !(error instanceof PorticoError) ||
      !/^(?:YAML|NOT_A_|PACKAGE_|FILE_|INVALID_PATH|CONTENT_(?!PROCESS|LATER|BUG))/.test(error.code)
    )
      throw error;
    return broken(
      `${name}: ${error.message}`,
      error.hint ?? 'Fix the file, or name a smaller directory in crds.',
    );
  }
}

/** Definitions of one folder; each of them is compiled. */
const MAX_DEFINITIONS = 3_000;

async function filesOf(
  git: Git,
  commit: string,
  path: RepositoryDirectory,
  signal: AbortSignal | undefined,
): Promise<PackageFiles> {
  const found = await git.readPackage(commit, path, {}, signal);
  return new Map([...(found?.files ?? [])].map(([name, file]) => [fileIn(path, name), file]));
}

function keep(read: Read): Read {
  keepNewest(known, read.id, read, MAX_KNOWN);
  return read;
}

/** The same list for the same places, so that what functions read of it is kept with it. */
const lists = new Map<string, readonly KrmObject[]>();

function together(ids: readonly string[], found: readonly KrmObject[]): readonly KrmObject[] {
  const key = ids.join(' ');
  const before = lists.get(key);
  if (before !== undefined) return before;
  if (lists.size >= MAX_KNOWN) lists.clear();
  const definitions = firstOfEach(found);
  lists.set(key, definitions);
  return definitions;
}

function missing(repo: string): Refusal {
  return broken(
    `${repo} cannot be read: no such repository has Portico installed and shares with this one`,
    'Install Portico in it and, if it is private, allow sharing on both sides (`sharing.to` there, `sharing.from` here); or fix repo in crds; or copy the definitions into this repository.',
  );
}

function notHere(repo: string): Refusal {
  return broken(
    `${repo} cannot be read here`,
    'Only the App can read it. On the command line, set crds to a path in this repository.',
  );
}

function broken(message: string, hint: string): Refusal {
  return { code: 'GUARDRAIL_CRDS', message, hint };
}
