// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** What people read there without asking for it: each step is followed by a look at the issue as it stands. */
let stage: Stage;

const PACKAGE = smallPackage('web', { data: { color: 'blue' } });

beforeAll(async () => {
  stage = await startStage(
    {
      up: { files: { ...below('web', PACKAGE), ...below('old', smallPackage('old')) } },
      down: {},
      secret: { spec: 'branch: main\nsharing: { within: organization }', collaborators: {} },
    },
    // News is written at once.
    { shares: true, environment: { dashboardSeconds: 0 } },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function board(name: string): Promise<string> {
  await stage.idle();
  const { data } = await stage.as('alice').rest.issues.listForRepo(stage.repository(name).where);
  return data.find(({ title }) => title === 'Portico dashboard')?.body ?? '';
}

test('it is there with the registration, and follows drafts, users, pauses, deletions and retirements', async () => {
  const [up, down] = [stage.repository('up'), stage.repository('down')];
  expect(await board('up')).toContain('| `web` | not published |');

  const draft = await up.propose(
    'drafts/web/next',
    { 'web/config.yaml': configMap('web', { color: 'red' }) },
    { draft: true },
  );
  expect(await board('up')).toContain(`| #${draft.number} | \`web\` | Draft, waits for an approval |`);
  await up.command(draft.number, '/portico propose');
  expect(await board('up')).toContain(`| #${draft.number} | \`web\` | Proposed, waits for an approval |`);
  await up.review(draft.number, 'APPROVE');
  await up.command(draft.number, '/portico publish');
  expect(await board('up')).not.toContain('### Drafts and proposals');

  const lock = (await up.tags()).get('web/v1')!;
  const Kptfile = locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', lock);
  await down.push('main', below('shop', { ...PACKAGE, Kptfile }));
  expect(await board('up')).toContain('| 1 of 1 at upstream `v1`: `acme/down:shop` |');

  await up.publish('second', { 'web/config.yaml': configMap('web', { color: 'green' }) });
  expect(await board('up')).toContain('| 0 of 1 at upstream `v2`: `acme/down:shop` at upstream `v1` |');
  const [update] = await down.pulls();
  expect(await board('down')).toContain(
    `| \`shop\` | upstream \`v1\` → \`v2\` | #${update!.number}, **open conflicts** |`,
  );
  await down.command(update!.number, '/portico pause shop');
  expect(await board('down')).toMatch(
    new RegExp(`\\| \`shop\` \\|[^|]*\\| \`paused\`, #${update!.number}, \\*\\*open conflicts\\*\\* \\|`),
  );

  const removal = await up.propose('drafts/old/away', { 'old/Kptfile': null, 'old/config.yaml': null });
  expect(await board('up')).toContain(
    `| #${removal.number} | \`old\` | Proposed, a deletion, waits for an approval |`,
  );
  expect(await board('up')).toContain(`deletion proposed in #${removal.number}`);

  const { data: issue } = await stage.as('bob').rest.issues.create({ ...up.where, title: 'Too big' });
  const asked = `| #${issue.number} | \`web@v2\` | \`bob\` requests its retirement | Too big |`;
  await up.command(issue.number, '/portico delete web@v2', 'bob');
  expect(await board('up')).toContain(asked);
  expect(await board('up')).toMatch(
    new RegExp(`\\| \`web\` \\| \`v2\`[^\n]*retirement of \`v2\` requested in #${issue.number}`),
  );
  const change = { ...up.where, issue_number: issue.number };
  await stage.as('bob').rest.issues.update({ ...change, state: 'closed' });
  expect(await board('up')).not.toContain(asked);
  await stage.as('bob').rest.issues.update({ ...change, state: 'open' });
  expect(await board('up')).toContain(asked);
  await up.command(issue.number, '/portico reject still used', 'carol');
  expect(await board('up')).not.toContain(asked);
  expect((await stage.as('bob').rest.issues.get(change)).data.labels).toEqual([]);

  await up.git('update-ref', '-d', 'refs/tags/web/v2');
  await stage.look('up');
  expect(await board('up')).toMatch(/\| `web` \| `v1` \|[^\n]*retired: `v2`/);
  expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
});

const dayOf = (hours: number): string =>
  `As of ${new Date(Date.now() - hours * 3_600_000).toISOString().slice(0, 16).replace('T', ' ')} UTC`;

test('its date is renewed once it is a day old, and not before', async () => {
  const { rest } = stage.as('alice');
  const [young, old] = [dayOf(23), dayOf(25)];
  // What was written when is remembered; a process that begins reads it in the issue.
  await stage.stopBot();
  for (const [name, day] of [
    ['up', young],
    ['down', old],
  ] as const) {
    const { where } = stage.repository(name);
    const { data } = await rest.issues.listForRepo(where);
    const issue = data.find(({ title }) => title === 'Portico dashboard')!;
    const body = issue.body!.replace(/As of \S+ \S+ UTC/, day);
    await rest.issues.update({ ...where, issue_number: issue.number, body });
  }
  await stage.startBot();
  expect(await board('up')).toContain(young);
  const renewed = await board('down');
  expect(renewed).toMatch(
    /\n\nAs of \d{4}-\d\d-\d\d \d\d:\d\d UTC; updated after each change, and once a day\.$/,
  );
  expect(renewed).not.toContain(old);
});
