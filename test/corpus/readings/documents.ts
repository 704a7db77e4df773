/**
 * Random texts where readers of YAML may differ: forms that stand alone in a manifest, trees in every spelling, and
 * manifests with a few places changed. The same seed gives the same text.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Chance } from '../../package/merge/random-package.ts';
import { chance } from '../../package/merge/random-package.ts';

const FORMS = readFileSync(join(import.meta.dirname, 'forms.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as [kind: string, form: string]);
const of = (kind: string): string[] => FORMS.filter(([one]) => one === kind).map(([, form]) => form);

const [WORDS, NUMBERS, PLAIN, QUOTED] = [of('word'), of('number'), of('plain'), of('quoted')];
const [BLOCKS, TAGS, NAMES, MANIFESTS] = [of('block'), of('tag'), of('name'), of('manifest')];
/** Characters between two lines, and characters that are none of YAML's. */
const [BREAKS, ODD] = [of('break'), of('odd')];
/** Forms between documents, and before and behind all of them. */
const MARGINS = of('margin');
/** Forms that stand in a map, each beginning on a line of its own: attacks, and what is like them. Their kinds have an `s`. */
const MAPS = FORMS.filter(([kind]) => /s$|structure/.test(kind)).map(([, form]) => form);

const HEAD = `apiVersion: v1
kind: Widget
metadata:
  name: w
m: &m {hostIPC: true}
o: &o {hostPID: true}
spec:
  z: 1
`;
const indented = (text: string, by: number): string => text.replace(/^(?=[^\n])/gm, ' '.repeat(by));

/** Texts by form: each holds one form, and nothing else where readers may differ. */
export function forms(): string[] {
  return [
    ...[...WORDS, ...NUMBERS, ...PLAIN, ...QUOTED].flatMap((one) => [
      `${HEAD}  f: ${one}\n`,
      `${HEAD}  f: [${one}, {k: ${one}}]\n`,
      `${HEAD}  ${one}: f\n`,
    ]),
    ...MAPS.flatMap((one) => [`${HEAD}${indented(one, 2)}\n`, `${HEAD}${one}\n`]),
    ...MARGINS.flatMap((one) => [`${HEAD}${one}\n`, `${one}\n${HEAD}`, `${HEAD}${one}\n${HEAD}`, one]),
    ...BLOCKS.map((one) => `${HEAD}  f: ${one}\n    x\n     y\n`),
    ...[...BREAKS, ...ODD].flatMap((one) => [
      `${HEAD}  f: a${one}b\n`,
      `${HEAD}  # ${one}  f: b\n`,
      `${HEAD}  f: "${one}"\n`,
    ]),
    ...TAGS.flatMap((one) => [`${HEAD}  f: ${one} aG9zdE5ldHdvcms=\n`, `${HEAD}  ${one} f: 1\n`]),
    ...NAMES.flatMap((one) => [`${HEAD}  f: &${one} b\n  g: *${one}\n`]),
    ...MANIFESTS,
  ];
}

/** Returns the text of a seed. */
export function documentOf(seed: number): string {
  const from = chance(seed);
  const made = from.pick([composed, composed, printed, mutated, mutated, embedded, blocks])(from);
  const text = from.some(8) ? made.replaceAll('\n', '\r\n') : from.some(2) ? `\ufeff${made}` : made;
  // A file is UTF-8, which has no half of a pair.
  return text.toWellFormed();
}

/** Several forms in one manifest. */
function composed(from: Chance): string {
  let text = from.pick([HEAD, ...MANIFESTS]);
  for (let left = 1 + from.below(3); left > 0; left -= 1) {
    const lines = text.split('\n');
    const at = from.below(lines.length);
    const isMargin = from.some(25);
    const depth = isMargin ? 0 : from.pick([0, 2, 2, 4, /^ */.exec(lines[at] ?? '')![0].length]);
    lines.splice(at, 0, ...indented(from.pick(isMargin ? MARGINS : MAPS), depth).split('\n'));
    text = lines.join('\n');
  }
  return text;
}

