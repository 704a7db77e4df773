/** What a proposal does to channels: which rules its files break, which gates are open, and who goes where after it. */
import { graphOf, type ChannelGraph } from '../../channels/channel-graph.ts';
import type { ChannelProblem } from '../../channels/channels-node.ts';
import { channelGraphInput } from '../../channels/check-channels.ts';
import { CHANNELS_FOLDER, packageOfChannelFile, type JudgedChannels } from '../../channels/judge-file.ts';
import type { ChannelDocument, PackageChannels } from '../../channels/package-channels.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { ChannelFindings, ProposedFile } from '../check/channels-check.ts';
import { isUnsafeUpgrade, type ChannelMove } from '../check/graph-check.ts';
import { visibleFollowers } from '../downstream/downstream-progress.ts';
import { overdueJob } from '../jobs.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import {
  packageChannels,
  publishedNumbers,
  type ChannelPlace,
  type PackageChannelState,
} from '../repository/channel-files.ts';
import { loadRevisionRefs } from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { catchUserError } from '../text/why-refused.ts';
import { keeperGate, nothingAsked, promotionGates, type AskedGate, type GateFacts } from './gates.ts';
import { channelMoves } from './moves.ts';

export interface ProposedChannels extends ChannelFindings {
  /** Absent where it is an update, which moves no channel. */
  readonly moves?: readonly ChannelMove[];
  /** When gates open that only time keeps closed. */
  readonly opens?: readonly Date[];
}

/** What is judged: a proposal, or what a merge queue made of one. */
export interface ChannelProposal extends Pick<ProposalSnapshot, 'base' | 'mergeBase' | 'config'> {
  readonly head: { readonly oid: string };
  readonly pull: Pick<ProposalSnapshot['pull'], 'author' | 'labels'>;
  /** Changed files, those of packages left out. */
  readonly otherFiles: readonly { readonly path: string }[];
}

/** A label that lets a revision into a channel which the channel before it does not have. */
const HOTFIX = 'hotfix';
/** A label that lets a channel go which somebody follows. */
const FORCE = 'force';
/** Files of one proposal that are judged. */
const MAX_FILES = 100;
/** Revisions of one proposal whose gates are asked: each costs calls of the forge. */
const MAX_JOINING = 50;

/**
 * Judges the channel files that a proposal changes, as they will be once it is merged. Undefined where neither it nor the base has any.
 * @throws PorticoError INDEX_INCOMPLETE, upon which the job is done later
 */
export async function proposedChannels(
  ports: Ports,
  access: RepositoryAccess,
  { snapshot, approvedBy }: { readonly snapshot: ChannelProposal; readonly approvedBy: readonly string[] },
  signal?: AbortSignal,
): Promise<ProposedChannels | undefined> {
  const { git } = access;
  const { base, head, config, pull, otherFiles } = snapshot;
  const touched = otherFiles.flatMap(({ path: file }) => {
    const path = packageOfChannelFile(file);
    return path === undefined ? [] : [{ path, file }];
  });
  if (touched.length === 0) {
    const has = (await git.treeId(base, CHANNELS_FOLDER, signal)) !== null;
    return has ? { files: [], moves: [] } : undefined;
  }
  // Who follows a channel decides of it: right after a start nobody knows of all.
  needWholeIndex(ports);
  const refs = await loadRevisionRefs(git, signal);
  const place: ChannelPlace = { git, head: base, refs, registered: config.directory };
  const merged = await mergedTree(access, snapshot, signal);
  const facts: GateFacts = { config, refs, author: pull.author, approvedBy, asked: nothingAsked() };
  const files: ProposedFile[] = [];
  const moves: ChannelMove[] = [];
  const due: Date[] = [];
  for (const { path, file } of touched.slice(MAX_FILES, MAX_FILES + 1)) {
    files.push({ path, file, problems: [TOO_MANY_FILES], gates: [] });
  }
  let asked = 0;
  for (const { path, file } of touched.slice(0, MAX_FILES)) {
    const hotfix = isLabelled(pull, HOTFIX);
    const conflict = merged.conflicts.includes(file);
    const after = await textAt(access, conflict ? head.oid : merged.tree, file, signal);
    const before = await textAt(access, base, file, signal);
    const { before: written, ...proposed } = await judge(
      ports,
      place,
      { path, after, before, hotfix },
      signal,
    );
    const inForce = baseChannels(await packageChannels(ports, place, path, signal), written);
    const judged: JudgedChannels = { ...proposed, ...(inForce.document && { before: inForce.document }) };
    const joining = joiningOf(judged, place, path).map((one) => ({
      ...one,
      directory: pathInRepository(config.directory, path),
    }));
    const gates: AskedGate[] = [];
    // Nothing is asked for a file that cannot be merged.
    const isSound = !conflict && judged.problems.every(({ severity }) => severity !== 'error');
    for (const one of isSound && inForce.isUnknown ? headsOf(judged, place, path) : [])
      gates.push(await keeperGate(access, { ...one, why: UNKNOWN_GATES }, facts, signal));
    for (const one of isSound ? joining.slice(0, MAX_JOINING - asked) : [])
      gates.push(...(await promotionGates({ ports, access, signal }, one, facts)));
    const moved = await channelMoves(ports, access, { place, path, judged }, signal);
    for (const { channel, to = '' } of isSound ? moved.filter(isUnsafeUpgrade) : []) {
      const line = judged.channels?.channels.find(({ name }) => name === channel)?.headLine ?? 1;
      gates.push(
        await keeperGate(access, { channel, revision: to, line, why: UNSAFE_DEFINITIONS }, facts, signal),
      );
    }
    const isOver = isSound && asked + joining.length > MAX_JOINING;
    asked += isSound ? joining.length : 0;
    due.push(...gates.flatMap((gate) => gate.due ?? []));
    const own: ChannelProblem[] = [
      ...(conflict ? [CONFLICT] : []),
      ...(isOver ? [TOO_MANY_JOIN] : []),
      ...abandoned(
        ports,
        access,
        { path, registered: config.directory, force: isLabelled(pull, FORCE) },
        judged,
      ),
    ];
    files.push({ path, file, problems: [...own, ...judged.problems], gates });
    moves.push(...moved);
  }
  return { files, moves, ...(due.length > 0 && { opens: due }) };
}

