/** Pure: what the pull request of a draft that was made by command says. */

import type { PackageFiles } from '../../package/package.ts';
import { fileIn, repositoryDirectory } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import { joined } from '../../text/joined.ts';
import type { CommandRecord } from '../seal/commit-seal.ts';
import { code, conflictTable, details } from '../text/markdown-blocks.ts';
import { mergeNotesText } from '../text/merge-notes.ts';

export interface DraftBodyInput {
  readonly path: string;
  readonly branch: string;
  readonly record: CommandRecord;
  /** Issue or pull request where it was asked for. */
  readonly askedIn: number;
  readonly before: PackageFiles;
  readonly after: PackageFiles;
  /** What differs, as Markdown; '' where nothing does. */
  readonly diff: string;
}

export function draftBody(input: DraftBodyInput): string {
  const { path, branch, record, askedIn, before, after, diff } = input;
  const parts = [
    `${whatItIs(path, record)} Requested by ${code(record.by)} in #${askedIn}.`,
    record.kind === 'draft' && record.anyway === true
      ? `**It fails the current guardrails.** ${code(record.by)}, who may approve, used \`--anyway\`: these failures do not block publishing as long as no one pushes anything else.`
      : '',
    record.kind === 'rebase' && record.conflicts.length > 0 && record.bare !== true
      ? `**${counted(record.conflicts.length, 'conflict')}:** the new upstream and this package changed the same fields. The branch has the new upstream's value. Settle each conflict with \`/portico resolve\`.\n\n${conflictTable(record.conflicts, 20)}`
      : '',
    record.kind === 'rebase' && record.notes !== undefined ? mergeNotesText(record.notes) : '',
    before.size === 0 ? listed(after) : '',
    before.size === 0 || diff === '' ? '' : details('What it changes', diff),
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
      return `A draft of ${code(path)} as it is on the registered branch. It has no changes yet.`;
    case 'copy':
      return `A draft of ${code(path)} that starts from ${from}. Later changes are not in it; add back those that you want to keep.`;
    case 'rollback':
      return `Restores ${code(path)} to ${from}. When published, it becomes the next revision, whose tag says \`Restored-From: ${record.from ?? ''}\`.`;
  }
}

/** Files that are named. */
const MAX_FILES = 50;

/** A new package as a list: its whole content is what the forge shows anyway. */
function listed(files: PackageFiles): string {
  const names = [...files.keys()].sort();
  const more = names.length > MAX_FILES ? [`and ${names.length - MAX_FILES} more`] : [];
  const lines = [...names.slice(0, MAX_FILES).map(code), ...more].map((line) => `- ${line}`);
  return details(counted(names.length, 'file'), lines.join('\n'));
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
