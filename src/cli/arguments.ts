import { parseArgs } from 'node:util';

import { closestWord } from '../package/closest-word.ts';
import { usageError } from './exit-code.ts';
import { declinedOption } from './kpt-names.ts';
import type { Option, Verb } from './verb.ts';

/** The arguments of one verb, checked against its table entry. */
export interface Arguments {
  readonly help: boolean;
  readonly positionals: readonly string[];
  readonly rest: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
}

/** Options that every verb has. */
export const COMMON: readonly Option[] = [{ name: 'help', short: 'h', help: 'show this help and exit' }];

/**
 * Parses what follows the verb. Throws `CLI_USAGE` for an unknown or repeated option, a missing or unexpected
 * value, and for too few or too many arguments.
 */
export function parseArguments(verb: Verb, argv: readonly string[]): Arguments {
  const options = [...verb.options, ...COMMON];
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(options.map((option) => [option.name, parserOption(option)])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });

  const values = new Map<string, string[]>();
  const positionals: string[] = [];
  const rest: string[] = [];
  let ended = false;
  for (const token of tokens) {
    if (token.kind === 'option-terminator') ended = true;
    else if (token.kind === 'positional') (ended ? rest : positionals).push(token.value);
    else {
      const option = options.find(({ name }) => name === token.name);
      // Who turns off what we do not have gets what is asked for.
      if (option === undefined && token.value === 'false' && declinedOption(token.rawName) !== undefined)
        continue;
      if (option === undefined) throw unknownOption(verb, token.rawName, options);
      if (token.value === '' && option.empty === 'absent') continue;
      if (token.value === 'false' && option.value === undefined) continue;
      const held = values.get(option.name) ?? [];
      if (held.length > 0 && option.value !== undefined && option.many !== true) {
        throw usage(verb, `--${option.name} is given twice`);
      }
      values.set(option.name, [...held, optionValue(verb, option, token.value, token.inlineValue === true)]);
    }
  }

  const help = values.has('help');
  if (!help) checkPositionals(verb, positionals, rest);
  return { help, positionals, rest, values };
}

function parserOption(option: Option): { type: 'boolean' | 'string'; multiple: boolean; short?: string } {
  const parsed = { type: option.value === undefined ? 'boolean' : 'string', multiple: true } as const;
  return option.short === undefined ? parsed : { ...parsed, short: option.short };
}

function optionValue(verb: Verb, option: Option, value: string | undefined, inline: boolean): string {
  if (option.value === undefined) {
    if (value !== undefined && value !== 'true')
      throw usage(verb, `--${option.name} takes no value but true or false`);
    return 'true';
  }
  if (value === undefined || (value === '' && option.empty !== 'value'))
    throw usage(verb, `--${option.name} needs a value: ${option.value}`);
  if (value.startsWith('-') && value !== '-' && !inline && option.dashed !== true) {
    throw usage(verb, `--${option.name} needs a value; write --${option.name}=${value} if ${value} is meant`);
  }
  if (option.choices !== undefined && !option.choices.includes(value)) {
    const near = closestWord(value, option.choices, 3);
    const meant = near === undefined ? '' : ` (did you mean ${near}?)`;
    throw usage(
      verb,
      `--${option.name} cannot be ${value}${meant}; it is one of ${option.choices.join(', ')}`,
    );
  }
  return value;
}

function unknownOption(verb: Verb, raw: string, options: readonly Option[]): Error {
  const declined = declinedOption(raw);
  if (declined !== undefined) return usageError(`portico ${verb.name} does not take ${raw}`, declined);
  const near = closestWord(
    raw.replace(/^-+/, ''),
    options.map(({ name }) => name),
  );
  const meant = near === undefined ? '' : `; did you mean --${near}?`;
  return usage(verb, `portico ${verb.name} has no option ${raw}${meant}`);
}

function checkPositionals(verb: Verb, positionals: readonly string[], rest: readonly string[]): void {
  const { least, most } = verb.positionals;
  if (positionals.length < least) throw usage(verb, 'an argument is missing');
  if (positionals.length > most)
    throw usage(verb, `too many arguments: ${positionals.slice(most).join(' ')}`);
  if (rest.length > 0 && verb.rest !== true) throw usage(verb, `nothing may follow --: ${rest.join(' ')}`);
}

function usage(verb: Verb, message: string): Error {
  return usageError(message, `Usage: ${verb.usage[0] ?? verb.name}\nSee: portico ${verb.name} --help`);
}
