/** What a proposal changes and Portico neither renders nor checks, so that nothing passes without a word. */
import type { ResourceChangeKind } from '../../package/diff/diff-types.ts';
import { SOURCES_FILE, sourcesBuild } from '../../package/sources/source-files.ts';
import { isApplied } from '../../package/tool-files/deploy-tools.ts';
import { KUSTOMIZATION_NAMES } from '../../package/tool-files/kustomization.ts';
import { fileIn, isBelow } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import type { PathChange } from '../git-port.ts';
import type { RepositoryAccess } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { code } from '../text/markdown-blocks.ts';
import type { PackageChange } from './proposal-changes.ts';

export interface LeftOut {
  /** Files with resources outside of all packages. */
  readonly outside: readonly string[];
  /** Symbolic links and submodules in packages. */
  readonly links: readonly { readonly path: string; readonly what: 'symbolic link' | 'submodule' }[];
  /** Charts and kustomizations in packages without processors. */
  readonly unbuilt: readonly string[];
  /** Packages that get a revision although none of their resources changes, with the files that change. */
  readonly stray: readonly {
    readonly path: string;
    readonly revision: string;
    readonly files: readonly string[];
    /** Those of them that the base branch does not have: what it has may be content. */
    readonly added: readonly string[];
  }[];
}

/** Files outside of packages that are read to see whether they hold resources. */
const MAX_READ = 50;
/** Larger files are read no further. */
const MAX_BYTES = 1024 * 1024;

export async function leftOut(
  { git }: Pick<RepositoryAccess, 'git'>,
  { mergeBase, packages, otherFiles }: Pick<ProposalSnapshot, 'mergeBase' | 'packages' | 'otherFiles'>,
  { head, changes }: { readonly head: string; readonly changes: readonly PackageChange[] },
  signal?: AbortSignal,
): Promise<LeftOut> {
  const all = await git.changedPaths(mergeBase, head, signal);
  const kept = packages.filter(({ trees }) => trees.head !== null);
  const inside = all.filter(
    ({ path, after }) => after !== null && kept.some(({ directory }) => isBelow(directory, path)),
  );
  const outside: string[] = [];
  const manifests = otherFiles.filter(
    ({ path, blob }) =>
      blob !== null && isApplied(path) && !path.split('/').some((part) => part.startsWith('.')),
  );
  for (const { path } of manifests.slice(0, MAX_READ)) {
    const bytes = await git.readFile(head, path, signal);
    if (bytes !== null && bytes.length <= MAX_BYTES && holdsResources(bytes)) outside.push(path);
  }
  const unbuilt: string[] = [];
  for (const { directory } of kept) {
    const found = inside.filter(({ path }) => isBelow(directory, path) && isBuildable(path));
    if (found.length === 0) continue;
    const sources = await git.readFile(head, fileIn(directory, SOURCES_FILE), signal);
    if (sources === null || !sourcesBuild(sources)) unbuilt.push(...found.map(({ path }) => path));
  }
  return { outside, links: inside.flatMap(linkOf), unbuilt, stray: strayOf(changes, inside) };
}

/** Documents for Portico and kpt are no content of a cluster. */
const OURS = /^\s*"?apiVersion"?:\s*["']?[\w.-]*(?:portico\.dev|kpt\.dev)\//m;

function holdsResources(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  const isResource = /^[\s{]*"?apiVersion"?:/m.test(text) && /^[\s{]*"?kind"?:/m.test(text);
  return isResource && !OURS.test(text);
}

function isBuildable(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name === 'Chart.yaml' || KUSTOMIZATION_NAMES.includes(name);
}

function linkOf({ path, after }: PathChange): LeftOut['links'] {
  if (after?.mode === '120000') return [{ path, what: 'symbolic link' }];
  return after?.mode === '160000' ? [{ path, what: 'submodule' }] : [];
}

const WRITTEN: ReadonlySet<string> = new Set<ResourceChangeKind>(['comments', 'order', 'format']);

/** The Kptfile and the configuration of functions belong to the package, so a change of them explains the revision. */
function strayOf(changes: readonly PackageChange[], inside: readonly PathChange[]): LeftOut['stray'] {
  return changes.flatMap(({ path, directory, next, content }) => {
    const own = inside.filter((one) => isBelow(directory, one.path));
    const files = own.map((one) => one.path);
    const added = own.filter(({ before }) => before === null).map((one) => one.path);
    // Of a file that cannot be read, no one knows that its resources stay.
    const isExplained =
      content.resources.some(({ change }) => !WRITTEN.has(change)) ||
      content.files.some(({ reason }) => reason !== undefined);
    return next === null || isExplained || files.length === 0 ? [] : [{ path, revision: next, files, added }];
  });
}

/** Names that one sentence lists. */
const MAX_NAMES = 5;

/** For the comment of the proposal; '' where nothing is left out. */
export function leftOutText({ outside, links, unbuilt, stray }: LeftOut): string {
  const lines = [
    outside.length === 0
      ? ''
      : `**${counted(outside.length, 'file')} ${outside.length === 1 ? 'belongs' : 'belong'} to no package:** ${names(outside)}; Portico neither renders nor checks ${outside.length === 1 ? 'it' : 'them'}. To change that, add a Kptfile next to ${outside.length === 1 ? 'it' : 'them'}.`,
    links.length === 0
      ? ''
      : `**Left out of packages:** ${names(links.map(({ path }) => path))} (${[...new Set(links.map(({ what }) => what))].join(', ')}). Portico reads only regular files.`,
    unbuilt.length === 0
      ? ''
      : `**Not built:** ${names(unbuilt)}. Portico builds charts and kustomizations only if a processor in \`portico-sources.yaml\` names them.`,
    ...stray.map(
      ({ path, revision, files, added }) =>
        `**No resource of ${code(path)} changes**, and it still becomes ${code(revision)}, because of ${names(files)}.${added.length === 0 ? '' : ` If ${names(added)} ${added.length === 1 ? 'does' : 'do'} not belong to the package, remove ${added.length === 1 ? 'it' : 'them'} with \`git rm\`.`}`,
    ),
  ].filter((line) => line !== '');
  return lines.map((line) => `- ${line}`).join('\n');
}

function names(paths: readonly string[]): string {
  const more = paths.length - MAX_NAMES;
  return `${paths.slice(0, MAX_NAMES).map(code).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
