import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { repositoryPlace } from '../../catalog/repository-place.ts';
import { planUpdate, type Follow, type Position, type Subscriber } from '../../channels/plan.ts';
import { newestInRange } from '../../config/follow.ts';
import { parseRepositoryConfig } from '../../config/parse-repository-config.ts';
import { PorticoError } from '../../error.ts';
import { isRepository, openLocal } from '../../git/open-local.ts';
import type { GitLocation } from '../../package/kptfile-types.ts';
import { readKptfile } from '../../package/kptfile.ts';
import { fileIn, repositoryDirectory, TOP } from '../../revision/package-path.ts';
import { readFolder } from '../folder.ts';
import type { UpstreamClone } from './upstream-clone.ts';

const CONFIGURATION = '.github/portico.yaml';

/** One package somewhere, as its Kptfile and its repository's configuration have it. */
interface DownstreamPackage {
  readonly name: string;
  readonly commit?: string;
  readonly lock: (GitLocation & { readonly commit: string }) | undefined;
  readonly upstream: GitLocation;
  readonly follow: Follow;
}

export interface Downstreams {
  readonly subscribers: readonly Subscriber[];
  /** What is left out, in sentences. */
  readonly notes: readonly string[];
}

export interface FindDownstreams {
  /** Clones, folders of clones, and directories with Kptfiles; the upstream's own packages count anyway. */
  readonly folders: readonly string[];
  /** What is followed where no configuration says it. */
  readonly follow: Follow;
  readonly signal: AbortSignal;
}

/** Who is made from a package of the upstream, and what each gets next; by name. */
export async function findDownstreams(upstream: UpstreamClone, find: FindDownstreams): Promise<Downstreams> {
  const notes: string[] = [];
  const note = (text: string): void => void notes.push(text);
  const packages: DownstreamPackage[] = [];
  for (const folder of new Set([upstream.folder, ...find.folders.flatMap(placesIn)])) {
    // Its own packages are named alike in every clone.
    const own = folder === upstream.folder ? (upstream.source.repository ?? '.') : undefined;
    const found = isRepository(folder)
      ? await inRepository(folder, own, find, note)
      : inFolder(folder, find, note);
    packages.push(...found);
  }
  const byDirectory = new Map(upstream.packages.map((one) => [one.directory, one]));
  const subscribers: Subscriber[] = [];
  let elsewhere = 0;
  for (const { name, commit, lock, upstream: origin, follow } of packages) {
    const of = byDirectory.get(repositoryDirectory((lock ?? origin).directory));
    if (!upstream.places.has(repositoryPlace((lock ?? origin).repo)) || of === undefined) {
      elsewhere += 1;
      continue;
    }
    if (lock === undefined) {
      note(`${name} has an upstream but no lock; portico update writes one`);
      continue;
    }
    const at = await positionOf(upstream, of, lock, find.signal);
    const planned = planUpdate(of.offer, { at, follow, newestInRange });
    const place = commit === undefined ? {} : { commit };
    subscribers.push({ downstream: name, ...place, upstream: of.offer.path, at, follow, planned });
  }
  if (elsewhere > 0) note(`${elsewhere} packages with other upstreams are skipped`);
  return { subscribers: subscribers.sort((a, b) => (a.downstream < b.downstream ? -1 : 1)), notes };
}

/** A repository or a directory with a Kptfile stands for itself, another folder for what is in it. */
function placesIn(folder: string): string[] {
  if (isRepository(folder)) return [folder];
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    throw new PorticoError('NO_REPOSITORY', `${folder} cannot be read`, {
      blame: 'user',
      cause,
      hint: 'Name a clone, a folder of clones, or a directory with Kptfiles.',
    });
  }
  const clones = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .filter(isRepository);
  return clones.length > 0 ? clones.sort() : [folder];
}

