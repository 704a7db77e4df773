/** The words after a verb, by the same rules for every verb. */
import { closestWord } from '../package/closest-word.ts';
import { shortenValue } from '../text/cut-text.ts';
import { scrubSecrets } from '../text/secrets.ts';
import { type Refusal, refuse } from './refusal.ts';
import { splitWords } from './words.ts';

/** What a verb takes. Anything else is refused. */
export interface Accepts {
  /** Positional arguments at most; 0 by default. */
  readonly positional?: number;
  /** The rest of the line is one text, taken as it stands; then nothing else is read. */
  readonly text?: boolean;
  /** `@` and 7 to 40 digits of a commit id. */
  readonly commit?: boolean;
  /** `--name` (flag) or `--name=value` / `--name value` (value). */
  readonly options?: Readonly<Record<string, 'flag' | 'value'>>;
  /** `key=value` words. */
  readonly values?: boolean;
}

export interface Arguments {
  readonly positional: readonly string[];
  readonly text: string;
  /** Lower case, without `@`. */
  readonly commit?: string;
  readonly options: ReadonlyMap<string, string | true>;
  readonly values: ReadonlyMap<string, string>;
}

interface Reading {
  readonly positional: string[];
  commit: string | undefined;
  readonly options: Map<string, string | true>;
  readonly values: Map<string, string>;
}

const COMMIT = /^@([0-9a-f]{7,40})$/i;
const OPTION = /^--([a-z][a-z0-9-]{0,31})(?:=(.*))?$/s;
const VALUE = /^([A-Za-z_][A-Za-z0-9_.-]{0,62})=(.*)$/s;

/** Reads the text after a verb. Words are split as a shell would, with quotes and no expansion of anything. */
export function readArguments(rest: string, accepts: Accepts): Arguments | Refusal {
  const reading: Reading = { positional: [], commit: undefined, options: new Map(), values: new Map() };
  if (accepts.text === true) return finished(reading, rest);
  const words = splitWords(rest);
  if ('kind' in words) return words;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const takes = optionOf(word, accepts);
    const next = takes === 'next' ? words[++at] : undefined;
    const problem = takes === 'next' ? setNext(word, next, reading) : readWord(word, accepts, reading);
    if (problem !== undefined) return problem;
  }
  return finished(reading, '');
}

/** `next` where the word is an option whose value is the following word. */
function optionOf(word: string, accepts: Accepts): 'next' | undefined {
  const [, name = '', value] = OPTION.exec(word) ?? [];
  return value === undefined && declared(accepts, name) === 'value' ? 'next' : undefined;
}

function setNext(word: string, value: string | undefined, reading: Reading): Refusal | undefined {
  if (value !== undefined && !value.startsWith('-')) return setOption(reading, word.slice(2), value);
  return refuse('missing-value', `${word} needs a value`, `Write ${word}=VALUE.`);
}

function readWord(word: string, accepts: Accepts, reading: Reading): Refusal | undefined {
  if (word.startsWith('-')) return readOption(word, accepts, reading);
  const commit = word.startsWith('@') && accepts.commit === true ? COMMIT.exec(word)?.[1] : undefined;
  if (commit !== undefined) {
    if (reading.commit !== undefined) return refuse('repeated', 'the commit is given twice', 'Give it once.');
    reading.commit = commit.toLowerCase();
    return undefined;
  }
  if (word.startsWith('@') && accepts.commit === true) {
    const hint = 'Write @ followed by at least seven digits of the commit id.';
    return refuse('bad-commit', `${shown(word)} is not a commit`, hint);
  }
  const [, key, value] = (accepts.values === true ? VALUE.exec(word) : null) ?? [];
  if (key !== undefined && value !== undefined) {
    if (reading.values.has(key)) return refuse('repeated', `${shown(key)} is given twice`, 'Give it once.');
    reading.values.set(key, value);
    return undefined;
  }
  if (reading.positional.length < (accepts.positional ?? 0)) {
    reading.positional.push(word);
    return undefined;
  }
  return refuse('unexpected-argument', `${shown(word)} is not expected here`, 'Remove it.');
}

function readOption(word: string, accepts: Accepts, reading: Reading): Refusal | undefined {
  const [, name = '', value] = OPTION.exec(word) ?? [];
  const kind = declared(accepts, name);
  if (kind === undefined) {
    return refuse(
      'unknown-option',
      `${shown(word)} is not an option of this command`,
      optionHint(word, accepts),
    );
  }
  if (kind === 'flag' && value !== undefined) {
    return refuse('unexpected-value', `--${name} takes no value`, `Write --${name} without a value.`);
  }
  return setOption(reading, name, value ?? true);
}

function optionHint(word: string, { options = {} }: Accepts): string {
  const names = Object.keys(options);
  if (names.length === 0) return 'This command takes no options.';
  const near = closestWord(word.replace(/^-+/, '').replace(/=.*$/s, ''), names);
  const list = `Available options: ${names.map((name) => `--${name}`).join(', ')}.`;
  return near === undefined ? list : `Did you mean \`--${near}\`? ${list}`;
}

function setOption(reading: Reading, name: string, value: string | true): Refusal | undefined {
  if (reading.options.has(name)) return refuse('repeated', `--${name} is given twice`, 'Give it once.');
  reading.options.set(name, value);
  return undefined;
}

function declared(accepts: Accepts, name: string): 'flag' | 'value' | undefined {
  const options = accepts.options ?? {};
  return Object.hasOwn(options, name) ? options[name] : undefined;
}

function finished(reading: Reading, text: string): Arguments {
  const { positional, options, values, commit } = reading;
  return { positional, text, options, values, ...(commit !== undefined && { commit }) };
}

/** A user's word in a code span, short, with nothing that could end the span. */
export function shown(word: string): string {
  const clean = scrubSecrets(word);
  const short = shortenValue(clean, 60);
  return `\`${short.replaceAll('`', "'")}\``;
}
