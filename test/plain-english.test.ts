import { globSync, readFileSync } from 'node:fs';

import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';

/**
 * Turns of phrase that readers stumble over, each with what to write instead. Documents and what the program writes
 * (its string literals) are held to them; names of tests, which documents quote, are not.
 */
const INSTEAD: readonly (readonly [phrase: RegExp, write: string])[] = [
  [
    /\bis no (?:archive|base64|CEL|digest|glob|host|JSON|map|name|number|range|schedule|severity|side|URL|YAML)\b/i,
    'is not a …',
  ],
  [/\bcan be no\b/i, 'cannot be a …'],
  [/\bany more\b/i, 'no longer'],
  [/\b(?:some|no|any|every)body\b/i, 'someone, no one, anyone, everyone'],
  [/\bstands? (?:here|there|twice|in (?:its|the|your|nobody's) way|on (?:its|their) lines?)\b/i, 'is …'],
  [/\bsay (?:it|so) (?:in|again|there|where)\b/i, 'run it, repeat the command'],
  [/\banew\b/i, 'again'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\b(?:is|was|are) said of\b/i, 'is recorded about, is reported for'],
  [/\bwith commas between\b/i, 'separated by commas'],
  [/\bwho may write\b/i, 'people with write access'],
  [/\b(?:nobody|nothing|no one) up\b|\bknocks?\b/i, 'blocks, probes'],
  [/\b(?:come|came|comes) into force\b/i, 'take effect'],
  [/\bunless (?:given|said)\b/i, 'default: …'],
  [/\b(?:where|when) nothing else is said\b/i, 'by default'],
  [/\b(?:which|both|all|is|are) (?:is |are )?told[,;.:|]/i, 'is reported'],
  [/\b(?:and|but) told[,;.]/i, 'and reported'],
  [/\bwhoever (?:is at it|may (?:write|change|read))\b/i, 'people who can …'],
  [/\bof its kin\b|\band (?:its|their) (?:kin|like)\b/i, 'and similar'],
  [/\bbeside it stands\b|\bbeside it are written\b/i, 'comes with, also writes'],
  [/\bwords of others\b/i, 'foreign text'],
  [/\borders stay at home\b/i, 'repositories obey only whom they name'],
];

/** Prose has at least three words; code in a literal is not read. */
const PROSE = /[a-z]+ [a-z]+ [a-z]+/i;

/** Documents, without code blocks and without the column that quotes names of tests. */
function linesOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^```[^]*?^```$/gm, '');
  return text.split('\n').filter((line) => !line.includes('`test/') && !line.includes('`localforge/test/'));
}

/** The texts of literals and templates, wherever they are in a program. */
function literalsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8');
  // Parsing takes long: most files have no such words, not even in comments.
  if (!INSTEAD.some(([phrase]) => phrase.test(source))) return [];
  const texts: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if ('type' in node && 'value' in node) {
      if (node.type === 'Literal' && typeof node.value === 'string') texts.push(node.value);
      if (node.type === 'TemplateElement') texts.push(JSON.stringify(node.value));
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(source, { lang: 'ts' }));
  return texts.filter((text) => PROSE.test(text));
}

function found(file: string, texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    INSTEAD.filter(([phrase]) => phrase.test(text)).map(
      ([phrase, write]) => `${file}: "${phrase.exec(text)?.[0] ?? ''}" → ${write}: ${text.slice(0, 160)}`,
    ),
  );
}

test('what the program writes is plain English', () => {
  const files = globSync('src/**/*.ts', { exclude: ['src/trial/**'] });
  expect(files.length).toBeGreaterThan(500);
  expect(files.flatMap((file) => found(file, literalsOf(file)))).toEqual([]);
});

test('documents are plain English', () => {
  const files = globSync(['*.md', 'docs/*.md', 'localforge/README.md', 'deploy/**/*.md'], {
    exclude: ['CHANGELOG.md'],
  });
  expect(files.length).toBeGreaterThan(20);
  expect(files.flatMap((file) => found(file, linesOf(file)))).toEqual([]);
});
