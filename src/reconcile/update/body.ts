/** Pure: what an update pull request says. */

import type { Conflict } from '../../package/merge/conflict.ts';
import type { MergeNote } from '../../package/merge/merge-types.ts';
import { digestOf, shortDigest } from '../../revision/digest.ts';
import type { Keyring } from '../../revision/keyring.ts';
import { fileIn, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';
import { counted } from '../../text/counted.ts';
import { cutText, MAX_BODY } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { markedPart } from '../../text/marked-part.ts';
import { upstreamText } from '../../text/revision-text.ts';
import { scrubSecrets } from '../../text/secrets.ts';
import type { UpdateWay } from '../downstream/channel-target.ts';
import { stepsText, type SourceRenewal } from '../downstream/source-renewal.ts';
import { conflictKey } from '../merge/open-conflicts.ts';
import { isOlder } from '../rollout/led-back.ts';
import { conflictRecord, readConflicts, type UpdateConflict } from '../seal/update-record.ts';
import { code, details } from '../text/markdown-blocks.ts';
import { mergeNotes, mergeNotesText } from '../text/merge-notes.ts';
import { renewedInGroup, renewedOpening, renewedText, type RenewedSources } from './renewed-text.ts';
import { KEPT_PART, stateParts, type ShownConflict } from './state.ts';
import { isDowngrade, upgradePathMarker, upgradePathsText } from './upgrade-path.ts';

/** What is said of one package. */
export interface UpdatedPart {
  /** From the top of the repository. */
  readonly directory: RepositoryDirectory;
  readonly path: string;
  readonly upstream: string;
  readonly from: string | undefined;
  readonly to: string;
  /** Version of the chart or operator in `to`. */
  readonly version?: string;
  /** The newest revision here, and the one that it becomes. */
  readonly newest?: string;
  readonly publishes: string;
  /** Local changes that the merge kept, a Markdown line each; absent if nothing was merged. */
  readonly survives?: readonly string[];
  /** The package is made by this pull request. */
  readonly created: boolean;
  /** Markdown lines of the revisions on the way. */
  readonly revisions?: readonly string[];
  /** Inert Markdown: what people wrote about these revisions. */
  readonly notes?: readonly string[];
  /** Fields that both sides changed and functions write: they follow from others that both sides changed. */
  readonly following?: readonly Conflict[];
  /** What the merge decided by itself. */
  readonly mergeNotes?: readonly MergeNote[];
  /** The variant that keeps the package, and the file that says so. */
  readonly variant?: { readonly name: string; readonly place: string };
  /** How its channel leads there, and what is deprecated. */
  readonly way?: UpdateWay;
  /** Where the upstream shows the revision, and what changed since the one before. */
  readonly links?: { readonly release: string; readonly compare?: string };
  /** Where the package's sources are renewed: which, and what that does. */
  readonly source?: RenewedSources;
  /** The commits of the upstream, before and now. */
  readonly commits?: readonly [before: string | null, now: string];
}

interface UpdateBodyInput {
  readonly repository: number;
  readonly branch: string;
  /** Name of the group that is updated together; absent for one package alone. */
  readonly group?: string;
  readonly parts: readonly UpdatedPart[];
  readonly conflicts: readonly UpdateConflict[];
  /** What it has a pull request for, as `whyText` says it. */
  readonly why?: string;
}

/** Part of the body that stays as it was when the pull request was opened. */
export const WHY_PART = 'why';

/** What an update has a pull request for that could have come without one; '' where that is nothing. */
export function whyText(why: string): string {
  return why === '' ? '' : `**It has a pull request because** ${why} (\`updates.pullRequest: false\`).`;
}

interface Titled {
  readonly renewal?: Pick<SourceRenewal, 'steps'>;
  readonly path: string;
  readonly exists: boolean;
  readonly planned?: unknown;
  readonly upstream: { readonly current: string | undefined };
}

function updateTitle(
  { path, exists, planned, upstream, renewal }: Titled,
  to: string,
  way?: UpdateWay,
): string {
  if (renewal !== undefined) return `Update ${path}: ${stepsText(renewal.steps)}`;
  if (!exists) return `Create ${path} at ${upstreamText(to)}`;
  if (planned !== undefined && upstream.current === to) return `Sync ${path} with its variant`;
  return `${isRollback({ upstream }, to, way) ? 'Roll back' : 'Update'} ${path} to ${upstreamText(to)}`;
}

/** A package whose content alone says where it is may be locked to an older revision than that. */
function isRollback(
  { upstream: { current } }: Pick<Titled, 'upstream'>,
  to: string,
  way: UpdateWay | undefined,
): boolean {
  return (way !== undefined && isDowngrade(way)) || isWayBack({ from: current, to });
}

/** Every way in which a title of one package begins before it names the revision; the last one is of earlier versions. */
function titleBeginnings(path: string): readonly string[] {
  const verbs = [`Update ${path} to `, `Roll back ${path} to `, `Create ${path} at `];
  return [...verbs.map((verb) => `${verb}${upstreamText('')}`), ...verbs, `Bring ${path} to `];
}

/** The upstream revision that the title of one package's update names; undefined where a person wrote another title. */
export function revisionInTitle(title: string, path: string): string | undefined {
  const start = titleBeginnings(path).find((one) => title.startsWith(one));
  const [named = ''] = start === undefined ? [] : title.slice(start.length).split(' ');
  return parseRevisionName(named) === undefined ? undefined : named;
}

/** The title for one package, or for a group. */
export function planTitle(
  { group }: { readonly group?: string },
  brought: readonly { readonly down: Titled; readonly to: string; readonly way?: UpdateWay }[],
): string {
  const [first] = brought;
  if (first === undefined) return `Update the group ${group ?? ''}`;
  if (group === undefined)
    return `${updateTitle(first.down, first.to, first.way)}${withdrawnText(first.way)}`;
  if (brought.length === 1) return `${updateTitle(first.down, first.to, first.way)} (group ${group})`;
  const same = brought.every(({ to }) => to === first.to) ? ` to ${upstreamText(first.to)}` : '';
  const verb = brought.every(({ down, to, way }) => isRollback(down, to, way)) ? 'Roll back' : 'Update';
  return `${verb} ${brought.length} packages${same} (group ${group})`;
}

/** Why a revision is left, at the end of the title. */
function withdrawnText(way: UpdateWay | undefined): string {
  return way?.withdrawn === undefined ? '' : ` (${way.withdrawn} is withdrawn)`;
}

/** Room for the local changes that stay, and for all release notes, in characters. */
const SURVIVORS = 5_000;
const NOTES = 10_000;
/** Upstreams whose commits are shown. */
const MAX_UPSTREAMS = 25;

/** The same update gives the same text, so that an unchanged pull request costs no write. */
export function updateBody(input: UpdateBodyInput, seals: Keyring): string {
  const { conflicts, parts, group, why = '' } = input;
  const key = conflictKey(input.repository, input.branch);
  const record = conflictRecord(key, conflicts, seals);
  // As the record has them, from which they are shown again when some are settled.
  const listed = readConflicts(key, record, seals);
  const open = listed.map((conflict, at) => shownConflict({ ...conflict, number: at + 1 }, group));
  const state = stateParts({
    kind: 'open',
    publishes: parts.map(({ path, newest, publishes, to }) => ({
      path,
      ...(newest !== undefined && { newest }),
      revision: publishes,
      from: to,
    })),
    conflicts: { open, listed: open.length },
    paused: [],
    ...(group !== undefined && { group }),
  });
  const shown = [
    // First, because what is too long is cut at the end.
    record,
    group === undefined && parts.every(({ source }) => source === undefined) ? '' : holdsMarker(parts),
    upgradePathMarker(parts),
    group === undefined ? parts.map(openingOf).join('\n\n') : groupOpening(group, parts),
    ...new Set(parts.flatMap(({ way }) => way?.because ?? [])),
    upgradePathsText(parts, group),
    state.first,
    why === '' ? '' : markedPart(WHY_PART, scrubSecrets(why)),
    followingOf(parts),
    mergeNotesOf(input),
    ...parts.flatMap(({ path, source }) => {
      if (source === undefined) return [];
      return [group === undefined ? renewedText(source) : renewedInGroup(path, source)];
    }),
    keptPart(input.parts, group),
    ...parts.map(variantOf),
    ...notesOf(parts),
    ...revisionsOf(parts),
    state.last,
    commitsOf(parts),
  ];
  return cutText(joined(shown), MAX_BODY);
}

/** Following conflicts that are named; the others are counted. */
const MAX_FOLLOWING = 20;

function followingOf(parts: readonly UpdatedPart[]): string {
  const all = parts.flatMap(({ directory, following = [] }) =>
    following.map(({ file, path }) => `${code(fileIn(directory, file))} ${code(path)}`),
  );
  if (all.length === 0) return '';
  const more = all.length - MAX_FOLLOWING;
  const listed = all.slice(0, MAX_FOLLOWING).join(', ') + (more > 0 ? ` and ${more} more` : '');
  // True before and after the conflicts are settled: this part of the body stays as it is.
  return `Both sides also changed these fields, which functions write. Each one follows the field that its function reads: ${listed}`;
}

function mergeNotesOf({ group, parts }: UpdateBodyInput): string {
  const notes = parts.flatMap(({ directory, mergeNotes: shown = [] }) =>
    group === undefined ? shown : shown.map((one) => ({ ...one, directory })),
  );
  return mergeNotesText(mergeNotes(notes));
}

/** In a group a file is told from the top of the repository. */
export function shownConflict(
  { directory = TOP, ...conflict }: UpdateConflict & { readonly number: number },
  group: string | undefined,
): ShownConflict {
  const file = group === undefined ? conflict.file : fileIn(directory, conflict.file);
  return { ...conflict, file };
}

/** True when the body of a group's pull request is of other revisions than these. */
export function listsOtherPackages(
  body: string,
  members: readonly { readonly down: { readonly directory: RepositoryDirectory }; readonly to: string }[],
): boolean {
  const marker = /<!-- portico:holds [0-9a-f]+ -->/.exec(body)?.[0];
  return (
    marker !== undefined &&
    marker !== holdsMarker(members.map(({ down, to }) => ({ directory: down.directory, to })))
  );
}

function holdsMarker(parts: readonly Pick<UpdatedPart, 'directory' | 'to'>[]): string {
  const packages = parts.map(({ directory, to }) => [directory, to]);
  return `<!-- portico:holds ${shortDigest(digestOf('portico holds 1', packages))} -->`;
}

function openingOf(part: UpdatedPart): string {
  const { path, upstream, from, to, created, source, version } = part;
  if (source !== undefined) return renewedOpening(path, source);
  const links = linksOf(part);
  const step = `${upstreamText({ from, to, version }, code)} of ${code(upstream)}`;
  if (created) return `Creates ${code(path)} at ${step}.${links}`;
  if (from === to) return `Keeps ${code(path)} at ${step} and changes its values.${links}`;
  const verb = isWayBack(part) ? 'Rolls back' : 'Updates';
  return `${verb} ${code(path)}: ${step}.${links}`;
}

function isWayBack({ from, to }: Pick<UpdatedPart, 'from' | 'to'>): boolean {
  return from !== undefined && isOlder(to, from);
}

function linksOf(part: UpdatedPart): string {
  const { links, to } = part;
  if (links === undefined) return '';
  const label = isWayBack(part) ? 'upstream changes that this undoes' : 'what changed upstream';
  const compare = links.compare === undefined ? '' : ` · [${label}](${links.compare})`;
  return ` [Release ${code(to)}](${links.release})${compare}`;
}

function linkList(part: UpdatedPart): string {
  if (part.links === undefined) return '';
  const { release, compare } = part.links;
  const label = isWayBack(part) ? 'undone changes' : 'diff';
  return `[release](${release})${compare === undefined ? '' : `, [${label}](${compare})`}`;
}

function groupOpening(group: string, parts: readonly UpdatedPart[]): string {
  const rows = parts.map((part) => {
    const { path, upstream, from, to, created } = part;
    const revision = created ? `new: ${upstreamText(to, code)}` : upstreamText({ from, to }, code);
    return [code(path), code(upstream), revision, linkList(part)];
  });
  const isBack = parts.every(({ way }) => way?.because !== undefined);
  return `${isBack ? 'Rolls back' : 'Updates'} the packages of the group ${code(group)} together.\n\n${table(['package', 'upstream', 'revision', ''], rows)}`;
}

function variantOf({ variant, path }: UpdatedPart, _at: number, all: readonly UpdatedPart[]): string {
  if (variant === undefined) return '';
  const what = all.length === 1 ? 'this package' : code(path);
  return `The variant ${code(variant.name)} manages ${what}; it is defined in ${code(variant.place)}.`;
}

/** The local changes, in a part that is emptied when the branch gets other content: nothing else in the body depends on that. */
function keptPart(parts: readonly UpdatedPart[], group: string | undefined): string {
  const shown = parts.flatMap(({ path, to, survives }) =>
    survives === undefined ? [] : [{ place: group === undefined ? '' : ` in ${code(path)}`, to, survives }],
  );
  const texts = shown.map((one) => keptText(one, SURVIVORS / shown.length));
  return texts.length === 0 ? '' : markedPart(KEPT_PART, scrubSecrets(joined(texts)));
}

function keptText(
  {
    place,
    to,
    survives,
  }: { readonly place: string; readonly to: string; readonly survives: readonly string[] },
  room: number,
): string {
  if (survives.length === 0)
    return `**Local changes${place}:** none; the package equals upstream ${code(to)}.`;
  let left = room;
  const fitting = survives.filter((line) => (left -= line.length + 3) >= 0);
  const more = survives.length - fitting.length;
  const lines = [...fitting, ...(more > 0 ? [`… and ${more} more`] : [])].map((line) => `- ${line}`);
  return `**Local changes that are kept${place}:**\n\n${lines.join('\n')}`;
}

/** Packages of one upstream pass the same revisions: each list is told once. */
function revisionsOf(parts: readonly UpdatedPart[]): string[] {
  const lists = new Map<string, UpdatedPart>();
  for (const part of parts) {
    const { revisions = [] } = part;
    if (revisions.length > 0) lists.set(`${isWayBack(part)} ${revisions.join('\n')}`, part);
  }
  return [...lists.values()].map((part) => {
    const of = lists.size === 1 ? '' : ` of ${htmlCode(part.upstream)}`;
    const title = isWayBack(part) ? `Revision${of} after the rollback` : `Revisions${of} included`;
    return details(title, (part.revisions ?? []).join('\n'));
  });
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
  if (more > 0) shown.push(`The notes of ${counted(more, 'more revision')} are not shown here.`);
  return [details('Upstream release notes', shown.join('\n\n'))];
}

/** Ids of commits are for whoever looks closer: they are last. */
function commitsOf(parts: readonly UpdatedPart[]): string {
  const shown = new Set(
    parts.flatMap(({ upstream, from, to, commits }) => {
      if (commits === undefined) return [];
      const [before, now] = commits.map((id) => (id === null ? '' : ` ${code(id.slice(0, 12))}`));
      const was = from === undefined || from === to || before === '' ? '' : `${code(from)}${before} → `;
      return [`${code(upstream)} ${was}${code(to)}${now}`];
    }),
  );
  return shown.size === 0 ? '' : `<sub>${[...shown].slice(0, MAX_UPSTREAMS).join(' · ')}</sub>`;
}

/** Inside of `<summary>` Markdown is not read. */
function htmlCode(text: string): string {
  const inert = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return `<code>${inert.replaceAll('@', '@\u200b').replaceAll('#', '#\u200b')}</code>`;
}
