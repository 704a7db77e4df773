// @module-tag story
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { play, stageFor, type Played } from './play.ts';
import { schedules } from './schedules.ts';

/**
 * Random people, rights, commands, documents and pushes against a small model of who may: what happened on the forge
 * is judged, never what the bot says. AUTHORIZATION_SEED and AUTHORIZATION_SCHEDULES say which and how many,
 * AUTHORIZATION_FROM with which to begin, AUTHORIZATION_ONLY plays one of them alone and tells it, by its number, and
 * AUTHORIZATION_STORY tells only stories that are called so.
 */
const LONG = process.env['PORTICO_LONG'] === '1' || process.env['AUTHORIZATION_SCHEDULES'] !== undefined;
const SCHEDULES = Number(process.env['AUTHORIZATION_SCHEDULES'] ?? (LONG ? 500 : 2));
const SEED = Number(process.env['AUTHORIZATION_SEED'] ?? (LONG ? Date.now() % 1_000_000 : 2594));
const ONLY = process.env['AUTHORIZATION_ONLY'];
const FROM = Number(process.env['AUTHORIZATION_FROM'] ?? 0);
/** Played side by side on one stage. */
const TOGETHER = 3;
/** A stage is used for so many, because starting one costs as much as a schedule. */
const PER_STAGE = LONG ? 12 : 4;

const all = fc.sample(schedules(), { numRuns: SCHEDULES, seed: SEED });

test(
  `whoever tries what: ${ONLY === undefined ? `${SCHEDULES} schedules` : `schedule ${ONLY}`} without a forbidden effect`,
  async () => {
    const numbers =
      ONLY === undefined ? Array.from({ length: SCHEDULES - FROM }, (_, at) => FROM + at) : [Number(ONLY)];
    const found: string[] = [];
    const tally = new Map<string, number>();
    const sum = { schedules: 0, steps: 0, revisions: 0, merged: 0, refused: 0 };
    for (let at = 0; at < numbers.length; at += PER_STAGE) {
      const some = numbers.slice(at, at + PER_STAGE).map((number) => ({ number, schedule: all[number]! }));
      await using stage = await stageFor(some);
      const waiting = [...some];
      await Promise.all(
        Array.from({ length: TOGETHER }, async () => {
          for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
            count(await play(stage, next.schedule, next.number), next.number);
          }
        }),
      );
      const broken = stage.log.filter((line) => /"level":(50|60)|"level":"(error|fatal)"/.test(line));
      if (broken.length > 0)
        found.push(`seed ${SEED}, from ${some[0]!.number}: ${broken.slice(0, 3).join('\n')}`);
    }
    if (LONG) tell(`seed ${SEED}: ${JSON.stringify({ ...sum, ...Object.fromEntries(tally) })}`);
    expect(found).toEqual([]);

    function count({ findings, done, revisions, merged, refused }: Played, number: number): void {
      sum.schedules += 1;
      sum.steps += done.length;
      sum.revisions += revisions;
      sum.merged += merged;
      sum.refused += refused;
      if (ONLY !== undefined) tell(`- ${done.join('\n- ')}`);
      for (const { code } of findings) tally.set(code, (tally.get(code) ?? 0) + 1);
      if (findings.length > 0) {
        const what = findings.map((one) => `${one.code}: ${one.what}`).join('\n  ');
        const story = `seed ${SEED}, schedule ${number}: ${all[number]!.stories.join(', then ')} (${JSON.stringify(all[number]!.setting)})\n  ${what}\n  - ${done.join('\n  - ')}`;
        found.push(story);
        if (LONG) tell(`FORBIDDEN ${story}`);
      }
      if (LONG && sum.schedules % 10 === 0) tell(`so far, seed ${SEED}: ${JSON.stringify(sum)}`);
    }
  },
  LONG ? 6 * 3_600_000 : 240_000,
);

function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}
