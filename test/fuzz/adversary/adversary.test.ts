// @module-tag story
/**
 * Hostile documents, made from grammars of everything that is evaluated, tried as the server tries them. Whatever comes,
 * the main loop does not stand still, memory stays bounded, and an answer comes: a value, or a refusal. A few of each
 * in the everyday run, `npm run adversary` for the long one; `ADVERSARY_SEED` repeats it.
 */
import * as fc from 'fast-check';
import { afterAll, expect, test, vi } from 'vitest';

import { SUBJECTS } from './attempts.ts';
import type { Order } from './host.ts';
import { createHost, type Outcome } from './hunt.ts';
import { KNOWN } from './known.ts';

vi.setConfig({ testTimeout: 24 * 3_600_000 });

const RUNS = Number(process.env['ADVERSARY_RUNS'] ?? 40);
const LONG = process.env['ADVERSARY_RUNS'] !== undefined;
const SEED = Number(process.env['ADVERSARY_SEED'] ?? 61);

/** Milliseconds that the main loop may stand still. */
const MAX_STALL = 200;
/** Bytes that the process of the main loop may hold. */
const MAX_MEMORY = 600 * 1024 * 1024;

/** Heap as the server has it, and time enough for an answer that says which limit was met. */
const host = createHost({ cpu: 30_000, heap: 400 });
afterAll(() => host.close());

/** What is wrong with an outcome; undefined where nothing is. */
function fault(outcome: Outcome): string | undefined {
  if (outcome.kind === 'silent') return 'no answer';
  if (outcome.kind === 'gone') return 'the process ended';
  if (outcome.kind === 'crashed') return `it threw: ${outcome.message}`;
  if (outcome.stall > MAX_STALL) return `the loop stood still for ${Math.round(outcome.stall)} ms`;
  if (outcome.memory > MAX_MEMORY) return `the process held ${Math.round(outcome.memory / 2 ** 20)} MiB`;
  return undefined;
}

/** The fault of a document. One of time or memory counts where it comes again, alone, five times in a row. */
async function faultOf(order: Order): Promise<string | undefined> {
  let found: string | undefined;
  for (let times = 0; times < 6; times += 1) {
    const outcome = await host.attempt(order);
    found = fault(outcome);
    if (found === undefined) return undefined;
    if (outcome.kind === 'crashed') return found;
    host.close();
  }
  return found;
}

const numbers = fc.array(fc.nat(65_535), { minLength: 4, maxLength: 120, size: 'max' });
const whole = Object.values(SUBJECTS).reduce((sum, { weight }) => sum + weight, 0);

test.each(Object.entries(SUBJECTS).filter(([, { weight }]) => weight > 0))(
  'hostile documents: %s',
  async (subject, { weight }) => {
    const runs = Math.max(2, Math.round((RUNS * weight) / whole));
    const answers = new Map<string, number>();
    let [stall, memory] = [0, 0];
    const property = fc.asyncProperty(numbers, async (decisions) => {
      const order = { subject, numbers: decisions };
      const outcome = await host.attempt(order);
      if (outcome.kind === 'answered') {
        answers.set(outcome.answer, (answers.get(outcome.answer) ?? 0) + 1);
        stall = Math.max(stall, outcome.stall);
        memory = Math.max(memory, outcome.memory);
      }
      if (fault(outcome) !== undefined) expect(await faultOf(order)).toBeUndefined();
    });
    await fc.assert(property, { numRuns: runs, seed: SEED, endOnFailure: !LONG });
    const tried = [...answers.values()].reduce((sum, one) => sum + one, 0);
    expect(tried).toBeGreaterThan(0);
    if (!LONG) return;
    const told = [...answers].sort(([, a], [, b]) => b - a).map(([answer, times]) => `${answer} ${times}`);
    process.stderr.write(
      `adversary: ${subject}: ${runs} documents, longest stall ${Math.round(stall)} ms, ` +
        `most memory ${Math.round(memory / 2 ** 20)} MiB: ${told.join(', ')}\n`,
    );
  },
);

test.each(KNOWN)('once trouble: $what', async ({ subject, numbers: decisions }) => {
  expect(await faultOf({ subject, numbers: decisions })).toBeUndefined();
});

test('what is looked for is found', async () => {
  const impatient = createHost({ cpu: 1_500, heap: 120 });
  try {
    for (const [subject, expected] of [
      ['throws', /it threw: Error: a defect/],
      ['stands still', /stood still/],
      ['fills the memory', /ended|held/],
      ['never answers', /no answer/],
    ] as const)
      expect(fault(await impatient.attempt({ subject, numbers: [] }))).toMatch(expected);
  } finally {
    impatient.close();
  }
});
