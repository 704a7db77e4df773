/** Pure: what a commit of the registered branch says of its channel files and of the tags that are derived from them. */

import { shorten } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { CHANNELS_CHECK } from '../check-names.ts';
import type { CheckInput } from '../forge/checks.ts';
import type { PackageChannelState } from '../repository/channel-files.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { problemAnnotation } from './channel-problems.ts';

export interface ChannelStanding {
  /** Package → its channel file, which has mistakes. */
  readonly mistakes: Map<string, PackageChannelState>;
  /** Tag → where it leads again, and the commit to which somebody had moved it; null where it was gone. */
  readonly corrected: Map<string, { readonly to: string; readonly was: string | null }>;
  /** Tags that the forge did not let be moved. */
  readonly refused: Map<string, { readonly message: string; readonly hint?: string }>;
}

/** Rows of each table of the check, and annotations. */
const MAX_ROWS = 100;

export function channelStandingCheck(
  head: string,
  { mistakes, corrected, refused }: ChannelStanding,
): CheckInput {
  const common = { name: CHANNELS_CHECK, headSha: head, externalId: head, status: 'completed' as const };
  const stopped = [...mistakes].filter(([, { document }]) => document === undefined).map(([path]) => path);
  const titles = [
    ...(stopped.length > 0 ? [`Channels stopped: ${stopped.join(', ')}`] : []),
    ...(mistakes.size > stopped.length
      ? ['Channel files have errors: the last valid versions stay in effect']
      : []),
    ...(refused.size > 0 ? [`Not moved: ${[...refused.keys()].join(', ')}`] : []),
    ...(corrected.size > 0 ? [`Put right: ${[...corrected.keys()].join(', ')}`] : []),
  ];
  if (titles.length === 0) {
    return {
      ...common,
      conclusion: 'success',
      title: 'Channels match their files',
      summary: 'Every channel file is in force, and every tag of a channel leads to its head.',
    };
  }
  const annotations = [...mistakes.values()].flatMap(({ file, problems }) =>
    problems.map((problem) => problemAnnotation(file, problem)),
  );
  return {
    ...common,
    conclusion: mistakes.size + refused.size > 0 ? 'failure' : 'neutral',
    title: shorten(titles.join('; '), 250),
    summary: joined([mistakesText(mistakes), correctedText(corrected), refusedText(refused)]),
    ...(annotations.length > 0 && { annotations: annotations.slice(0, MAX_ROWS) }),
  };
}

function mistakesText(mistakes: ChannelStanding['mistakes']): string {
  if (mistakes.size === 0) return '';
  const rows = [...mistakes.values()].slice(0, MAX_ROWS).map(({ file, document, problems }) => {
    const first = problems.find(({ severity }) => severity === 'error');
    const state =
      document === undefined ? 'nothing: no downstream gets updates from it' : 'the last valid version';
    return [
      code(`${file}:${first?.line ?? 1}`),
      foreignSentence(`${first?.rule ?? ''}: ${first?.message ?? ''}`),
      state,
    ];
  });
  return table(['where', 'what', 'in force'], rows);
}

function correctedText(corrected: ChannelStanding['corrected']): string {
  if (corrected.size === 0) return '';
  const rows = [...corrected]
    .slice(0, MAX_ROWS)
    .map(([tag, { to, was }]) => [code(tag), was === null ? 'gone' : code(was.slice(0, 12)), code(to)]);
  return `Someone moved these tags by hand. If a package has a channel file, that file decides where its channels point. To move them, change the file.\n\n${table(['tag', 'was at', 'is at'], rows)}`;
}

function refusedText(refused: ChannelStanding['refused']): string {
  if (refused.size === 0) return '';
  const rows = [...refused]
    .slice(0, MAX_ROWS)
    .map(([tag, { message, hint = REMEDY }]) => [code(tag), foreignSentence(message), hint]);
  return `The forge did not let these tags be moved:\n\n${table(['tag', 'why', 'do this'], rows)}`;
}

const REMEDY =
  'Let the App move the tags of channels: a tag ruleset that forbids it must list the App as a bypass actor.';
