import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import { diffPackages } from '../package/diff/diff.ts';
import { diffPower } from '../package/power/power-diff.ts';
import { powerMarkdown, powerText } from '../package/power/power-markdown.ts';
import { EXIT, usageError } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { visible } from './terminal.ts';
import type { Call } from './verb.ts';

/** `portico diff A B`: the differences of two packages, and of what they may do: plain on a terminal, else Markdown or JSON. */
export async function diff(call: Call): Promise<number> {
  const [a = '', b = ''] = call.positionals.map(call.path);
  const { terminal } = call;
  const limit = limitOf(call.text('limit'));
  const before = readFolder(a, { warn: terminal.warn });
  const after = readFolder(b, { warn: terminal.warn });
  const found = diffPackages(before, after);
  const power = diffPower(before, after);
  if (terminal.json) terminal.document({ ...found, power });
  else {
    const plain = terminal.isLive;
    const powers = plain ? powerText(power) : powerMarkdown(power);
    const may = powers === '' ? '' : `\nWhat it may do, ▲ more and ▼ less:\n\n${powers}\n`;
    terminal.write(visible(diffMarkdown(found, { limit, plain }) + may));
  }
  return EXIT.ok;
}

function limitOf(typed: string | undefined): number {
  if (typed === undefined) return Infinity;
  const limit = /^\d{1,9}$/.test(typed) ? Number(typed) : 0;
  if (limit < 200)
    throw usageError(`--limit cannot be ${typed}`, 'Give a number of characters, 200 at least.');
  return limit;
}
