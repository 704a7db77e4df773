/** Pure: what an update pull request says. */
import type { Conflict } from '../package/merge/conflict.ts';
import { digestOf, shortDigest } from '../revision/digest.ts';
import type { Keyring } from '../revision/keyring.ts';
import { code, conflictTable, details, table } from './markdown-blocks.ts';
import { conflictKey } from './open-conflicts.ts';
import { conflictRecord, type UpdateConflict } from './update-record.ts';

/** What is said of one package. */
export interface UpdatedPart {
  /** From the top of the repository. */
  readonly directory: string;
  readonly path: string;
  readonly upstream: string;
  readonly from: string | undefined;
  readonly to: string;
  /** What changes in it, as Markdown; `diffRoom` says how long it may be. */
  readonly diff: string;
  /** The package is made by this pull request. */
  readonly created: boolean;
  /** Markdown lines of the revisions on the way. */
  readonly revisions?: readonly string[];
  /** Inert Markdown: what people wrote about these revisions. */
  readonly notes?: readonly string[];
  /** Fields that both sides changed and functions write: they follow from others that both sides changed. */
  readonly following?: readonly Conflict[];
  /** The variant that keeps the package, and the file that says so. */
  readonly variant?: { readonly name: string; readonly place: string };
}

interface UpdateBodyInput {
  readonly repository: number;
  readonly branch: string;
  /** Name of the group that is updated together; absent for one package alone. */
  readonly group?: string;
  readonly parts: readonly UpdatedPart[];
  readonly conflicts: readonly UpdateConflict[];
}

interface Titled {
  readonly path: string;
  readonly exists: boolean;
  readonly planned?: unknown;
  readonly upstream: { readonly current: string | undefined };
}

export function updateTitle({ path, exists, planned, upstream }: Titled, to: string): string {
  if (!exists) return `Create ${path} at ${to}`;
  return planned !== undefined && upstream.current === to
    ? `Bring ${path} in step with its variant`
    : `Update ${path} to ${to}`;
}

/** The title for one package, or for a group. */
export function bundleTitle(
  { group }: { readonly group?: string },
  brought: readonly { readonly down: Titled; readonly to: string }[],
): string {
  const [first] = brought;
  if (first === undefined) return `Update the group ${group ?? ''}`;
  if (group === undefined) return updateTitle(first.down, first.to);
  if (brought.length === 1) return `${updateTitle(first.down, first.to)} (group ${group})`;
  const same = brought.every(({ to }) => to === first.to) ? ` to ${first.to}` : '';
  return `Update ${brought.length} packages${same} (group ${group})`;
}

/** Room for all diffs together, and for all release notes, in characters. */
const DIFFS = 25_000;
const NOTES = 12_000;
/** Diffs of a group that are shown, the rest stands under "Files changed". */
const MOST_DIFFS = 25;

/** The same update gives the same text, so that an unchanged pull request costs no write. */
export function updateBody(input: UpdateBodyInput, seals: Keyring): string {
  const { conflicts, parts, group } = input;
  const paths = parts.map(({ path }) => path);
  const shown = [
    // First, because what is too long is cut at the end.
    conflictRecord(conflictKey(input.repository, input.branch), conflicts, seals),
    group === undefined ? '' : holdsMarker(parts),
    group === undefined ? '' : groupOpening(group, parts),
    ...(group === undefined ? parts.map(openingOf) : []),
    ...parts.map(variantOf),
    conflicts.length === 0
      ? ''
      : `**${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}:** upstream and this repository changed the same fields. Upstream's value stands in the branch. Settle each by \`/portico resolve <number> upstream\` or \`local\`, or commit to the branch what it should be.\n\n${conflictTable(conflicts.map(placed), 20)}`,
    conflicts.length === 0 ? '' : followingOf(parts),
    ...diffsOf(input),
    ...revisionsOf(parts),
    ...notesOf(parts),
    closingOf(group, paths),
  ];
  return shown.filter((part) => part !== '').join('\n\n');
}

const MOST_FOLLOWING = 20;

function followingOf(parts: readonly UpdatedPart[]): string {
  const all = parts.flatMap(({ directory, following = [] }) =>
    following.map(
      ({ file, path }) => `${code(directory === '' ? file : `${directory}/${file}`)} ${code(path)}`,
    ),
  );
  if (all.length === 0) return '';
  const more = all.length - MOST_FOLLOWING;
  const listed = all.slice(0, MOST_FOLLOWING).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `Functions write these fields, which both sides changed too: they are settled with the conflicts above. ${listed}`;
}

