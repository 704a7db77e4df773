/**
 * Lays siege to a server as the image runs it: hostile proposals from forks by the hundred, with honest ones in between.
 *
 *   npm run hostile -- [--hostile 200] [--strangers 10] [--honest 10]
 */
import { parseArgs } from 'node:util';

import { lay } from './hostile/siege.ts';

const { values } = parseArgs({
  options: {
    hostile: { type: 'string', default: '200' },
    strangers: { type: 'string', default: '10' },
    honest: { type: 'string', default: '10' },
  },
});
const siege = await lay({
  hostile: Number(values.hostile),
  strangers: Number(values.strangers),
  honest: Number(values.honest),
  told: (line) => console.error(line),
});
console.log(JSON.stringify(siege, null, 2));
const met =
  siege.stallMs <= 200 &&
  siege.treeMebibytes <= 600 &&
  Math.max(...siege.ownMs, ...siege.forkMs) <= 3_000 &&
  siege.answered === siege.hostile;
process.exitCode = met ? 0 : 1;
