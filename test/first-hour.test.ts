/** The tutorial, step by step as it is written: its commands are taken out of the page. */
import { globSync, readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { runSteps, stepsOf } from '../scripts/pictures/page-steps.ts';
import { ROOT, run, scratch } from './cli/run-portico.ts';
import { freePort } from './e2e/portico-process.ts';
import { longTest } from './long-test.ts';
import { MACHINE_PATH } from './machine-path.ts';

const page = readFileSync('docs/first-hour.md', 'utf8');
const steps = stepsOf(page);

test('the tutorial has a command for each step, and every step is told of', () => {
  expect(steps.length).toBeGreaterThanOrEqual(page.match(/^## /gm)!.length);
});

test('a wait of the tutorial ends, and shows the log', async () => {
  const waits = steps.flatMap(
    ({ commands }) => commands.match(/^.*\b(?:until|while|sleep|wait_for \S)/gm) ?? [],
  );
  expect(waits.filter((line) => !line.startsWith('wait_for '))).toEqual([
    expect.stringContaining('for _ in {1..60}'),
  ]);
  using hour = scratch();
  hour.write({ 'dev.log': 'port 4290 is in use\n' });
  const wait = steps.find(({ commands }) => commands.startsWith('wait_for()'))?.commands ?? '';
  const hasty = `sleep() { :; }\n${wait}\nwait_for use cat dev.log && wait_for http cat dev.log`;
  const { code, stderr } = await run('bash', ['-c', hasty], {
    cwd: hour.path('.'),
    env: { HOUR: hour.path('.') },
  });
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^"http" did not appear .*\/dev\.log:\nport 4290 is in use\n$/),
  ]);
});

longTest(
  'the commands of the tutorial do what it says, with the Node of this machine',
  async () => {
    using hour = scratch();
    const env = {
      PATH: MACHINE_PATH,
      HOUR: hour.path('hour'),
      PORT: String(await freePort()),
      HOME: hour.path('.'),
      GIT_CONFIG_GLOBAL: hour.path('gitconfig'),
    };
    const { code, stdout, stderr } = await runSteps(steps, { cwd: ROOT, env });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain('colour: red\n  region: eu');
  },
  120_000,
);

/** What the program may say, without regard to case. */
const said = globSync(['src/**/*.ts', 'packages/cli/*.js'])
  .map((file) => readFileSync(file, 'utf8'))
  .join('\n')
  .toLowerCase();

test('what the page on github.com quotes of Portico is what the program says', () => {
  const github = readFileSync('docs/first-hour-github.md', 'utf8').replaceAll(/^ *```[^]*?^ *```$/gm, '');
  const quoted = [...github.matchAll(/"([^"\n]+)"/g)].map(([, text = '']) => text);
  expect(quoted.length).toBeGreaterThan(8);
  // Names of the example stand where the program has them from elsewhere.
  const pieces = quoted.flatMap((text) => text.split(/github\.com|\bweb\b|\bv\d\b/));
  expect(pieces.filter((piece) => !said.includes(piece.toLowerCase()))).toEqual([]);
});

test('messages of the page on troubleshooting are what the program says', () => {
  const rows = [...readFileSync('docs/questions.md', 'utf8').matchAll(/^\| `([^`]+)` \|/gm)].map(
    ([, text = '']) => text,
  );
  expect(rows.length).toBeGreaterThan(8);
  expect(rows.filter((text) => !said.includes(text.toLowerCase()))).toEqual([]);
});
