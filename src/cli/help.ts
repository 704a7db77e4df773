import { COMMON } from './arguments.ts';
import { groupLines, kptName } from './kpt-names.ts';
import type { Option, Verb } from './verb.ts';

/** The text of `portico --help`. */
export function generalHelp(verbs: readonly Verb[]): string {
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  return [
    'Portico: packages of Kubernetes configuration, from draft to every downstream.',
    '',
    'Usage: portico VERB [arguments]',
    '',
    'Verbs:',
    ...verbs.map((verb) => `  ${verb.name.padEnd(width)}  ${verb.summary}`),
    '',
    "kpt's names work too:",
    ...groupLines(),
    '',
    'Options:',
    '  -h, --help   show this help, or the help of a verb',
    '  --version    print the version',
    '',
    'Exit codes: 0 fine, 1 the work failed, 2 merged with conflicts, 64 bad usage, 65 bad input.',
  ].join('\n');
}

/** The text of `portico VERB --help`. */
export function verbHelp(verb: Verb): string {
  const options = [...verb.options, ...COMMON];
  const width = Math.max(...options.map((option) => label(option).length));
  return [
    sentence(verb.summary),
    '',
    ...verb.usage.map((usage, at) => `${at === 0 ? 'Usage:' : '      '} ${usage}`),
    ...aliasesOf(verb).map((alias, at) => `${at === 0 ? 'Also: ' : '      '} portico ${alias}`),
    ...(verb.description === undefined ? [] : ['', ...verb.description]),
    '',
    'Options:',
    ...options.map((option) => `  ${label(option).padEnd(width)}  ${describe(option)}`),
    '',
    'Examples:',
    ...verb.examples.map((example) => `  ${example}`),
  ].join('\n');
}

function aliasesOf({ name, alias }: Verb): string[] {
  return [alias, kptName(name)].filter((one) => one !== undefined);
}

function label(option: Option): string {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  return `${short}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
}

function describe(option: Option): string {
  const choices = option.choices === undefined ? '' : `: ${option.choices.join(', ')}`;
  return `${option.help}${choices}${option.many === true ? ' (may be repeated)' : ''}`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}
