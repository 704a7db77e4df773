/** YAML as text: what its readers have to go through, whatever it means. */
import { words, type Choices, type Rule } from './choices.ts';

const scalar = words(
  'a',
  '1',
  '"a"',
  "'a'",
  'null',
  '~',
  'true',
  '0x1f',
  '1e999',
  '99999999999999999999',
  '.nan',
  '2026-11-20',
  '|\n    a\n',
  '>-\n    a\n',
  '!!binary aGk=',
  '!!str 1',
  '*a',
  '&b b',
  '""',
  '{}',
  '[]',
  '__proto__',
  '"\\u0000"',
  '"\\ud800"',
  '<<',
);

const part: Rule = (choices) =>
  choices.one([
    (c) => `key: ${scalar(c)}\n`,
    (c) => c.many((at) => `k${at}: ${at}\n`),
    (c) => c.many((at) => `"k${at}": "${at}"\n`),
    (c) => c.many((at) => `? k${at}\n: v\n`),
    (c) => `same:\n${c.many(() => '  a: 1\n')}`,
    (c) => `list:\n${c.many((at) => `- ${at}\n`)}`,
    (c) => `list:\n${c.many((at) => `- name: n${at}\n  value: v\n`)}`,
    (c) => `flow: [${c.many((at) => String(at), ', ')}]\n`,
    (c) => `flow: {${c.many((at) => `a${at}: ${at}`, ', ')}}\n`,
    (c) => `flow: [\n${c.many((at) => `  ${at}, # ${at}\n`)}]\n`,
    (c) => `flow: [${c.many(() => '{a: 1}', ',')}]\n`,
    (c) => `deep: ${c.nested('[', '', ']')}\n`,
    (c) => `deep: ${c.nested('{a: ', '1', '}')}\n`,
    (c) => `deep: ${c.nested('- ', 'a', '')}\n`,
    (c) => `deep:\n  ${c.nested('? ', 'a', '')}\n`,
    (c) => `open: ${c.long(c.pick(['[', '{', '{a: ', '[[', '"', "'", '[,', '{?', '[a: ']))}\n`,
    steps,
    aliases,
    bomb,
    (c) => `base: &base\n  a: 1\n${c.many((at) => `m${at}:\n  <<: *base\n`)}`,
    (c) => `m: { <<: [${c.many(() => '{a: 1}', ', ')}] }\n`,
    (c) => c.many((at) => `---\nkind: A\nmetadata: { name: a${at} }\n`),
    (c) => c.many(() => '---\n'),
    (c) => c.many(() => '...\n'),
    (c) => c.many((at) => `# comment ${at}\n`),
    (c) => `a: 1 #${c.long(' comment')}\n`,
    (c) => `a: 1${c.long(' ')}# c\n`,
    (c) => `a:${c.long(' ')}\n`,
    (c) => `a:${c.long('\n')} b\n`,
    (c) => `a:${c.long('\n #x')}\n  b: 1\n`,
    (c) => `${c.long(' ')}a: 1\n`,
    (c) => `text: |\n${c.many((at) => `  line ${at}\n`)}`,
    (c) => `text: |\n${c.long('\n')}  a\n`,
    (c) => `text: >\n${c.many(() => '  folded\n\n')}`,
    (c) => `text: >\n${c.many((at) => `${' '.repeat(2 + (at % 7))}more\n`)}`,
    (c) => `text: "${c.long('a')}"\n`,
    (c) => `text: "${c.long('\\n')}"\n`,
    (c) => `text: "${c.long('a\\\n  ')}"\n`,
    (c) => `text: "${c.long('a\n\n  ')}"\n`,
    (c) => `text: '${c.long("''")}'\n`,
    (c) => `text: ${c.long('word ')}\n`,
    (c) => `text: ${c.long('a\n  ')}\n`,
    (c) => `${c.long('k')}: 1\n`,
    (c) => `? ${c.nested('[', 'a', ']')}\n: 1\n`,
    (c) => `${c.many((at) => `!t${at} `)}a: 1\n`,
    (c) => `tags:\n${c.many((at) => `- !t${at} ${at}\n`)}`,
    (c) => `anchors:\n${c.many((at) => `- &a${at} ${at}\n`)}`,
    (c) => c.many((at) => `%TAG !a${at}! tag:x,2000:\n`),
    (c) =>
      c.long(
        c.pick([
          '\t',
          '\r',
          '\r\n',
          '\u00a0',
          '\uFEFF',
          '\u2028',
          '\u0000',
          ': ',
          '- ',
          '? ',
          '&a ',
          '*a ',
          '!',
          '|',
          '>',
          '%',
          '@',
          '`',
          ',',
          '}',
          ']',
          '# ',
          '"',
          "'",
        ]),
      ),
  ]);

export const yaml: Rule = (choices) => {
  const text = choices.some(part);
  return choices.pick([
    text,
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n${text}`,
    text.replaceAll('\n', '\r\n'),
    `\uFEFF${text}`,
    `apiVersion: v1\nkind: List\nitems:\n- ${text.replaceAll('\n', '\n  ')}`,
  ]);
};

function steps(choices: Choices): string {
  const depth = Math.min(1_500, choices.times(100));
  return `${Array.from({ length: depth }, (_, at) => `${' '.repeat(at)}a:`).join('\n')}\n`;
}

function aliases(choices: Choices): string {
  const length = choices.pick([1, 10, 900, 1_000, 100_000]);
  return `a: &a ${choices.pick(['x', `[${'x, '.repeat(length)}]`, `"${'x'.repeat(length)}"`])}\nlist:\n${choices.many(() => '- *a\n')}`;
}

const level = (at: number): string => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}*a${at}]`;

/** Every level names the one before ten times. */
function bomb(choices: Choices): string {
  const levels = Math.min(40, choices.times(60));
  return `a0: &a0 [x, x]\n${Array.from({ length: levels }, (_, at) => level(at)).join('\n')}\n`;
}
