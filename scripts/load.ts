/**
 * A burst of webhooks, then people at work, on the bot as processes of its own against the local forge.
 *
 *   npm run load -- [--burst 5000] [--minutes 30] [--repositories 200] [--postgres] [--json] [--profile DIR]
 *
 * `--postgres`: two replicas on one PostgreSQL server, which is started for it. `--profile`: a CPU profile of each process.
 */
import { parseArgs } from 'node:util';

import { quiet } from '../test/e2e/bot-process.ts';
import { burst } from './load/burst.ts';
import { startLoad } from './load/ground.ts';
import { soak } from './load/soak.ts';

const { values } = parseArgs({
  options: {
    burst: { type: 'string', default: '5000' },
    minutes: { type: 'string', default: '30' },
    repositories: { type: 'string', default: '200' },
    postgres: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const count = Number(values.burst);
await using ground = await startLoad({
  repositories: Number(values.repositories),
  postgres: values.postgres,
  profile: values.profile,
});
say(
  `${ground.repositories.length} repositories, ${ground.bots.length} process(es); waiting for the first sweep`,
);
for (const { port } of ground.bots) await quiet(ground.forge, port, 1_800);

const report: Record<string, unknown> = {
  repositories: ground.repositories.length,
  processes: ground.bots.length,
  database: values.postgres ? 'postgres' : 'embedded',
};
if (count > 0) {
  say(`${count} webhooks as fast as they are taken`);
  report['burst'] = await burst(ground, count, 0);
  say(`${count / 5} webhooks, 100 a second`);
  report['paced'] = await burst(ground, count / 5, 100);
}
if (Number(values.minutes) > 0) {
  say(`mixed work for ${values.minutes} minutes`);
  report['soak'] = await soak(ground, Number(values.minutes));
}
// Stopped rather than killed, so that a profile is written.
for (const { process: bot } of ground.bots) await bot.end('SIGTERM');
process.stdout.write(`${JSON.stringify(report, null, values.json ? 0 : 2)}\n`);
