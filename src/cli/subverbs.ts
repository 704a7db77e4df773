/** Verbs of two words, such as `portico catalog validate`: the second word says what is loaded, and which options count. */
import { closestWord } from '../package/closest-word.ts';
import { usageError } from './exit-code.ts';
import type { Call, Run } from './verb.ts';

export interface Subverb {
  readonly positionals: { readonly least: number; readonly most: number };
  /** Options that it has beside those that all have. */
  readonly options: readonly string[];
  /** Options without which it cannot do its work. */
  readonly needs?: readonly string[];
  readonly usage: string;
  readonly load: () => Promise<Run>;
}

/** The work of a verb whose first argument is one of these names. Throws `CLI_USAGE` for what the named one does not take. */
export function runSubverb(verb: string, subverbs: Readonly<Record<string, Subverb>>): Run {
  const options = [...new Set(Object.values(subverbs).flatMap((one) => one.options))];
  return async (call: Call) => {
    const [name = '', ...positionals] = call.positionals;
    const subverb = Object.hasOwn(subverbs, name) ? subverbs[name] : undefined;
    if (subverb === undefined) throw unknown(verb, name, Object.keys(subverbs));
    const wrong = (message: string): Error =>
      usageError(
        `portico ${verb} ${name}: ${message}`,
        `Usage: ${subverb.usage}\nSee: portico ${verb} --help`,
      );
    if (positionals.length < subverb.positionals.least) throw wrong('an argument is missing');
    if (positionals.length > subverb.positionals.most) {
      throw wrong(`too many arguments: ${positionals.slice(subverb.positionals.most).join(' ')}`);
    }
    const other = options.find((option) => call.has(option) && !subverb.options.includes(option));
    if (other !== undefined) throw wrong(`it has no option --${other}`);
    const missing = subverb.needs?.find((option) => !call.has(option));
    if (missing !== undefined) throw wrong(`--${missing} is missing`);
    const perform = await subverb.load();
    return perform({ ...call, positionals });
  };
}

function unknown(verb: string, name: string, names: readonly string[]): Error {
  const near = closestWord(name, names);
  const meant = near === undefined ? '' : `; did you mean ${near}?`;
  return usageError(
    `portico ${verb} has no ${name}${meant}`,
    `It has: ${names.join(', ')}. See: portico ${verb} --help`,
  );
}