const UNKNOWN_GATES = "the base branch's channel file cannot be read, so what it asks for is unknown";
const UNSAFE_DEFINITIONS = 'unsafe changes of custom resource definitions';

const TOO_MANY_FILES: ChannelProblem = {
  rule: 'C00',
  line: 1,
  severity: 'error',
  message: `more than ${MAX_FILES} channel files change at once: split the proposal`,
};

const TOO_MANY_JOIN: ChannelProblem = {
  rule: 'C00',
  line: 1,
  severity: 'error',
  message: `more than ${MAX_JOINING} revisions join channels with a promotion at once: split the proposal`,
};

const CONFLICT: ChannelProblem = {
  rule: 'C00',
  line: 1,
  severity: 'error',
  message: 'the base branch changed the same lines: update the branch',
};

/** Looks at a proposal again at the earliest moment at which a gate opens by itself. */
export async function lookWhenOpen(
  ports: Pick<Ports, 'enqueue' | 'now'>,
  { ref }: RepositoryAccess,
  number: number,
  { opens = [] }: Pick<ProposedChannels, 'opens'>,
): Promise<void> {
  if (opens.length === 0) return;
  const first = Math.min(...opens.map((date) => date.getTime()));
  const seconds = Math.max(1, Math.ceil((first - ports.now().getTime()) / 1_000) + 1);
  await ports.enqueue(overdueJob(ref, number, seconds));
}

function isLabelled({ labels }: ChannelProposal['pull'], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name);
}

/** What a merge would make of both, so that nothing counts that the base has meanwhile. */
export async function mergedTree(
  { git }: RepositoryAccess,
  { base, head, mergeBase }: ChannelProposal,
  signal: AbortSignal | undefined,
): Promise<{ readonly tree: string; readonly conflicts: readonly string[] }> {
  if (mergeBase === base) return { tree: head.oid, conflicts: [] };
  return git.mergeTrees(base, head.oid, {}, signal);
}

async function textAt(
  { git }: RepositoryAccess,
  commit: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const bytes = await git.readFile(commit, file, signal);
  return bytes === null ? undefined : new TextDecoder().decode(bytes);
}

interface Sides {
  readonly path: string;
  readonly after: string | undefined;
  readonly before: string | undefined;
  readonly hotfix: boolean;
}

