import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { below } from '../e2e/packages.ts';
import { begin, commands, freshModel, holds, type Real } from './model.ts';
import { smallPackage } from './small-package.ts';
import { startStage } from './stage.ts';

/** Schedules of people and events; each has a repository of its own on a stage that a few share. */
const LONG = process.env['PORTICO_LONG'] === '1' || process.env['MODEL_SCHEDULES'] !== undefined;
const SCHEDULES = Number(process.env['MODEL_SCHEDULES'] ?? (LONG ? 1_000 : 1));
const LENGTH = LONG ? { minLength: 10, maxLength: 16 } : { minLength: 6, maxLength: 6 };
const TOGETHER = Math.min(SCHEDULES, Number(process.env['MODEL_TOGETHER'] ?? 6));
const SEED = process.env['MODEL_SEED'];

const FILES = below('web', smallPackage('web', { data: { color: 'blue', size: 'small', shape: 'round' } }));
const NAMES = Array.from({ length: TOGETHER }, (_, at) => `r${at}`);

test(
  `whatever people do, in whatever order webhooks come: ${SCHEDULES} schedules`,
  async () => {
    const played = { schedules: 0, commands: 0, revisions: 0 };
    const schedule = fc.array(fc.oneof(...commands()), LENGTH);
    await fc.assert(
      fc.asyncProperty(fc.array(schedule, { minLength: TOGETHER, maxLength: TOGETHER }), async (all) => {
        await using stage = await startStage(
          Object.fromEntries(NAMES.map((name) => [name, { files: FILES }])),
        );
        const { webhooks } = stage.forge.knobs;
        const losing = new Set<number>();
        webhooks.lose = ({ repositoryId }) => repositoryId !== null && losing.has(repositoryId);
        Object.assign(webhooks, { duplicate: 0.3, reorder: 4, seed: 11 });
        await Promise.all(
          all.map(async (one, at) => {
            const repo = stage.repository(NAMES[at]!);
            const { id } = stage.forge.context.records.repositoryByName('acme', repo.repo)!;
            const real: Real = {
              stage,
              repo,
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
            const model = freshModel();
            // Without a proposal there is little to do: the first two commands see to it.
            await fc.asyncModelRun(() => ({ model, real }), [begin('one'), begin('two'), ...one]);
            await stage.look(repo.repo);
            await holds(model, real);
            played.schedules += 1;
            played.commands += model.done.length;
            played.revisions += model.tags.size;
          }),
        );
        // Everything was looked at: one more look changes nothing.
        await stage.sweep();
        expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
        const log = stage.log.join('');
        expect(log).not.toMatch(/ghs_|PRIVATE KEY/);
        if (LONG) process.stderr.write(`held so far: ${JSON.stringify(played)}\n`);
        expect(stage.log.filter((line) => /"level":(50|60)|"level":"(error|fatal)"/.test(line))).toEqual([]);
      }),
      {
        numRuns: Math.max(1, Math.ceil(SCHEDULES / TOGETHER)),
        endOnFailure: true,
        ...(SEED !== undefined && { seed: Number(SEED) }),
        verbose: 1,
        unbiased: true,
      },
    );
    if (LONG) process.stderr.write(`all held: ${JSON.stringify(played)}\n`);
  },
  LONG ? 12 * 3_600_000 : 120_000,
);
