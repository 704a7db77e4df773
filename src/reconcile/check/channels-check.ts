/** Pure: the check of the channel files that a proposal changes. */

import type { ChannelProblem } from '../../channels/channels-node.ts';
import { counted } from '../../text/counted.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { CHANNELS_CHECK } from '../check-names.ts';
import type { CheckAnnotation } from '../forge/checks.ts';
import { code, foreignSentence, tableUpTo } from '../text/markdown-blocks.ts';
import { problemAnnotation } from './channel-problems.ts';
import { placed, titlePart, type CheckContent } from './check-content.ts';

/** What a member has to pass before it joins a channel. */
export interface PromotionGate {
  readonly channel: string;
  /** `v12`. */
  readonly revision: string;
  /** Of the member, 1-based. */
  readonly line: number;
  /** `waiting`: time, or somebody's word, is missing; `failing`: what was asked for says no. */
  readonly state: 'passed' | 'waiting' | 'failing';
  /** What is asked for, and what is known of it; plain text. */
  readonly what: string;
}

/** One channel file of a proposal. */
export interface ProposedFile {
  readonly path: string;
  readonly file: string;
  readonly problems: readonly ChannelProblem[];
  readonly gates: readonly PromotionGate[];
}

export interface ChannelFindings {
  readonly files: readonly ProposedFile[];
  /** Of an update by a channel with a file. */
  readonly brought?:
    | {
        /** Revisions that it brings and the channel has withdrawn, such as `web v10`. */
        readonly withdrawn: readonly string[];
        /** Those that the channel does not offer, such as `web v10 (stable offers v8, v9)`. */
        readonly notOffered: readonly string[];
      }
    | undefined;
}

/** Neutral where no channel file is touched, so that it may be required. */
export function channelsCheck({ files, brought }: ChannelFindings): CheckContent {
  if (brought !== undefined && (brought.withdrawn.length > 0 || files.length === 0))
    return updateCheck(brought);
  if (files.length === 0) {
    return {
      name: CHANNELS_CHECK,
      conclusion: 'neutral',
      title: 'No channel file is touched',
      summary: 'The channels offer the same as on the base branch.',
    };
  }
  const errors = files.flatMap(({ file, problems }) =>
    problems.filter(({ severity }) => severity === 'error').map((problem) => ({ file, problem })),
  );
  const gates = files.flatMap((one) => one.gates.map((gate) => ({ file: one.file, gate })));
  const failing = gates.filter(({ gate }) => gate.state === 'failing');
  const waiting = gates.filter(({ gate }) => gate.state === 'waiting');
  const { annotations, rest } = placed([
    ...files.flatMap(({ file, problems }) => problems.map((one) => problemAnnotation(file, one))),
    ...[...failing, ...waiting].map(({ file, gate }) => gateAnnotation(file, gate)),
  ]);
  const [first] = errors;
  const [gate] = [...failing, ...waiting];
  return {
    name: CHANNELS_CHECK,
    conclusion:
      errors.length + failing.length > 0 ? 'failure' : waiting.length > 0 ? 'action_required' : 'success',
    title:
      first !== undefined
        ? `${first.problem.rule}: ${titlePart(first.problem.message)}${more(errors.length)}`
        : gate !== undefined
          ? `${gate.gate.revision} to ${gate.gate.channel}: ${titlePart(gate.gate.what)}${more(failing.length + waiting.length)}`
          : `${counted(files.length, 'channel file')} in order`,
    summary: joined([problemsText(files), gatesText(gates.map((one) => one.gate))]),
    annotations,
    ...(rest !== '' && { text: rest }),
  };
}

function more(count: number): string {
  return count > 1 ? `, and ${count - 1} more` : '';
}

/** Rows of each table of the check. */
const MAX_ROWS = 100;

function problemsText(files: readonly ProposedFile[]): string {
  const rows = files.flatMap(({ file, problems }) =>
    problems.map(({ rule, line, message, severity }) => [
      rule,
      code(`${file}:${line}`),
      severity,
      foreignSentence(message),
    ]),
  );
  if (rows.length === 0) return 'The channel files keep all rules.';
  return tableUpTo(MAX_ROWS, ['rule', 'where', '', 'what'], rows);
}

function gatesText(gates: readonly PromotionGate[]): string {
  if (gates.length === 0) return '';
  const rows = gates
    .slice(0, MAX_ROWS)
    .map(({ channel, revision, state, what }) => [
      code(revision),
      code(channel),
      state,
      foreignSentence(what),
    ]);
  return `Requirements of the base branch for revisions that join a channel:\n\n${table(['revision', 'channel', 'state', 'requirement'], rows)}`;
}

function gateAnnotation(
  file: string,
  { channel, revision, line, state, what }: PromotionGate,
): CheckAnnotation {
  return {
    path: file,
    startLine: line,
    endLine: line,
    level: state === 'failing' ? 'failure' : 'notice',
    title: `${revision} to ${channel}`,
    message: what,
  };
}

function updateCheck({ withdrawn, notOffered }: NonNullable<ChannelFindings['brought']>): CheckContent {
  if (withdrawn.length === 0 && notOffered.length > 0) {
    return {
      name: CHANNELS_CHECK,
      conclusion: 'neutral',
      title: titlePart(`The channel does not offer ${notOffered.join(', ')}`),
      summary: `The followed channel does not offer what this update brings: ${notOffered.map(code).join(', ')}. Portico updates or closes this pull request, unless a command asked for the revision or people committed to the branch.`,
    };
  }
  if (withdrawn.length === 0) {
    return {
      name: CHANNELS_CHECK,
      conclusion: 'success',
      title: 'The channel offers what this brings',
      summary: 'Nothing that this update brings was withdrawn from the channel that is followed here.',
    };
  }
  return {
    name: CHANNELS_CHECK,
    conclusion: 'failure',
    title: `Withdrawn upstream: ${withdrawn.join(', ')}`,
    summary: `The followed channel no longer offers the revision that this update brings: ${withdrawn.map(code).join(', ')}. Portico updates this pull request to what the channel offers now, or closes it.`,
  };
}