/** A file that is removed breaks no rule of its own. */
async function judge(
  { content, catalog }: Pick<Ports, 'content' | 'catalog'>,
  place: ChannelPlace,
  { path, after, before, hotfix }: Sides,
  signal: AbortSignal | undefined,
): Promise<JudgedChannels> {
  const upstream = catalog.get(place.git.repository);
  const directory = pathInRepository(place.registered, path);
  const { visible } =
    upstream === undefined ? { visible: [] } : visibleFollowers(catalog, upstream, directory);
  const pinned = Map.groupBy(visible, ({ at }) => Number(/^v(\d+)$/.exec(at ?? '')?.[1] ?? 0));
  const facts = {
    path,
    published: publishedNumbers(place, path),
    hotfix,
    pinned: [...pinned].map(([revision, list]) => [revision, list.map(({ name }) => name)] as const),
    ...(before !== undefined && { before }),
  };
  return catchUserError(
    async () => {
      if (after !== undefined) return content.channels(after, facts, signal);
      const was =
        before === undefined ? undefined : await content.channels(before, { ...facts, hotfix: true }, signal);
      return { problems: [], ...(was?.channels && { before: was.channels }) };
    },
    (message): JudgedChannels => ({ problems: [{ rule: 'C00', line: 1, message, severity: 'error' }] }),
  );
}

/** What the base branch says of the channels of a package. */
interface BaseChannels {
  readonly document?: PackageChannels;
  /** There is a file, and nobody can tell which gates it has. */
  readonly isUnknown: boolean;
}

/**
 * What is in force decides. Where a tag that is gone stops the channels, their gates are those that are written; where nothing that
 * can be read ever was, they are unknown.
 */
function baseChannels(state: PackageChannelState | null, written: PackageChannels | undefined): BaseChannels {
  if (state === null) return { isUnknown: false };
  if (state.document !== undefined) return { document: state.document, isUnknown: false };
  const isMistaken = state.problems.some(({ rule, severity }) => severity === 'error' && rule !== 'C06');
  if (isMistaken || written === undefined) return { isUnknown: true };
  return { document: written, isUnknown: false };
}

function headsOf({ channels }: JudgedChannels, place: ChannelPlace, path: string) {
  const published = new Set(publishedNumbers(place, path));
  return (channels?.channels ?? []).map((channel) => {
    const { head = 0 } = liveOf(channel, published);
    return { channel: channel.name, revision: `v${head}`, line: channel.headLine };
  });
}

/**
 * Revisions that are offered by a channel with a promotion, and were not before. The base says what they have to pass: of a channel
 * that the proposal makes it says nothing, and nobody follows that yet.
 */
function joiningOf({ channels, before }: JudgedChannels, place: ChannelPlace, path: string) {
  const published = new Set(publishedNumbers(place, path));
  return (channels?.channels ?? []).flatMap((channel) => {
    const old = before?.channels.find(({ name }) => name === channel.name);
    const { promotion } = old ?? {};
    if (old === undefined || promotion === undefined) return [];
    const offered = new Set(liveOf(old, published).live);
    const lines = new Map(channel.members.map(({ revision, line }) => [revision, line]));
    return liveOf(channel, published)
      .live.filter((revision) => !offered.has(revision))
      .map((revision) => ({
        channel: channel.name,
        revision: `v${revision}`,
        line: lines.get(revision) ?? channel.line,
        promotion,
      }));
  });
}

function liveOf(channel: ChannelDocument, published: ReadonlySet<number>): ChannelGraph {
  return graphOf(channelGraphInput(channel, published));
}

/** A channel that goes while somebody follows it leaves them behind, with nothing to tell them. */
function abandoned(
  { catalog }: Pick<Ports, 'catalog'>,
  { ref }: RepositoryAccess,
  {
    path,
    registered,
    force,
  }: { readonly path: string; readonly registered: RepositoryDirectory; readonly force: boolean },
  { channels, before }: JudgedChannels,
): ChannelProblem[] {
  const upstream = catalog.get(ref.id);
  if (upstream === undefined || before === undefined) return [];
  const kept = new Set((channels ?? NOTHING).channels.map(({ name }) => name));
  const { visible } = visibleFollowers(catalog, upstream, pathInRepository(registered, path));
  return before.channels.flatMap(({ name }): ChannelProblem[] => {
    if (kept.has(name)) return [];
    const left = visible.filter(({ follow }) => follow?.kind === 'channel' && follow.channel === name);
    if (left.length === 0) return [];
    const who = left.slice(0, 10).map((one) => one.name);
    const message = `the channel ${name} goes, and is followed by ${who.join(', ')}: let them follow another one first, or set the label ${FORCE}`;
    return [{ rule: 'C17', line: 1, message, severity: force ? 'warning' : 'error' }];
  });
}

const NOTHING: Pick<PackageChannels, 'channels'> = { channels: [] };