/** True when the body of a group's pull request is of other revisions than these. */
export function holdsAnother(
  body: string,
  members: readonly { readonly down: { readonly directory: string }; readonly to: string }[],
): boolean {
  const said = /<!-- portico:holds [0-9a-f]+ -->/.exec(body)?.[0];
  return (
    said !== undefined &&
    said !== holdsMarker(members.map(({ down, to }) => ({ directory: down.directory, to })))
  );
}

function holdsMarker(parts: readonly Pick<UpdatedPart, 'directory' | 'to'>[]): string {
  const said = parts.map(({ directory, to }) => [directory, to]);
  return `<!-- portico:holds ${shortDigest(digestOf('portico holds 1', said))} -->`;
}

function openingOf({ path, upstream, from, to, created }: UpdatedPart): string {
  if (created) return `Makes ${code(path)} from ${code(to)} of ${code(upstream)}.`;
  if (from === to) return `Leaves ${code(path)} at ${code(to)} of ${code(upstream)}, with other values.`;
  return `Brings ${code(path)} from ${from === undefined ? 'where it is' : code(from)} to ${code(to)} of ${code(upstream)}.`;
}

function groupOpening(group: string, parts: readonly UpdatedPart[]): string {
  const rows = parts.map(({ path, upstream, from, to, created }) => [
    code(path),
    code(upstream),
    created ? 'new' : from === undefined ? '' : code(from),
    code(to),
  ]);
  return `Updates the packages of the group ${code(group)} together.\n\n${table(['package', 'upstream', 'from', 'to'], rows)}`;
}

function variantOf({ variant, path }: UpdatedPart, _at: number, all: readonly UpdatedPart[]): string {
  if (variant === undefined) return '';
  const what = all.length === 1 ? 'this package' : code(path);
  return `The variant ${code(variant.name)} keeps ${what} in step; ${code(variant.place)} says how.`;
}

/** In a group a file is told from the top of the repository. */
function placed(conflict: UpdateConflict): UpdateConflict {
  const { directory, file } = conflict;
  return directory === undefined || directory === ''
    ? conflict
    : { ...conflict, file: `${directory}/${file}` };
}

/** Characters for the diff of the part at this position; 0 for one that is not shown. */
export function diffRoom(parts: number, at: number): number {
  return at < MOST_DIFFS ? Math.floor(DIFFS / Math.min(parts, MOST_DIFFS)) : 0;
}

function diffsOf({ parts, group }: UpdateBodyInput): string[] {
  const diffs = parts.slice(0, MOST_DIFFS).map(({ path, diff }) => {
    const title = group === undefined ? 'What changes here' : `What changes in ${htmlCode(path)}`;
    return details(title, diff);
  });
  const more = parts.length - diffs.length;
  return more > 0 ? [...diffs, `What changes in ${more} more is not shown here.`] : diffs;
}

/** Packages of one upstream pass the same revisions: each list is told once. */
function revisionsOf(parts: readonly UpdatedPart[]): string[] {
  const lists = new Map<string, string>();
  for (const { upstream, revisions = [] } of parts) {
    if (revisions.length > 0) lists.set(revisions.join('\n'), upstream);
  }
  return [...lists].map(([list, upstream]) =>
    details(
      lists.size === 1 ? 'Revisions on the way' : `Revisions of ${htmlCode(upstream)} on the way`,
      list,
    ),
  );
}

function notesOf(parts: readonly UpdatedPart[]): string[] {
  const notes = [...new Set(parts.flatMap((part) => part.notes ?? []))];
  if (notes.length === 0) return [];
  const shown: string[] = [];
  let room = NOTES;
  for (const note of notes) {
    if (note.length > room) break;
    room -= note.length;
    shown.push(note);
  }
  const more = notes.length - shown.length;
  if (more > 0) shown.push(`The notes of ${more} more are not shown here.`);
  return [details('Release notes of the upstream', shown.join('\n\n'))];
}

function closingOf(group: string | undefined, paths: readonly string[]): string {
  const path = paths[0] ?? '';
  if (group === undefined)
    return `Commits that you push to this branch are kept. Closing the pull request means: not this revision. ${code(`/portico pause ${path}`)} stops updates of this package, and \`/portico update <revision>\` brings another.`;
  return `Commits that you push to this branch are kept. Closing the pull request means: none of these revisions. To decline one package alone, take its change back in a commit, or comment ${code(`/portico pause ${path}`)}, which takes it out of the group's update. \`/portico update <package>@<revision>\` brings another revision of one.`;
}

/** Inside of `<summary>` Markdown is not read. */
function htmlCode(text: string): string {
  const inert = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<code>${inert.replaceAll('@', '@\u200b').replaceAll('#', '#\u200b')}</code>`;
}
