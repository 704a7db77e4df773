/**
 * Measures Portico against its budgets and against kpt, where kpt is on PATH. A slow machine makes both slow, so
 * what counts are ratios. Always ends with 0: a budget that is not met is said, and fails nothing.
 *
 *   npm run bench -- [--json] [--quick] [--full] [--only update|render|webhook|index|catalog|fan-out|chart-updates|command-line]
 */
import { parseArgs } from 'node:util';

import { benchCatalog } from './bench/catalog.ts';
import { benchChartUpdates } from './bench/chart-updates.ts';
import { benchCommandLine } from './bench/command-line.ts';
import { benchFanOut, benchIndex } from './bench/fan-out.ts';
import { benchRender } from './bench/render.ts';
import { table } from './bench/row.ts';
import type { Row } from './bench/row.ts';
import { benchUpdate } from './bench/update.ts';
import { benchWebhook } from './bench/webhook.ts';
import { hasKpt } from './bench/workspace.ts';
import { build } from './build.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    full: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const benches = {
  update: benchUpdate,
  render: benchRender,
  webhook: benchWebhook,
  index: benchIndex,
  catalog: benchCatalog,
  'fan-out': benchFanOut,
  'chart-updates': benchChartUpdates,
  'command-line': benchCommandLine,
};

// What is measured is what is packed.
await build();
if (!hasKpt()) say('kpt is not on PATH: there is nothing to compare with.');
const rows: Row[] = [];
for (const [name, bench] of Object.entries(benches)) {
  if (values.only !== undefined && values.only !== name) continue;
  rows.push(...(await bench({ full: values.full, quick: values.quick, say })));
}
process.stdout.write(values.json ? `${JSON.stringify({ rows })}\n` : `${table(rows)}\n`);
