// @module-tag story
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { PLAIN, RENDERED } from './model-content.ts';
import { holds } from './model-holds.ts';
import { schedules } from './model-schedules.ts';
import { freshModel, type Command, type Real, type Tally } from './model.ts';
import { startStage, type Stage } from './stage.ts';

/**
 * Schedules of people and events, each in a repository of its own. MODEL_SEED and MODEL_SCHEDULES say which and how many,
 * MODEL_FROM with which to begin, MODEL_TOGETHER how many are played side by side, and MODEL_ONLY plays one of them by
 * its number alone, made smaller where it fails.
 */
const LONG = process.env['PORTICO_LONG'] === '1' || process.env['MODEL_SCHEDULES'] !== undefined;
const SCHEDULES = Number(process.env['MODEL_SCHEDULES'] ?? (LONG ? 1_000 : 1));
const LENGTH = LONG ? 18 : 9;
const TOGETHER = Math.min(SCHEDULES, Number(process.env['MODEL_TOGETHER'] ?? 5));
/** A stage is used for so many in turn, because starting one costs as much as a schedule. */
const IN_TURN = LONG ? 8 : 1;
const SEED = Number(process.env['MODEL_SEED'] ?? (LONG ? Date.now() % 1_000_000 : 1));
const ONLY = process.env['MODEL_ONLY'];
const FROM = Number(process.env['MODEL_FROM'] ?? 0);

type Schedule = readonly Command[];

const PER_STAGE = Math.min(SCHEDULES, TOGETHER * IN_TURN);
const all = fc.sample(schedules(LENGTH), { numRuns: SCHEDULES, seed: SEED });

test.skipIf(ONLY !== undefined)(
  `whatever people do, in whatever order webhooks come: ${SCHEDULES} schedules`,
  async () => {
    const tally: Tally = new Map();
    const played = { schedules: 0, commands: 0, revisions: 0, failed: 0 };
    const failures: string[] = [];
    for (let from = FROM; from < SCHEDULES; from += PER_STAGE) {
      const some = all.slice(from, from + PER_STAGE).map((schedule, at) => ({ schedule, number: from + at }));
      await using stage = await stageFor(some.map(({ number }) => number));
      const waiting = [...some];
      await Promise.all(
        Array.from({ length: TOGETHER }, async () => {
          for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            const model = freshModel(tally);
            try {
              await play(stage, `r${next.number}`, model, next.schedule);
            } catch (error) {
              played.failed += 1;
              failures.push(`seed ${SEED}, schedule ${next.number}: ${String(error)}`);
              if (LONG) tell(`FAILED ${failures.at(-1)}`);
            }
            played.schedules += 1;
            played.commands += model.done.length;
            played.revisions += model.tags.size;
            if (LONG && played.schedules % 10 === 0) tell(`so far, seed ${SEED}: ${JSON.stringify(played)}`);
          }
        }),
      );
      await quietAtLast(stage).catch((error: unknown) => {
        failures.push(`seed ${SEED}, schedules ${from} to ${from + some.length - 1}: ${String(error)}`);
        if (LONG) tell(`FAILED ${failures.at(-1)}`);
      });
      if (LONG) tell(`quiet at last, seed ${SEED}: ${JSON.stringify(Object.fromEntries(tally))}`);
    }
    expect(failures).toEqual([]);
  },
  LONG ? 12 * 3_600_000 : 120_000,
);

if (ONLY !== undefined)
  test(`schedule ${ONLY} alone`, { timeout: 3_600_000 }, async () => {
    let left = all[Number(ONLY)]!;
    let found = await failureOf(left);
    if (found === undefined) return;
    // Without each command in turn, from the last on: what is left in the end is all needed.
    for (let at = left.length - 1; at >= 0; at -= 1) {
      const fewer = left.toSpliced(at, 1);
      const still = await failureOf(fewer);
      tell(`without "${String(left[at])}": ${still === undefined ? 'holds' : 'fails'}`);
      if (still !== undefined) [left, found] = [fewer, still];
    }
    throw found;
  });

async function failureOf(schedule: Schedule): Promise<Error | undefined> {
  await using stage = await stageFor([Number(ONLY)]);
  try {
    await play(stage, `r${ONLY}`, freshModel(), schedule);
    await quietAtLast(stage);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

/** Repositories whose webhooks are being lost. */
const losingOf = new WeakMap<Stage, Set<number>>();

/** One repository for each schedule: of three one is rendered, one has rules and auto-merge. */
async function stageFor(numbers: readonly number[]): Promise<Stage> {
  const stage = await startStage(
    Object.fromEntries(numbers.map((at) => [`r${at}`, { files: at % 3 === 1 ? RENDERED : PLAIN }])),
  );
  for (const at of numbers.filter((one) => one % 3 === 2)) await protect(stage, `r${at}`);
  const losing = new Set<number>();
  losingOf.set(stage, losing);
  Object.assign(stage.forge.knobs.webhooks, {
    duplicate: 0.3,
    reorder: 4,
    seed: 11,
    lose: ({ repositoryId }: { repositoryId: number | null }) =>
      repositoryId !== null && losing.has(repositoryId),
  });
  return stage;
}

/** The branch asks for a review and for our check, administrators left out. */
async function protect(stage: Stage, repo: string): Promise<void> {
  const { repos } = stage.as('alice').rest;
  const where = { owner: 'acme', repo };
  await repos.update({ ...where, allow_auto_merge: true });
  await repos.updateBranchProtection({
    ...where,
    branch: 'main',
    enforce_admins: false,
    restrictions: null,
    required_pull_request_reviews: { required_approving_review_count: 1 },
    required_status_checks: {
      strict: false,
      contexts: [],
      checks: [{ context: 'portico', app_id: stage.forge.app.id }],
    },
  });
}

async function play(
  stage: Stage,
  name: string,
  model: ReturnType<typeof freshModel>,
  schedule: Schedule,
): Promise<void> {
  const { id } = stage.forge.context.records.repositoryByName('acme', name)!;
  const losing = losingOf.get(stage)!;
  const real: Real = {
    stage,
    repo: stage.repository(name),
    async losing(work) {
      losing.add(id);
      try {
        await work();
        await stage.forge.settled();
      } finally {
        losing.delete(id);
      }
    },
  };
  await fc.asyncModelRun(() => ({ model, real }), [...schedule]);
  await stage.look(name);
  await holds(model, real, true);
}

/** Everything was looked at: one more look changes nothing, and nothing was said that must not be. */
async function quietAtLast(stage: Stage): Promise<void> {
  await stage.sweep();
  expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
  expect(stage.log.filter((line) => /ghs_|PRIVATE KEY/.test(line))).toEqual([]);
  expect(stage.log.filter((line) => /"level":(50|60)|"level":"(error|fatal)"/.test(line))).toEqual([]);
}

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