/** A form as the value or a part of another one. */
function embedded(from: Chance): string {
  const inner = from.pick(MAPS);
  const deep = indented(from.pick(MAPS), 4);
  return from.pick([
    `${HEAD}  f:\n${indented(inner, 4)}\n`,
    `${HEAD}  f:\n  - ${indented(inner, 4).trimStart()}\n${deep}\n`,
    `${HEAD}  f: {${inner.replaceAll('\n', from.pick([', ', ',\n    ', ',\n']))}}\n`,
    `${HEAD}  f:\n${deep}\n  g:\n${indented(inner, 4)}\n`,
    `${HEAD}items:\n- apiVersion: v1\n  kind: Pod\n${indented(inner, 2)}\n`,
    `${inner}\n${HEAD}${from.pick(MARGINS)}\n${deep}\n`,
  ]);
}

const scalar = (from: Chance): string =>
  from.pick(from.pick([WORDS, NUMBERS, PLAIN, PLAIN, QUOTED, ['1', 'a', 'b']]));

/** A tree, printed in any style. */
function printed(from: Chance): string {
  const head = from.some(70) ? 'apiVersion: v1\nkind: Widget\nmetadata: {name: w}\n' : '';
  return `${head}${from.some(50) ? 'f:' : 'g: &a b\nf:'}${node(from, 2, 3)}\n`;
}

function props(from: Chance): string {
  return from.some(6) ? `&${from.pick(NAMES)} ` : from.some(4) ? `${from.pick(TAGS)} ` : '';
}

/** A value behind its indicator, with the space between them. */
function node(from: Chance, indent: number, depth: number): string {
  const pad = ' '.repeat(indent);
  const comment = from.some(8) ? ` # c${from.pick(BREAKS)}${pad}` : '';
  const kind = depth === 0 ? 0 : from.below(7);
  const count = 1 + from.below(3);
  const each = (make: () => string): string[] => Array.from({ length: count }, make);
  if (kind === 1)
    return ` ${props(from)}${comment}\n${each(() => `${pad}${key(from)}:${node(from, indent + from.pick([1, 2, 2, 4]), depth - 1)}`).join('\n')}`;
  if (kind === 2)
    return ` ${props(from)}${comment}\n${each(() => `${pad}-${node(from, indent + 2, depth - 1)}`).join('\n')}`;
  if (kind === 3) return ` ${flow(from, depth)}${comment}`;
  if (kind === 4) {
    const lines = each(
      () => `${pad}${from.pick(['', '', ' ', '  ', '\t'])}${from.pick([...PLAIN, '', 'x: 1', '# c', '- a'])}`,
    );
    return ` ${props(from)}${from.pick(BLOCKS)}\n${lines.join(from.pick(BREAKS))}`;
  }
  if (kind === 5 && from.some(30)) return ` *${from.pick(NAMES)}${from.pick(['', ' '])}`;
  const text = scalar(from);
  return `${from.pick([' ', ' ', ' ', '  ', '\t', `\n${pad}`])}${props(from)}${from.some(10) ? `${text}${from.pick(BREAKS)}${pad}${scalar(from)}` : text}${comment}`;
}

function key(from: Chance): string {
  if (from.some(3)) return `*${from.pick(NAMES)} `;
  if (from.some(3)) return `? ${scalar(from)}\n`;
  return `${props(from)}${from.some(60) ? from.pick(['a', 'b', 'c', 'd', 'e']) : scalar(from)}${from.some(5) ? ' ' : ''}`;
}

