import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import { diffPackages } from '../package/diff/diff.ts';
import { powerText } from '../package/power/power-markdown.ts';
import {
  pivotText,
  updateReport,
  updateReportMarkdown,
  type UpdateReport,
} from '../preview/update-report.ts';
import { colouredDiff } from './diff-colours.ts';
import type { Sides } from './diff-side.ts';
import { sidesOf } from './diff-sides.ts';
import { EXIT, usageError } from './exit-code.ts';
import { deployedFiles } from './processor-inputs.ts';
import { visible } from './terminal.ts';
import type { Call } from './verb.ts';

/**
 * `portico diff [A [B]]`: the differences of two packages, of what they may do, and what becomes of the objects of a cluster:
 * as text, coloured on a terminal; Markdown or JSON where asked.
 */
export async function diff(call: Call): Promise<number> {
  const { terminal } = call;
  const limit = limitOf(call.text('limit'));
  const pairs = await sidesOf(call);
  terminal.progress('');
  const tool = call.text('diff-tool');
  if (tool !== undefined) {
    const { runDiffTool } = await import('./diff-tool.ts');
    return runDiffTool(call, tool, pairs);
  }
  const reports = pairs.map((sides) => ({
    sides,
    report: {
      ...updateReport('.', deployedFiles(call, sides.before.files), deployedFiles(call, sides.after.files)),
      diff: diffPackages(sides.before.files, sides.after.files),
    },
  }));
  if (terminal.json) {
    const documents = reports.map(({ sides, report }) => jsonOf(sides, report));
    terminal.document(documents.length === 1 ? documents[0] : documents);
    return EXIT.ok;
  }
  for (const { sides, report } of reports) {
    if (reports.length > 1) terminal.print(`${sides.before.name} → ${sides.after.name}:\n`);
    if (call.text('output') === 'markdown') terminal.write(updateReportMarkdown(report, limit));
    else terminal.write(colouredDiff(visible(textOf(report, limit)), terminal.style));
  }
  return EXIT.ok;
}

function jsonOf({ before, after }: Sides, { diff: found, power, pivot, failures }: UpdateReport): object {
  return { before: before.name, after: after.name, ...found, power, pivot, failures };
}

function textOf(report: UpdateReport, limit: number): string {
  const powers = powerText(report.power);
  const may = powers === '' ? '' : `\nPrivileges, ▲ gained and ▼ lost:\n\n${powers}\n`;
  const pivots = pivotText(report);
  const objects = pivots === '' ? '' : `\nWhat happens to objects:\n\n${pivots}\n`;
  return diffMarkdown(report.diff, { limit, plain: true }) + may + objects;
}

function limitOf(typed: string | undefined): number {
  if (typed === undefined) return Infinity;
  const limit = /^\d{1,9}$/.test(typed) ? Number(typed) : 0;
  if (limit < 200)
    throw usageError(`--limit cannot be ${typed}`, 'Give a number of characters, at least 200.');
  return limit;
}
