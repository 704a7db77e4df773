/** README.md shows what there is: the example, the help, the entry points and the knobs. */
import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { HELP } from '../src/cli-options.ts';
import { realismOf } from '../src/realism/settings.ts';

function read(name: string): string {
  return readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
}

/** Of the fields of an interface. */
function names(text: string): string[] {
  return [...text.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, name]) => name!);
}

const readme = read('README.md');

test('the example and the help are those that run', () => {
  expect(readme).toContain(`\`\`\`ts\n${read('examples/greeting-app.test.ts')}\`\`\``);
  expect(readme).toContain(`\`\`\`text\n${HELP}\n\`\`\``);
});

test('every entry point, knob, behaviour and option is told of', () => {
  const { exports } = JSON.parse(read('package.json')) as { readonly exports: Record<string, string> };
  const entries = Object.keys(exports).map((name) => name.replace(/^\./, ''));
  const knobs = /export interface Knobs \{(.*?)\n\}/s.exec(read('src/webhook-types.ts'))?.[1] ?? '';
  const options = /export interface ForgeOptions \{(.*?)\n\}/s.exec(read('src/forge.ts'))?.[1] ?? '';
  expect(names(knobs)).toContain('rateLimit');
  expect(names(options)).toContain('dataDir');
  const wanted = [
    ...entries.map((name) => (name === '' ? '`@portico/localforge`' : `${name}\``)),
    ...names(knobs).map((name) => `knobs.${name}`),
    ...names(options).map((name) => `\`${name}\``),
    ...Object.keys(realismOf(1)).map((name) => `\`${name}\``),
  ];
  expect(wanted.filter((word) => !readme.includes(word))).toEqual([]);
});
