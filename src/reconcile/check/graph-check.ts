/** Pure: the check that shows what a proposal changes of what channels offer, and who goes where then. */
import { numberOf } from '../../channels/offer.ts';
import type { HeadChange } from '../../package/head-change.ts';
import { counted, isOrAre, notShown } from '../../text/counted.ts';
import { shorten } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { CHANNELS_CHECK, GRAPH_CHECK } from '../check-names.ts';
import { code, details, fenced, foreignSentence, tableUpTo } from '../text/markdown-blocks.ts';
import { type CheckContent } from './check-content.ts';

/** One channel whose head or edges change. */
export interface ChannelMove {
  readonly package: string;
  readonly channel: string;
  /** The head before, and then; absent where it offers nothing. */
  readonly from?: string;
  readonly to?: string;
  /** Of the operator in `to`. */
  readonly version?: string;
  readonly mermaid: string;
  readonly followers: readonly { readonly name: string; readonly at: string; readonly next: string }[];
  /** Followers that may not be named here. */
  readonly hidden: number;
  /** From the one head to the other; absent where one of them is not there, or they are the same. */
  readonly change?: HeadChange | { readonly unreadable: string };
}

/** Characters of a summary that GitHub takes: 65,535; this leaves room for what is around. */
const MAX_SUMMARY = 60_000;
const MAX_FOLLOWERS = 50;

/** Neutral where no channel changes. */
export function graphCheck(moves: readonly ChannelMove[]): CheckContent {
  if (moves.length === 0) {
    return {
      name: GRAPH_CHECK,
      conclusion: 'neutral',
      title: 'No channel changes',
      summary: 'Downstreams that follow a channel get the same revisions as before.',
    };
  }
  const unsafe = moves.reduce((sum, { change }) => sum + crdErrors(change).length, 0);
  const grown = moves.filter(({ change }) => change !== undefined && 'grown' in change && change.grown);
  const warnings = [
    ...(unsafe > 0 ? [`${counted(unsafe, 'unsafe change')} of custom resource definitions`] : []),
    ...(grown.length > 0 ? ['more is permitted'] : []),
  ];
  return {
    name: GRAPH_CHECK,
    conclusion: unsafe > 0 ? 'neutral' : 'success',
    title: shorten([titleOf(moves), ...warnings].join('; '), 250),
    summary: summaryOf(moves),
  };
}

/**
 * True for a head that rises with changes that objects or clients may not survive. The way down gives back what was withdrawn: it may be the
 * only way out.
 */
export function isUnsafeUpgrade({ from = '', to = '', change }: ChannelMove): boolean {
  return (numberOf(to) ?? 0) > (numberOf(from) ?? 0) && crdErrors(change).length > 0;
}

function titleOf(moves: readonly ChannelMove[]): string {
  const [first] = moves;
  if (first === undefined) return '';
  const others = moves.length > 1 ? `, and ${counted(moves.length - 1, 'other channel')}` : '';
  return `${first.package} ${first.channel}: ${stepOf(first)}${others}`;
}

/** For the comment of a proposal: `stable` of `web`: nothing → v3; '' where no channel moves. */
export function movesText(moves: readonly ChannelMove[]): string {
  if (moves.length === 0) return '';
  const rows = moves.map((move) => [code(move.package), code(move.channel), stepOf(move), followedBy(move)]);
  return tableUpTo(MAX_FOLLOWERS, ['package', 'channel', 'offers', 'followed by'], rows);
}

function followedBy({ followers, hidden }: ChannelMove): string {
  const count = followers.length + hidden;
  return count === 0 ? 'none' : counted(count, 'package');
}

function stepOf({ from, to = 'nothing', version }: ChannelMove): string {
  const head = version === undefined ? to : `${to} (${version})`;
  return (from ?? 'nothing') === to ? `the head stays ${head}` : `${from ?? 'nothing'} → ${head}`;
}

function summaryOf(moves: readonly ChannelMove[]): string {
  const parts: string[] = [];
  let room = MAX_SUMMARY;
  for (const move of moves) {
    const text = textOf(move);
    if (text.length + 2 > room) break;
    room -= text.length + 2;
    parts.push(text);
  }
  const left = moves.length - parts.length;
  return [...parts, ...(left > 0 ? [notShown(left, 'channel')] : [])].join('\n\n');
}

function textOf(move: ChannelMove): string {
  const { package: path, channel, mermaid, change } = move;
  return joined([
    `### ${code(path)}, channel ${code(channel)}: ${stepOf(move)}`,
    fenced(mermaid, 'mermaid'),
    followersText(move),
    ...changeTexts(change, isUnsafeUpgrade(move)),
  ]);
}

function followersText({ followers, hidden }: ChannelMove): string {
  const rows = followers
    .slice(0, MAX_FOLLOWERS)
    .map(({ name, at, next }) => [code(name), code(at), foreignSentence(next)]);
  const left = followers.length - rows.length + hidden;
  if (rows.length === 0) {
    return left === 0
      ? 'No known downstream follows it.'
      : `${counted(left, 'package')} that cannot be named here ${left === 1 ? 'follows' : 'follow'} the package.`;
  }
  const rest = left > 0 ? `\n\n${left} more ${isOrAre(left)} not shown, or cannot be named here.` : '';
  return `${table(['followed by', 'at', 'gets next'], rows)}${rest}`;
}

const REMEDY = `Objects in clusters, or clients, may not survive these changes, so ${code(CHANNELS_CHECK)} waits for an approval by someone with the role maintain or higher.`;

function changeTexts(change: ChannelMove['change'], isUnsafe: boolean): string[] {
  if (change === undefined) return [];
  if ('unreadable' in change) return [foreignSentence(change.unreadable)];
  const { content, power, crds } = change;
  const findings = crds.map(({ severity, message }) => `- ${severity}: ${foreignSentence(message)}`);
  return [
    ...(findings.length > 0 ? [`**Custom resource definitions**\n\n${findings.join('\n')}`] : []),
    ...(isUnsafe ? [REMEDY] : []),
    ...(power === '' ? [] : [`**May do**\n\n${power}`]),
    details('What changes from the one head to the other', content),
  ];
}

function crdErrors(change: ChannelMove['change']): readonly unknown[] {
  if (change === undefined || 'unreadable' in change) return [];
  return change.crds.filter(({ severity }) => severity === 'error');
}
