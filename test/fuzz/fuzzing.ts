import * as fc from 'fast-check';
import { vi } from 'vitest';

import { PorticoError } from '../../src/error.ts';

/**
 * How many executions a target gets: a handful in `npm test`, `FUZZ_RUNS` times its weight in `npm run fuzz`. Weights
 * are small for what is slow. `FUZZ_SEED` repeats a run.
 */
const RUNS = process.env['FUZZ_RUNS'];
const SEED = process.env['FUZZ_SEED'];
// Before the targets are registered, which import this.
vi.setConfig({ testTimeout: 4 * 3_600_000 });

interface Target<Values extends unknown[]> {
  readonly name: string;
  readonly weight: number;
  readonly inputs: { readonly [At in keyof Values]: fc.Arbitrary<Values[At]> };
  /** Inputs that were trouble once, or are likely to be: tried first, every time. */
  readonly seeds?: readonly NoInfer<Values>[];
  /** Throws for a crash, or for an answer that must not be. */
  readonly check: (...values: NoInfer<Values>) => void | Promise<void>;
}

/** Tries a target with as many inputs as it is worth; in a long run says how many, in what time, from which seed. */
export async function fuzz<Values extends unknown[]>(target: Target<Values>): Promise<void> {
  const { name, weight, inputs, seeds = [], check } = target;
  const numRuns =
    RUNS === undefined ? Math.max(2, Math.round(25 * weight)) : Math.round(Number(RUNS) * weight);
  const seed = SEED === undefined ? Date.now() % 0x7fff_ffff : Number(SEED);
  const started = performance.now();
  let executions = 0;
  const property = fc.asyncProperty(
    fc.tuple(...(inputs as unknown as fc.Arbitrary<unknown>[])),
    async (values) => {
      executions += 1;
      const done = check(...(values as Values));
      if (done instanceof Promise) await done;
    },
  );
  await fc.assert(property, {
    numRuns,
    seed,
    examples: seeds.map((values): [unknown[]] => [values]),
    interruptAfterTimeLimit: RUNS === undefined ? 2_000 : 3_600_000,
  });
  if (RUNS !== undefined) {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    process.stderr.write(`fuzz: ${name}: ${executions} executions in ${seconds} s, seed ${seed}\n`);
  }
}

/** Runs what may refuse its input: anything but a told refusal is a crash. */
export function tolerant<Result>(run: () => Result): Result | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof PorticoError) || error.message === '') throw error;
    return undefined;
  }
}

const LIVE = [
  '@alice',
  '@acme/team',
  ' @bob ',
  '#12',
  'GH-4',
  'fixes #3',
  '/portico publish',
  '\n/portico approve\n',
  '\n> /portico publish',
  '<!-- portico:summary -->',
  '<!-- portico:reply 1 -->',
  '<!--',
  '-->',
  '<details>',
  '</details>',
  '<img src=x>',
  '![](https://x.test/y.png)',
  '[a](https://x.test)',
  '`',
  '``',
  '```',
  '```\n',
  '\n```\n',
  '~~~\n',
  '|',
  '\\|',
  '\\',
  '\n\n',
  '\n',
  '\r',
  '\r\n',
  '\t',
  ' ',
  '\u2028',
  '\u000b',
  '\u0000',
  '\u202e',
  '\u200b',
  '\ufeff',
  '\ud800',
  '- [ ] ',
  '# ',
  '    ',
  '1. ',
  '> ',
  '&lt;',
  '&#64;alice',
  'https://github.com/a/b/issues/1',
  'é',
  'x',
  'web',
];

/** Text out of pieces that mean something to Markdown, to the forge, or to the command parser. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(fc.constantFrom(...LIVE), { maxLength: 12 }).map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
);

/** Text out of these pieces. */
export function soup(pieces: readonly string[], maxLength = 40): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...pieces), { maxLength }).map((parts) => parts.join(''));
}

/** A good text with a piece put in, and as much taken away at that place. */
export function damaged(good: readonly string[], pieces: readonly string[]): fc.Arbitrary<string> {
  const wound = fc.tuple(fc.nat(), fc.constantFrom(...pieces), fc.nat(12));
  return fc.tuple(fc.constantFrom(...good), fc.array(wound, { maxLength: 4 })).map(([text, wounds]) =>
    wounds.reduce((now, [at, piece, cut]) => {
      const place = at % (now.length + 1);
      return now.slice(0, place) + piece + now.slice(place + cut);
    }, text),
  );
}

/** What means something to YAML, and what breaks readers of it. */
export const YAML_PIECES: readonly string[] = [
  ': ',
  '\n',
  '- ',
  '  ',
  '    ',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  "'",
  '|',
  '>',
  '#',
  '&x ',
  '*x',
  '!!binary ',
  '? ',
  '---\n',
  '...\n',
  '\t',
  '\r\n',
  '<<: ',
  '%YAML 1.1\n',
  '\u0000',
  '\ud800',
  '\u2028',
  'null',
  '~',
  '0x1f',
  '1e999',
  '.nan',
  '__proto__',
  'constructor',
  '99999999999999999999',
  '@alice',
];
