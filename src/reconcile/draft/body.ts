/** Pure: the body of a draft made by command. It says how the draft was made; its content is in the comment, which follows the branch. */

import { fileIn, repositoryDirectory } from '../../revision/package-path.ts';
import { joined } from '../../text/joined.ts';
import type { CommandRecord } from '../seal/commit-seal.ts';
import { code } from '../text/markdown-blocks.ts';
import { restoresPart } from './restored-text.ts';

export interface DraftBodyInput {
  readonly path: string;
  readonly branch: string;
  readonly record: CommandRecord;
  /** Issue or pull request where it was asked for. */
  readonly askedIn: number;
}

export function draftBody(input: DraftBodyInput): string {
  const { path, branch, record, askedIn } = input;
  const parts = [
    whatItIs(path, record),
    `Requested by ${code(record.by)} in #${askedIn}.`,
    record.kind === 'draft' && record.anyway === true
      ? `**It failed the guardrails when Portico made it.** ${code(record.by)}, who may approve, used \`--anyway\`: these failures do not block publishing as long as no one pushes anything else.`
      : '',
    `What it changes${record.kind === 'rebase' ? ', and its conflicts with the new upstream,' : ''} ${record.kind === 'rebase' ? 'are' : 'is'} in Portico's comment below, which follows the branch.`,
    nextSteps(path, branch, record),
  ];
  return joined(parts);
}

function whatItIs(path: string, record: CommandRecord): string {
  if (record.kind === 'rebase') return `Moves ${code(path)} onto ${code(record.to)}.`;
  if (record.kind === 'change') return `Changes ${code(path)}.`;
  const from = code(record.from ?? '');
  switch (record.source) {
    case 'init':
      return `A draft of the new package ${code(path)}.`;
    case 'clone':
      return `A draft of the new package ${code(path)}, cloned from ${from}. Its Kptfile records this upstream, so it gets updates.`;
    case 'edit':
      return `A draft of ${code(path)} as it is on the registered branch.`;
    case 'copy':
      return `A draft of ${code(path)} that starts from ${from}. Later changes are not in it; add back those that you want to keep.`;
    case 'rollback':
      return restoresPart(path, record.from ?? '');
  }
}

function nextSteps(path: string, branch: string, record: CommandRecord): string {
  const restores = record.kind === 'draft' && record.source === 'rollback';
  const steps = [
    ...(restores
      ? []
      : [
          `Push your changes to the branch ${code(branch)}, or run a function on it: \`/portico eval set-labels:v0.2 team=…\`.`,
        ]),
    ...(record.kind === 'draft' && (record.source === 'init' || record.source === 'clone')
      ? [`To add a subpackage: \`/portico init ${fileIn(repositoryDirectory(path), 'name')}\`.`]
      : []),
    'Check the results; Portico renders the package after every push.',
    'When it is ready for approval, press "Ready for review" or comment `/portico propose`.',
  ];
  return ['**Next**', '', ...steps.map((step, at) => `${at + 1}. ${step}`)].join('\n');
}
