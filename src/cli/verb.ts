import { join } from 'node:path';

import { fromHere } from './system-error.ts';
import type { Terminal } from './terminal.ts';

/** One option of a verb, as the table, the parser and the help see it. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What stands for the value in the help, such as `DIR`; absent for a switch. */
  readonly value?: string;
  /** May be given more than once. */
  readonly many?: boolean;
  readonly choices?: readonly string[];
  /** What an empty value means: a value like others, or that the option is not there. Refused unless said. */
  readonly empty?: 'value' | 'absent';
  /** Its value may begin with a dash: options of another program. */
  readonly dashed?: boolean;
  readonly help: string;
}

export interface Verb {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  readonly usage: readonly string[];
  readonly description?: readonly string[];
  readonly options: readonly Option[];
  readonly examples: readonly string[];
  readonly positionals: { readonly least: number; readonly most: number };
  /** True where `-- key=value…` may follow. */
  readonly rest?: boolean;
  readonly load: () => Promise<Run>;
}

/** What a verb is called with. */
export interface Call {
  readonly positionals: readonly string[];
  /** What follows `--`. */
  readonly rest: readonly string[];
  readonly has: (option: string) => boolean;
  readonly text: (option: string) => string | undefined;
  readonly list: (option: string) => readonly string[];
  /** Makes a path that the user typed absolute. */
  readonly path: (typed: string) => string;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Names a file of a package in `directory` as the person at the terminal would write it. */
export function placeIn(call: Pick<Call, 'path'>, directory: string): (file: string) => string {
  return (file) => fromHere(join(directory, file), call.path('.'));
}

/** Does the work of a verb and gives the exit code. */
export type Run = (call: Call) => Promise<number>;