function flow(from: Chance, depth: number): string {
  const inner = (): string =>
    depth > 0 && from.some(30) ? flow(from, depth - 1) : `${props(from)}${scalar(from)}`;
  const gap = (): string => from.pick(['', ' ', ' ', ' ', '\n', '\n  ', '\t', ' # c\n ', from.pick(BREAKS)]);
  const items = Array.from({ length: from.below(4) }, () =>
    from.some(50) ? `${key(from)}:${from.pick([' ', ' ', ' ', '', '\n '])}${inner()}` : inner(),
  );
  const body = items.map((item) => `${gap()}${item}${from.some(20) ? gap() : ''}`).join(',');
  return from.some(50) ? `{${body}${from.pick(['', '', ','])}}` : `[${body}${gap()}]`;
}

/** A block of text with any header, and lines of blanks in it and behind it. */
function blocks(from: Chance): string {
  const base = from.pick([0, 0, 2, 4]);
  const stated = from.pick(['', '', '1', '2', '3', '6']);
  const chomping = from.pick(['', '', '+', '-']);
  const header = `${from.pick(['|', '>'])}${from.some(50) ? stated + chomping : chomping + stated}`;
  const deep = ' '.repeat(base + Number(stated === '' ? from.pick([1, 2, 4]) : stated));
  const line = (): string =>
    from.pick([
      '',
      ' '.repeat(from.below(9)),
      `${' '.repeat(from.below(7))}\t`,
      `${deep}${from.pick(['', ' ', '\t'])}`,
      `${deep}${from.pick(['x', ' x', '  x', '\tx', 'x ', 'x: 1', '# c', '- a'])}`,
    ]);
  const lines = Array.from({ length: from.below(6) }, line).join('\n');
  const pad = ' '.repeat(base);
  const end = from.pick(['', '\n', '\n\n', `\n${pad}z: 1\n`, '\n---\nz: 2\n', '\n# e\n', `\n${line()}`]);
  const body = `${header}${from.pick(['', '', ' ', ' # c'])}\n${lines}${end}`;
  const above = base === 0 ? '' : 's:\n';
  return from.pick([
    `${HEAD}${above}${pad}f: ${body}`,
    `${HEAD}l:\n${pad}- ${body}`,
    `${HEAD}l:\n${pad}- a: 1\n${pad}  f: ${body}`,
    `${HEAD}${above}${pad}? ${body}`,
    `s: ${body}${HEAD}`,
  ]);
}

const SCRAPS = [
  ...':-?#&*!|>%@`"\'{}[],\t\\ =<.'.split(''),
  ...BREAKS,
  ...ODD,
  ...TAGS,
  ...WORDS,
  ...NUMBERS,
  ': ',
  ' #',
  '- ',
  '? ',
  '<<: ',
  '&m ',
  '*m',
  '---',
  '...',
  '  ',
  '    ',
  '"a"',
  "'",
  '!!str ',
  '{}',
  '[]',
  '\n  ',
  '\n    ',
  ': |\n',
  '\n---\n',
  '\n...\n',
  '\ufeff',
  '\n- ',
  'items:',
  'kind: ',
];

/** A manifest with a few places changed. */
function mutated(from: Chance): string {
  let text = from.pick(MANIFESTS);
  for (let left = 1 + from.below(4); left > 0; left -= 1) {
    const at = from.below(text.length + 1);
    const end = Math.min(text.length, at + from.below(6));
    const lines = text.split('\n');
    text = from.pick([
      () => text.slice(0, at) + from.pick(SCRAPS) + text.slice(at),
      () => text.slice(0, at) + from.pick(SCRAPS) + text.slice(at),
      () => text.slice(0, at) + text.slice(end),
      () => text.slice(0, at) + from.pick(SCRAPS) + text.slice(end),
      () => text.replace(/: [^\n]*/, `: ${scalar(from)}`),
      () => lines.toSpliced(from.below(lines.length), 0, from.pick(lines)).join('\n'),
      () => lines.map((line, index) => (index === at % lines.length ? ` ${line}` : line)).join('\n'),
    ])();
  }
  return text;
}
