/** The rules that a `PackageChannels` document must keep, each with its code. */
import { cyclesOf, faultText, headOf } from '../fbc/channel-graph.ts';
import { parseRange } from '../fbc/range.ts';
import { entryOf, graphOf } from './channel-graph.ts';
import { channelNameProblem } from './channel-name.ts';
import type { Channel } from './channel.ts';
import type { ChannelProblem, Rule } from './channels-node.ts';
import type { ChannelDocument, MemberDocument, PackageChannels, Placed } from './package-channels.ts';

/** What the document alone does not say. */
export interface ChannelContext {
  /** Path of the file below the folder of channels, without its ending. */
  readonly path: string;
  /** Revisions that have a tag. */
  readonly published: ReadonlySet<number>;
  /** The document as it is on the base branch, and which downstreams are at which revision. */
  readonly before?: PackageChannels;
  readonly pinned?: ReadonlyMap<number, readonly string[]>;
  /** Set where a label of the pull request allows members that their `promotion.from` does not have. */
  readonly hotfix?: boolean;
}

/** A channel as the graph wants it; with `auto: all` every published revision is a member. */
export function channelGraphInput(channel: ChannelDocument, published: ReadonlySet<number>): Channel {
  const listed = channel.members.map((member) => ({ ...member, withdrawn: member.withdrawn !== undefined }));
  const known = new Set(listed.map(({ revision }) => revision));
  const others = channel.auto === 'all' ? [...published].filter((one) => !known.has(one)) : [];
  const members = [...listed, ...others.sort((a, b) => a - b).map((revision) => ({ revision }))];
  return { mode: channel.mode, members };
}

/** Judges a document that was read; problems come by line, then by rule. */
export function checkChannels(document: PackageChannels, context: ChannelContext): ChannelProblem[] {
  const problems: ChannelProblem[] = [];
  const tell: Say = (rule, line, message, severity) =>
    void problems.push({ rule, line, message, severity: severity ?? 'error' });
  if (document.package !== context.path) {
    tell(
      'C01',
      document.packageLine,
      `the file is that of ${context.path}, and the package is ${document.package}`,
    );
  }
  checkNames(document, tell);
  for (const channel of document.channels) checkChannel(channel, context, tell);
  checkDeprecations(document, context, tell);
  checkPromotions(document, context, tell);
  checkRemoved(document, context, tell);
  return problems.sort((a, b) => a.line - b.line || (a.rule < b.rule ? -1 : 1));
}

type Say = (rule: Rule, line: number, message: string, severity?: 'warning') => void;

function checkNames({ channels, defaultChannel, defaultLine }: PackageChannels, tell: Say): void {
  const seen = new Set<string>();
  for (const { name, line } of channels) {
    if (seen.has(name)) tell('C03', line, `the channel ${name} is listed twice`);
    seen.add(name);
    const wrong = name === '' ? undefined : channelNameProblem(name);
    if (wrong !== undefined) tell('C03', line, `the channel ${name}: ${wrong}`);
  }
  if (defaultChannel === undefined) tell('C04', defaultLine, 'defaultChannel is missing');
  else if (!seen.has(defaultChannel)) {
    tell('C04', defaultLine, `there is no channel ${defaultChannel}; it is one of ${[...seen].join(', ')}`);
  }
}

function checkChannel(channel: Placed<ChannelDocument>, context: ChannelContext, tell: Say): void {
  const { name, members, mode, line } = channel;
  const graph = graphOf(channelGraphInput(channel, context.published));
  if (graph.live.length === 0) tell('C05', line, `the channel ${name} offers no revision`);
  const seen = new Set<number>();
  let last = 0;
  for (const { revision, line: at } of members) {
    if (!context.published.has(revision)) tell('C06', at, `v${revision} has no tag, or one that was moved`);
    if (seen.has(revision)) tell('C07', at, `v${revision} is listed twice`);
    else if (mode === 'sequence' && revision < last) tell('C08', at, `v${revision} is listed after v${last}`);
    seen.add(revision);
    last = Math.max(last, revision);
  }
  if (mode === 'graph') checkGraph(channel, tell);
  else checkWaypoints(members, tell);
  const { head } = channel;
  if (head !== undefined && graph.head !== undefined && head !== graph.head) {
    tell('C09', channel.headLine, `the head is v${graph.head}, not v${head}; write head: v${graph.head}`);
  }
}

/** A waypoint that is withdrawn holds nobody back; a later one must stand for it. */
function checkWaypoints(members: readonly Placed<MemberDocument>[], tell: Say): void {
  for (const { revision, waypoint, withdrawn, line } of members) {
    if (waypoint !== true || withdrawn === undefined) continue;
    const covered = members.some(
      (other) => other.revision > revision && other.waypoint === true && !other.withdrawn,
    );
    if (!covered)
      tell('C12', line, `the waypoint v${revision} is withdrawn, and no later waypoint replaces it`);
  }
}