async function inRepository(
  folder: string,
  named: string | undefined,
  { follow: otherwise, signal }: FindDownstreams,
  note: (text: string) => void,
): Promise<DownstreamPackage[]> {
  using git = await openLocal(folder, signal);
  if (git.head === null) return [];
  const bytes = await git.readFile(git.head, CONFIGURATION, signal);
  const config = configOf(folder, bytes, git.branch, note);
  const registered = config === undefined ? null : await git.resolve(`refs/heads/${config.branch}`, signal);
  const commit = registered ?? git.head;
  const directory = config?.directory ?? TOP;
  const name = named ?? nameOf(git.remotes[0], folder);
  if (config?.updates.soak !== undefined || config?.updates.schedule !== undefined)
    note(`${name}: its soak and schedule, which decide when updates come, are not in the plan`);
  const found: DownstreamPackage[] = [];
  for (const { path, directory: at } of await git.findPackages(commit, directory, signal)) {
    const kptfile = await git.readFile(commit, fileIn(at, 'Kptfile'), signal);
    const follow = config?.updates.follow ?? otherwise;
    const one = kptfile === null ? undefined : packageOf(kptfile, `${name}:${path}`, follow, note);
    if (one !== undefined) found.push({ ...one, commit });
  }
  return found;
}

function inFolder(
  folder: string,
  { follow: otherwise }: FindDownstreams,
  note: (text: string) => void,
): DownstreamPackage[] {
  const files = readFolder(folder, { warn: note });
  const config = configOf(folder, files.get(CONFIGURATION)?.bytes ?? null, null, note);
  return [...files].flatMap(([path, { bytes }]) => {
    if (path !== 'Kptfile' && !path.endsWith('/Kptfile')) return [];
    const below = path === 'Kptfile' ? '.' : path.slice(0, -'/Kptfile'.length);
    const follow = config?.updates.follow ?? otherwise;
    return packageOf(bytes, `${basename(folder)}:${below}`, follow, note) ?? [];
  });
}

function configOf(
  folder: string,
  bytes: Uint8Array | null,
  branch: string | null,
  note: (text: string) => void,
): Extract<ReturnType<typeof parseRepositoryConfig>, { ok: true }>['config'] | undefined {
  if (bytes === null) return undefined;
  const here = branch === null ? {} : { defaultBranch: branch };
  const parsed = parseRepositoryConfig({ file: CONFIGURATION, bytes }, here);
  if (parsed.ok) return parsed.config;
  note(`${folder}: ${CONFIGURATION} cannot be used: ${parsed.problems[0]?.message ?? 'it has errors'}`);
  return undefined;
}

/** Undefined for a package that is made from none. */
function packageOf(
  bytes: Uint8Array,
  name: string,
  follow: Follow,
  note: (text: string) => void,
): DownstreamPackage | undefined {
  try {
    const { upstream, upstreamLock } = readKptfile(bytes).kptfile;
    return upstream?.git === undefined
      ? undefined
      : { name, lock: upstreamLock?.git, upstream: upstream.git, follow };
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    note(`${name}: the Kptfile cannot be read: ${error.message}`);
    return undefined;
  }
}

/** `owner/name` of an address, or the folder's own name. */
function nameOf(url: string | undefined, folder: string): string {
  const parts = url === undefined || url.startsWith('/') ? [] : repositoryPlace(url).split('/').slice(-2);
  return parts.length === 2 ? parts.join('/') : basename(folder);
}

/** The revision that a lock leads to: by its commit, or by content that is the same. kpt writes ids of tag objects too. */
async function positionOf(
  { git, refs }: UpstreamClone,
  { directory, revisions }: UpstreamClone['packages'][number],
  lock: GitLocation & { readonly commit: string },
  signal: AbortSignal,
): Promise<Position> {
  const named = lock.ref.slice(lock.ref.lastIndexOf('/') + 1);
  const commit = await git.resolve(lock.commit, signal);
  const same = revisions.filter((one) => one.commit === commit);
  const byCommit = same.find(({ name }) => name === named) ?? same.at(-1);
  if (byCommit !== undefined) return { kind: 'revision', revision: byCommit.name };
  const tree = commit === null ? null : await git.treeId(commit, directory, signal);
  const alike = tree === null ? [] : revisions.filter((one) => one.tree === tree);
  const byTree = alike.find(({ name }) => name === named) ?? alike.at(-1);
  if (byTree !== undefined) return { kind: 'revision', revision: byTree.name };
  const below = commit === null ? undefined : await git.tagsBelow(commit, signal);
  const prefix = `refs/tags/${fileIn(directory, '')}`;
  const nearest =
    below === undefined
      ? revisions.find(({ name }) => name === named)
      : revisions.findLast(({ name }) => below.has(prefix + name) && refs.has(prefix + name));
  return { kind: 'drifted', commit: lock.commit, ...(nearest && { nearest: nearest.name }) };
}
