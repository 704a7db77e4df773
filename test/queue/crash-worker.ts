/**
 * A process for `crash.test.ts`: opens the database in argument 1 (JSON), runs what is there and enqueues 20 jobs more,
 * and kills itself in the middle of the fifth. Every step is written to the file in argument 2 before it goes on.
 */
import { appendFileSync } from 'node:fs';

import { pino } from 'pino';

import { openDatabase, type DatabaseOptions } from '../../src/queue/open-database.ts';
import { startQueue } from '../../src/queue/queue.ts';

const [options = '', file = ''] = process.argv.slice(2);
const database = await openDatabase(JSON.parse(options) as DatabaseOptions);
let started = 0;
const queue = await startQueue({
  database,
  log: pino({ level: 'silent' }),
  lanes: [{ name: 'work', kinds: ['work'], concurrency: 3 }],
  handlers: {
    work: async ({ key }) => {
      appendFileSync(file, `start ${key}\n`);
      started += 1;
      if (started === 5) process.kill(process.pid, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, 5));
      appendFileSync(file, `end ${key}\n`);
    },
  },
});
for (let index = 0; index < 20; index += 1) {
  await queue.enqueue({ kind: 'work', key: `k${index}`, data: null });
  appendFileSync(file, `stored k${index}\n`);
}
