import { afterAll, beforeAll, expect } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** A reviewed exception to a guardrail, from the document to the tag. */
let stage: Stage;

const SPEC = `branch: main
guardrails:
  validators: [{ name: colour, cel: "!has(object.data) || object.data.color != 'red'", message: red is forbidden }]
`;
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const exemption = (until: string): Record<string, string> => ({
  '.github/portico/exemptions.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: PolicyExemption
metadata: { name: carnival }
spec:
  guardrails: [colour]
  packages: [web]
  until: "${until}"
  owner: "@carol"
  why: the house is red until the carnival is over
`,
});

beforeAll(async () => {
  stage = await startStage(
    {
      house: {
        spec: SPEC,
        files: { ...below('web', smallPackage('web')), ...below('db', smallPackage('db')) },
      },
    },
    { environment: { dashboardSeconds: 0 } },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

longTest(
  'it counts from the base branch alone, until its day, and stands in check, tag and dashboard',
  async () => {
    const repo = stage.repository('house');
    const red = { 'web/config.yaml': configMap('web', { color: 'red' }) };
    // A proposal does not exempt itself.
    const own = await repo.propose('drafts/web/own', { ...red, ...exemption(inDays(5)) });
    expect((await repo.checksOf(own.number)).get('guardrail/colour')).toMatchObject({
      conclusion: 'failure',
    });
    // One that would last for years is a mistake of whoever proposes it.
    const long = await repo.propose('long', exemption(inDays(1000)));
    expect((await repo.checksOf(long.number)).get('portico/config')?.output.summary).toContain(
      'more than 366 days from now',
    );

    await repo.push('main', exemption(inDays(5)));
    const both = await repo.propose('drafts/web/next', {
      ...red,
      'db/config.yaml': configMap('db', { color: 'red' }),
    });
    // It is for one package.
    expect((await repo.checksOf(both.number)).get('guardrail/colour')).toMatchObject({
      conclusion: 'failure',
    });
    const { number } = await repo.propose('drafts/web/red', red);
    const check = (await repo.checksOf(number)).get('guardrail/colour');
    expect(check).toMatchObject({
      conclusion: 'success',
      output: { title: 'No findings that count, 1 exempt' },
    });
    expect(check?.output.summary).toContain(
      `| \`carnival\` | 1 | ${inDays(5)} | \`@carol\` | the house is red until the carnival is over. |`,
    );
    await repo.command(number, '/portico approve', 'bob');
    await repo.command(number, '/portico publish', 'carol');
    expect(await repo.tagMessage('web/v1')).toContain(`Exemption: colour carnival ${inDays(5)} @carol\n`);
    const { data } = await stage.as('alice').rest.issues.listForRepo(repo.where);
    const board = data.find(({ title }) => title === 'Portico dashboard')?.body;
    expect(board).toContain('### Exemptions from guardrails');
    expect(board).toContain(`| ${inDays(5)} | **ends within 14 days**`);
    expect(await told()).toEqual([expect.stringContaining(`ends with ${inDays(5)}.`)]);
    expect((await told())[0]).toMatch(/@carol/);

    // The day after, it counts no more, whatever the document still says.
    await repo.push('main', exemption(inDays(-1)));
    const late = await repo.propose('drafts/web/late', {
      'web/other.yaml': configMap('other', { color: 'red' }),
    });
    expect((await repo.checksOf(late.number)).get('guardrail/colour')).toMatchObject({
      conclusion: 'failure',
    });
    const twice = ['ends with', 'ended with'].map((text) => expect.stringContaining(text));
    expect(await told()).toEqual(twice);
    // Once, also by a process that remembers nothing.
    await stage.stopBot();
    await stage.startBot();
    await stage.sweep();
    expect(await told()).toEqual(twice);
  },
);

/** What stands in the issue about exemptions. */
async function told(): Promise<string[]> {
  await stage.idle();
  const repo = stage.repository('house');
  const { data } = await stage.as('alice').rest.issues.listForRepo(repo.where);
  const issue = data.find(({ title }) => title === 'Portico exemptions');
  return issue === undefined ? [] : (await repo.comments(issue.number)).map(({ body }) => body ?? '');
}
