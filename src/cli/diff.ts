import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import { powerText } from '../package/power/power-markdown.ts';
import { pivotText, updateReport, updateReportMarkdown } from '../preview/update-report.ts';
import { EXIT, usageError } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { visible } from './terminal.ts';
import type { Call } from './verb.ts';

/**
 * `portico diff A B`: the differences of two packages, of what they may do, and what becomes of the objects of a cluster:
 * plain on a terminal, else Markdown or JSON.
 */
export async function diff(call: Call): Promise<number> {
  const [a = '', b = ''] = call.positionals.map(call.path);
  const { terminal } = call;
  const limit = limitOf(call.text('limit'));
  const before = readFolder(a, { warn: terminal.warn });
  const after = readFolder(b, { warn: terminal.warn });
  const report = updateReport('.', before, after);
  if (terminal.json) {
    const { diff: found, power, pivot, failures } = report;
    terminal.document({ ...found, power, pivot, failures });
  } else if (terminal.isLive) {
    const powers = powerText(report.power);
    const may = powers === '' ? '' : `\nPrivileges, ▲ gained and ▼ lost:\n\n${powers}\n`;
    const pivots = pivotText(report);
    const objects = pivots === '' ? '' : `\nWhat happens to objects:\n\n${pivots}\n`;
    terminal.write(visible(diffMarkdown(report.diff, { limit, plain: true }) + may + objects));
  } else terminal.write(visible(updateReportMarkdown(report, limit)));
  return EXIT.ok;
}

function limitOf(typed: string | undefined): number {
  if (typed === undefined) return Infinity;
  const limit = /^\d{1,9}$/.test(typed) ? Number(typed) : 0;
  if (limit < 200)
    throw usageError(`--limit cannot be ${typed}`, 'Give a number of characters, at least 200.');
  return limit;
}