function checkGraph(channel: Placed<ChannelDocument>, tell: Say): void {
  const live = channel.members.filter(({ withdrawn }) => withdrawn === undefined);
  const entries = new Map(live.map((member) => [String(member.revision), entryOf(member)]));
  const { fault } = entries.size > 0 ? headOf(entries) : {};
  if (entries.size > 0) {
    if (fault !== undefined) tell('C10', channel.line, faultText(fault));
    for (const cycle of fault?.kind === 'cycle' ? [] : cyclesOf(entries)) {
      tell('C10', channel.line, `a cycle of replaces and skips: ${cycle.map((one) => `v${one}`).join(', ')}`);
    }
  }
  const known = new Set(channel.members.map(({ revision }) => revision));
  for (const { replaces, skipRange, line } of channel.members) {
    // The end of the chain may replace what the channel does not have; elsewhere that breaks the chain.
    if (fault !== undefined && replaces !== undefined && !known.has(replaces)) {
      tell('C10', line, `v${replaces} is not a member of the channel`);
    }
    const problem = skipRange === undefined ? undefined : parseRange(skipRange).problem;
    if (problem !== undefined) tell('C11', line, problem);
  }
}

function checkDeprecations(document: PackageChannels, context: ChannelContext, tell: Say): void {
  const seen = new Set<string>();
  const inputs = document.channels.map((channel) => channelGraphInput(channel, context.published));
  const members = new Set(inputs.flatMap((channel) => channel.members.map(({ revision }) => `v${revision}`)));
  const live = new Set(inputs.flatMap((channel) => graphOf(channel).live));
  const names = new Set(document.channels.map(({ name }) => name));
  for (const { schema, name = '', message, supersededBy, line } of document.deprecations) {
    const key = `${schema} ${name}`.trim();
    if (seen.has(key)) tell('C13', line, `the deprecation of ${key} is listed twice`);
    seen.add(key);
    if (message === '') tell('C13', line, `the deprecation of ${key} has no message`);
    if (schema === 'package' && name !== '')
      tell('C13', line, 'a deprecated package is not named: it is the package of the file');
    if (schema === 'channel' && !names.has(name)) tell('C13', line, `there is no channel ${name}`);
    if (schema === 'revision' && !members.has(name)) tell('C13', line, `no channel has ${name}`);
    if (supersededBy !== undefined && !live.has(supersededBy)) {
      tell('C14', line, `v${supersededBy} supersedes ${key}, and no channel offers it`);
    }
    if (supersededBy !== undefined && schema === 'revision' && supersededBy <= Number(name.slice(1))) {
      tell('C14', line, `v${supersededBy} supersedes ${key}, and cannot be reached from there`);
    }
  }
}

function checkPromotions(document: PackageChannels, context: ChannelContext, tell: Say): void {
  const byName = new Map(document.channels.map((channel) => [channel.name, channel]));
  for (const { name, promotion, members } of document.channels) {
    if (promotion === undefined || promotion.from === '') continue;
    const source = byName.get(promotion.from);
    if (source === undefined) {
      tell('C15', promotion.line, `there is no channel ${promotion.from} to promote from`);
      continue;
    }
    const way = [name];
    let here = byName.get(promotion.from);
    while (here !== undefined && !way.includes(here.name)) {
      way.push(here.name);
      here = byName.get(here.promotion?.from ?? '');
    }
    if (here?.name === name)
      tell('C15', promotion.line, `promotion goes round: ${[...way, name].join(', ')}`);
    if (context.hotfix === true || source.auto === 'all') continue;
    const offered = new Set(source.members.map(({ revision }) => revision));
    for (const { revision, line } of members) {
      if (!offered.has(revision)) tell('C16', line, `v${revision} is not a member of ${promotion.from}`);
    }
  }
}

/** Who is at a revision that leaves a channel is not brought on any more. */
function checkRemoved(
  document: PackageChannels,
  { before, pinned = new Map() }: ChannelContext,
  tell: Say,
): void {
  for (const old of before?.channels ?? []) {
    const now = document.channels.find(({ name }) => name === old.name);
    if (now === undefined || now.auto === 'all') continue;
    const kept = new Set(now.members.map(({ revision }) => revision));
    for (const { revision } of old.members) {
      const places = kept.has(revision) ? [] : (pinned.get(revision) ?? []);
      if (places.length === 0) continue;
      tell(
        'C17',
        now.line,
        `v${revision} leaves ${now.name}, and is in use at ${places.join(', ')}`,
        'warning',
      );
    }
  }
}
