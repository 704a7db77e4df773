/** Symbolic links and submodules, which are no files of a package, although a cluster tool may follow them. */
import { sameFile, type Link, type PackageFiles } from '../package.ts';
import { isApplied } from './deploy-tools.ts';
import { contentOf, namedFiles, placeFrom } from './named-files.ts';
import { isToolFile } from './tool-files.ts';

/** One state of a package with its links. */
export interface LinkedFiles {
  readonly files: PackageFiles;
  readonly links: readonly Link[];
}

/**
 * The links whose content no check judges: all but old ones to a manifest of the package, which is judged as itself. `isChanged` is true
 * where a link is new, or leads to other content than before.
 */
export function unjudgedLinks(
  before: LinkedFiles,
  { files, links }: LinkedFiles,
): { readonly path: string; readonly isChanged: boolean }[] {
  return links.flatMap((link) => {
    const { path } = link;
    const isOld = before.links.some((one) => one.path === path && one.id === link.id);
    const target = followed(link, links);
    const isInside = target !== undefined && files.has(target);
    if (isOld && isInside && isApplied(target) && !isToolFile(path)) return [];
    const reached = isInside ? [target, ...(isToolFile(path) ? takenIn(path, target, files) : [])] : [];
    const isSame = reached.every((one) => sameFile(before.files.get(one), files.get(one)));
    return [{ path, isChanged: !isOld || !isSame }];
  });
}

/** Where a link leads in the end, by way of others; undefined outside of the package, and for links in a circle. */
function followed(link: Link, links: readonly Link[]): string | undefined {
  const targets = new Map(links.map(({ path, target }) => [path, target]));
  let place = link.path;
  for (let hops = 0; hops <= MAX_HOPS; hops += 1) {
    const through: string | undefined = linkAbove(place, targets);
    if (through === undefined) return place;
    const target = targets.get(through);
    const next: string | undefined = target === undefined ? undefined : placeFrom(through, target);
    if (next === undefined) return undefined;
    place = `${next}${place.slice(through.length)}`;
  }
  return undefined;
}

/** As many as Linux follows. */
const MAX_HOPS = 40;

/** The first link on the way to a place. */
function linkAbove(place: string, links: ReadonlyMap<string, unknown>): string | undefined {
  const parts = place.split('/');
  return parts.map((_part, at) => parts.slice(0, at + 1).join('/')).find((path) => links.has(path));
}

/** What a file of a tool names, where it is read by way of a link: paths in it begin at the link. */
function takenIn(link: string, target: string, files: PackageFiles): readonly string[] {
  return namedFiles(link, contentOf(target, files), files);
}
