import { COMMON } from './arguments.ts';
import { groupLines, kptName, verbsOfGroup } from './kpt-names.ts';
import type { Option, Verb } from './verb.ts';

/** What the verbs are for, in the order of the help; a verb that none names stands under the last title. */
const TOPICS: readonly { readonly title: string; readonly verbs: readonly string[] }[] = [
  {
    title: 'Packages on this machine',
    verbs: ['init', 'get', 'update', 'render', 'eval', 'check', 'diff', 'tree', 'preview', 'sources'],
  },
  {
    title: 'The lifecycle, in a clone',
    verbs: ['draft', 'promote', 'withdraw', 'deprecate', 'channel', 'plan', 'graph'],
  },
  {
    title: 'Registries, operators, policies',
    verbs: ['push', 'pull', 'catalog', 'bundle', 'crd-safety', 'policy'],
  },
  {
    title: 'The GitHub App and its server',
    verbs: ['demo', 'dev', 'app', 'serve', 'run', 'trial', 'migrate'],
  },
  { title: 'This program', verbs: ['completion', 'version'] },
];
const OTHERS = 'More';

/** The text of `portico --help`. */
export function generalHelp(verbs: readonly Verb[]): string {
  const width = Math.max(...verbs.map((verb) => verb.name.length));
  const named = new Set(TOPICS.flatMap((topic) => topic.verbs));
  const others = verbs.map(({ name }) => name).filter((name) => !named.has(name));
  const topics = others.length === 0 ? TOPICS : [...TOPICS, { title: OTHERS, verbs: others }];
  return [
    'Portico: packages of Kubernetes configuration, from draft to every downstream.',
    '',
    'Usage: portico VERB [arguments]',
    ...topics.flatMap((topic) => ['', `${topic.title}:`, ...verbLines(verbs, topic.verbs, width)]),
    '',
    "kpt's names work too:",
    ...groupLines(),
    '',
    'Options:',
    '  -h, --help     show this help, or the help of a verb',
    '  -V, --version  print the version',
    '',
    'Exit codes: 0 fine, 1 the work failed, 2 merged with conflicts, 64 bad usage, 65 bad input.',
  ].join('\n');
}

/** The text of `portico fn --help` and `portico pkg --help`; undefined for a word that names no group of kpt's. */
export function groupHelp(word: string, verbs: readonly Verb[]): string | undefined {
  const names = verbsOfGroup(word);
  if (names.length === 0) return undefined;
  const width = Math.max(...names.map((name) => name.length));
  return [
    `Usage: portico ${word} VERB [arguments]`,
    '',
    'Verbs:',
    ...verbLines(verbs, names, width),
    '',
    `See: portico ${word} VERB --help, and portico --help for what else there is.`,
  ].join('\n');
}

function verbLines(verbs: readonly Verb[], names: readonly string[], width: number): string[] {
  return names.flatMap((name) =>
    verbs.filter((verb) => verb.name === name).map((verb) => `  ${name.padEnd(width)}  ${verb.summary}`),
  );
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
