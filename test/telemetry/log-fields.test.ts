import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

/** The table of log fields in docs/installing.md against every call of a logger in src. */

/** The fields of a job, which lines of the queue and all lines of its work have. */
const JOB = ['lane', 'kind', 'key', 'attempt', 'delivery', 'repository', 'number'];

/** What the fields are where a call does not list them. */
const SPREADS: Readonly<Record<string, readonly string[]>> = {
  'about(claim)': JOB,
  'about(run.claim)': JOB,
  about: ['delivery', 'file'],
  fields: ['repository', 'package'],
};
/** Of every line, and of an error: `src/telemetry/log.ts`. */
const ALWAYS = ['level', 'time', 'msg', 'err', 'version', 'repeated'];

const CALL = /\blog\??(?:\.(?:trace|debug|info|warn|error|fatal)|\[\w+\])\(\s*/g;

test('every field that is logged is in the table, and every field of the table is logged', () => {
  const logged = new Set(ALWAYS);
  const where = new Map<string, string>();
  const nameless: string[] = [];
  for (const file of globSync('src/**/*.ts')) {
    const text = readFileSync(file, 'utf8');
    for (const match of text.matchAll(CALL)) {
      const fields = fieldsOf(firstArgument(text.slice(match.index + match[0].length)));
      // The number of a pull request says nothing without its repository.
      if (fields.includes('pull') && !fields.includes('repository'))
        nameless.push(`${file}: ${fields.join()}`);
      for (const field of fields) {
        logged.add(field);
        where.set(field, file);
      }
    }
  }
  expect(nameless).toEqual([]);
  const page = readFileSync('docs/installing.md', 'utf8');
  const section = page.slice(page.indexOf('## Logs'));
  const documented = [...section.matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].flatMap(([, names = '']) =>
    names.split(', ').map((name) => name.slice(1, -1)),
  );
  const missing = [...logged].filter((field) => !documented.includes(field));
  expect(missing.map((field) => `${field} in ${where.get(field)}`)).toEqual([]);
  expect(documented.filter((field) => !logged.has(field))).toEqual([]);
  expect(new Set(documented).size).toBe(documented.length);
});

/** The text up to the first comma or bracket that closes the call. */
function firstArgument(text: string): string {
  return partsOf(text)[0]!;
}

function fieldsOf(argument: string): readonly string[] {
  const known = SPREADS[argument];
  if (known !== undefined) return known;
  if (!argument.startsWith('{')) throw new Error(`what fields are in ${argument}? Add it to SPREADS`);
  return partsOf(argument.slice(1)).flatMap((part) => {
    if (part.startsWith('...')) return fieldsOf(part.slice(3));
    return /^\w+/.exec(part)?.[0] ?? [];
  });
}

/** What commas separate, up to the bracket that closes; what is in brackets or quotes belongs together. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if ('\'"`'.includes(char)) at = text.indexOf(char, at + 1);
    else if ('({['.includes(char)) depth += 1;
    else if (depth > 0 && ')}]'.includes(char)) depth -= 1;
    else if (depth === 0 && ',)}]'.includes(char)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
      if (char !== ',') break;
    }
  }
  return parts.filter((part) => part !== '');
}
