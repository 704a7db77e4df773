/**
 * One published revision, and a repository with one package locked to it, fifty times: what Portico asks of the forge
 * to propose the update everywhere, and what Renovate asks, which finds the same tag by a pattern in the Kptfile.
 *
 *   npm exec -- node scripts/renovate-comparison.ts --renovate DIR [--repositories 50] [--json]
 *
 * DIR is where `npm install --prefix DIR renovate` was run: Renovate is no dependency of ours (its licence is AGPL).
 * Renovate changes the pin in the Kptfile; Portico merges the package. What is compared is calls and time.
 */
import { parseArgs } from 'node:util';

import { playPortico } from './renovate/portico-side.ts';
import { playRenovate } from './renovate/renovate-side.ts';

const { values } = parseArgs({
  options: {
    renovate: { type: 'string' },
    repositories: { type: 'string', default: '50' },
    json: { type: 'boolean', default: false },
  },
});

const say = (message: string): void => void process.stderr.write(`${message}\n`);
const repositories = Number(values.repositories);
const rounds = [...(await playPortico({ repositories, say }))];
if (values.renovate === undefined) say('no --renovate DIR: there is nothing to compare with.');
else rounds.push(...(await playRenovate({ repositories, directory: values.renovate, say })));
if (values.json) process.stdout.write(`${JSON.stringify({ repositories, rounds })}\n`);
else console.table(rounds);
