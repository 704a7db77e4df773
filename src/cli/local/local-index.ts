/** The index of repositories on this machine, read from their git alone, for the command line. */

import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

import { createCatalog, type Catalog, type CatalogDraft } from '../../catalog/catalog.ts';
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts';
import { PorticoError } from '../../error.ts';
import { isRepository, openLocal, type LocalRepository } from '../../git/open-local.ts';
import { CONFIGURATION_FILE } from '../../reconcile/repository/configuration.ts';
import { indexPackages } from '../../reconcile/repository/index-packages.ts';
import {
  channelsByDirectory,
  loadRevisionRefs,
  revisionsByDirectory,
} from '../../reconcile/repository/package-revisions.ts';
import { readDocuments } from '../../reconcile/repository/variant-documents.ts';
import { TOP } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';

/**
 * Indexes the repositories in these folders; a folder that is none stands for those in it. What is checked out does not
 * count: the branch does. Throws `NO_REPOSITORY` for a folder without any.
 */
export async function indexFolders(
  folders: readonly string[],
  signal?: AbortSignal,
  onRead?: (folder: string) => void,
): Promise<Catalog> {
  const catalog = createCatalog();
  const all = [...new Set(folders.flatMap(repositoriesIn))];
  for (const [at, folder] of all.entries()) {
    onRead?.(folder);
    await indexOne(catalog, folder, at + 1, signal);
  }
  return catalog;
}

function repositoriesIn(folder: string): string[] {
  if (isRepository(folder)) return [folder];
  const inside = clonesIn(folder);
  if (inside.length > 0) return inside;
  throw new PorticoError('NO_REPOSITORY', `there is no git repository in ${folder}`, {
    blame: 'user',
    hint: 'Name a clone, or a folder of clones, with --in.',
  });
}

function clonesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .filter(isRepository)
    .toSorted();
}

/** Where somebody stands who names no folder: a folder of clones, or the repository around it. */
export function foldersHere(folder: string): readonly string[] {
  if (isRepository(folder) || clonesIn(folder).length > 0) return [folder];
  return [repositoryAbove(folder) ?? folder];
}

/** The repository that a folder lies in, or is. */
export function repositoryAbove(folder: string): string | undefined {
  if (isRepository(folder)) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : repositoryAbove(above);
}

async function indexOne(
  catalog: Catalog,
  folder: string,
  id: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  using git = await openLocal(folder, signal);
  if (git.head === null) return;
  const bytes = await git.readFile(git.head, CONFIGURATION_FILE, signal);
  const parsed =
    bytes === null
      ? undefined
      : parseRepositoryConfig(
          { file: CONFIGURATION_FILE, bytes },
          git.branch === null ? {} : { defaultBranch: git.branch },
        );
  const config = parsed?.ok === true ? parsed.config : undefined;
  const registered = config === undefined ? null : await git.resolve(`refs/heads/${config.branch}`, signal);
  const commit = registered ?? git.head;
  const directory = config?.directory ?? TOP;
  const urls = git.remotes.map(withoutCredentials);
  const [owner, name] = namesOf(urls[0], folder);
  const revisions = await loadRevisionRefs(git, signal);
  catalog.put({
    ref: { installationId: 0, id, owner, name },
    directory,
    urls: [...urls, folder],
    commit,
    packages: await indexPackages({
      git,
      below: directory,
      head: commit,
      known: undefined,
      map: config?.upstreams.map ?? [],
      signal,
    }),
    revisions: revisionsByDirectory(revisions),
    channels: channelsByDirectory(revisions),
    drafts: await draftsIn(git, commit, signal),
    // Whoever has the clones can read them all. Whom they obey may stand in defaults that are in no clone.
    visibility: 'public',
    controlledBy: [`${owner}/*`],
    labels: {},
    automerge: false,
    ...(await readDocuments({
      git,
      commit: git.head,
      inventory: config?.inventory?.directory,
      known: undefined,
      signal,
    })),
  });
}

/** Drafts and updates, of this clone and of what it was cloned from, without those of which the branch has everything. */
async function draftsIn(
  git: Pick<LocalRepository, 'refs' | 'unmerged' | 'wasTaken'>,
  head: string,
  signal: AbortSignal | undefined,
): Promise<CatalogDraft[]> {
  const [own, remote, unmerged] = await Promise.all([
    git.refs('refs/heads/', signal),
    git.refs('refs/remotes/', signal),
    git.unmerged(head, signal),
  ]);
  const branches = new Map<string, { readonly ref: string; readonly commit: string }>();
  for (const [ref, { commit }] of remote)
    branches.set(ref.replace(/^refs\/remotes\/[^/]+\//, ''), { ref, commit });
  for (const [ref, { commit }] of own) branches.set(ref.slice('refs/heads/'.length), { ref, commit });
  const drafts: CatalogDraft[] = [];
  for (const [branch, { ref, commit }] of branches) {
    const named = parseBranch(branch);
    if (named === undefined || !unmerged.has(ref) || named.kind === 'revision' || named.kind === 'ledger')
      continue;
    const draft = { kind: named.kind, directory: named.path, branch, commit };
    drafts.push({ ...draft, merged: await git.wasTaken(draft, head, signal) });
  }
  return drafts;
}

function withoutCredentials(url: string): string {
  return url.replace(/^([a-z+]+:\/\/)[^@/]*@/, '$1');
}

/** Owner and name, from an address like `https://host/owner/name.git`, or from the folder. */
function namesOf(url: string | undefined, folder: string): [owner: string, name: string] {
  const path = (url ?? '').replace(/^[a-z+]+:\/\/[^/]*\//, '').replace(/^[^/:]*:/, '');
  const parts = path
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .split('/');
  const [owner = '', name = ''] = parts.slice(-2);
  if (owner !== '' && name !== '') return [owner, name];
  return [basename(dirname(folder)), basename(folder).replace(/\.git$/, '')];
}
