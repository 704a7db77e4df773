/** The words after a verb, by the same rules for every verb. */
import { type Refusal, refuse } from './refusal.ts';

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

/** Reads the text after a verb. Words are split as a shell would, with quotes and no expansion of anything. */
export function readArguments(_rest: string, _accepts: Accepts): Arguments | Refusal {
  return refuse('bad-argument', '', '');
}
