import { resolve } from 'node:path';

import { parseArguments } from '../../src/cli/arguments.ts';
import { exitCodeOf } from '../../src/cli/exit-code.ts';
import { VERBS } from '../../src/cli/table.ts';
import { PorticoError } from '../../src/error.ts';

export interface Ran {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one verb as the command line does, in this process. */
export async function runVerb(name: string, ...argv: string[]): Promise<Ran> {
  const verb = VERBS.find((one) => one.name === name);
  if (verb === undefined) throw new Error(`no verb ${name}`);
  let [stdout, stderr] = ['', ''];
  const say = (text: string): void => void (stderr += `${text}\n`);
  const exit = await (async (): Promise<number> => {
    try {
      const { positionals, rest, values } = parseArguments(verb, argv);
      const perform = await verb.load();
      return await perform({
        positionals,
        rest,
        has: (option) => values.has(option),
        text: (option) => values.get(option)?.[0],
        list: (option) => values.get(option) ?? [],
        path: (typed) => resolve(typed),
        terminal: {
          json: values.has('json'),
          isLive: false,
          print: (text) => void (stdout += `${text}\n`),
          write: (text) => void (stdout += text),
          document: (value) => void (stdout += `${JSON.stringify(value)}\n`),
          say,
          warn: (text) => say(`warning: ${text}`),
          progress: () => undefined,
          style: (_format, text) => text,
        },
        signal: new AbortController().signal,
      });
    } catch (error) {
      if (!(error instanceof PorticoError)) throw error;
      say(`error: ${error.message}`);
      if (error.hint !== undefined) say(error.hint);
      return exitCodeOf(error);
    }
  })();
  return { exit, stdout, stderr };
}

/** What the verbs of catalogs print with `--json`; each has some of it. */
interface Printed {
  readonly passed: boolean;
  readonly errors: readonly {
    readonly message: string;
    readonly at: readonly string[];
    readonly line?: number;
  }[];
  readonly warnings: readonly { readonly message: string }[];
  readonly packages: Record<string, unknown>;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly resolved: string | null;
  readonly reason: string;
  readonly successors: readonly string[];
  readonly valid: boolean;
  readonly problem: string;
  readonly matches: readonly string[];
}

/** Runs a verb with `--json` and gives the document beside the exit code. */
export async function jsonOf(name: string, ...argv: string[]): Promise<Ran & { readonly document: Printed }> {
  const ran = await runVerb(name, ...argv, '--json');
  return { ...ran, document: JSON.parse(ran.stdout) as Printed };
}
