/** What a cluster would make of a folder of manifests: as little of it as Flux and Argo CD tell the forge about. */
import type { ForgeContext } from '../context.ts';
import type { GitRepository } from '../git-repository.ts';
import type { RepositoryRecord } from '../records.ts';
import { readFolder, type Manifest } from './manifests.ts';

/** Where a repository keeps what its clusters watch (https://fluxcd.io/flux/guides/repository-structure/). */
const WATCHED = 'clusters';

/** How applying a folder ends. */
export type Applied =
  | { readonly state: 'healthy' }
  | { readonly state: 'absent' | 'unreadable'; readonly message: string }
  /** Applied, and a workload does not become ready. */
  | { readonly state: 'unhealthy'; readonly message: string };

/** The objects of Flux and Argo CD that the default branch holds below `clusters/`; none where that cannot be read. */
export async function watchers(
  context: ForgeContext,
  repository: RepositoryRecord,
): Promise<readonly Manifest[]> {
  const git = context.git(repository);
  const sha = (await git.ref(`refs/heads/${repository.defaultBranch}`))?.sha;
  const folder = sha === undefined ? undefined : await readFolder(git, sha, WATCHED);
  return folder?.readable === true ? folder.objects : [];
}

/** Whether the default branch holds that folder at all. */
export async function isWatched(context: ForgeContext, repository: RepositoryRecord): Promise<boolean> {
  const git = context.git(repository);
  const sha = (await git.ref(`refs/heads/${repository.defaultBranch}`))?.sha;
  return sha !== undefined && (await git.entry(sha, WATCHED))?.type === 'tree';
}

/** Applies a folder of a commit. Nothing runs: a workload fails where no cluster could pull one of its images. */
export async function apply(git: GitRepository, sha: string, path: string): Promise<Applied> {
  const folder = await readFolder(git, sha, path);
  if (folder === undefined) return { state: 'absent', message: `${path}: no such file or directory` };
  if (!folder.readable) return { state: 'unreadable', message: `${folder.file}: yaml: cannot be read` };
  const broken = folder.objects.find((object) => imagesOf(object).some(cannotBePulled));
  if (broken === undefined) return { state: 'healthy' };
  const { kind, metadata } = broken;
  return { state: 'unhealthy', message: `${kind}/${metadata.namespace}/${metadata.name}` };
}

/** A folder as Flux and Argo CD write it (`./apps/web`), as git does. */
export const folderOf = (path: string): string => path.replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, '');

/** Whether an address, on whatever host, is this repository's. */
export function isAddressOf(context: ForgeContext, repository: RepositoryRecord, address: string): boolean {
  const path = address.replace(/\.git\/?$/, '').split(/[/:]/);
  return path.slice(-2).join('/').toLowerCase() === context.urls.fullName(repository).toLowerCase();
}

/** The names below `.invalid` lead nowhere, now and for ever (RFC 2606, section 2). */
const cannotBePulled = (image: string): boolean => /^[^/]+\.invalid(?::\d+)?\//.test(image);

/** Images of the containers of a workload, wherever its template is. */
function imagesOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(imagesOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, below]) =>
    name === 'image' && typeof below === 'string' ? [below] : imagesOf(below),
  );
}
