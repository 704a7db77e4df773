// @module-tag story
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage, step } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const FILES = { ...below('web', smallPackage('web')), ...below('db', smallPackage('db')) };
const change = (name: string, color: string): Record<string, string> => ({
  [`${name}/config.yaml`]: configMap(name, { color }),
});

beforeAll(async () => {
  stage = await startStage({
    owned: {
      files: { ...FILES, '.github/CODEOWNERS': '/web/ @carol\n/db/ @acme/platform\n' },
    },
    teams: {
      files: {
        ...below('teams/a', smallPackage('a')),
        ...below('secure', smallPackage('secure')),
        '.github/CODEOWNERS': '/teams/*/ @carol\n/secure/ @carol\n/* @bob\n',
      },
    },
    squash: {
      files: {
        ...FILES,
        ...below('web', smallPackage('web', { mutators: [step('set-annotations:v0.1', { a: 'b' })] })),
      },
      spec: 'branch: main\npublish: { mergeMethod: squash }',
    },
    rebased: {
      files: FILES,
      spec: 'branch: main\nversioning: semver\naccess: { publish: ["@octo_acme"] }',
      collaborators: { bob: 'write', octo_acme: 'write' },
    },
    gated: { files: FILES },
  });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('how it is merged', () => {
  test('a repository that only rebases: several commits are one revision, numbered as asked, with who asked', async () => {
    const repo = stage.repository('rebased');
    await stage.as('alice').rest.repos.update({
      ...repo.where,
      allow_merge_commit: false,
      allow_squash_merge: false,
    });
    await repo.push('next', change('web', 'one'));
    await repo.push('next', change('web', 'two'));
    const { number } = await repo.open('next');
    await repo.review(number, 'APPROVE');
    expect((await repo.command(number, '/portico publish major', 'octo_acme')).reaction).toBe('rocket');
    const tags = await repo.tags();
    expect([...tags.keys()]).toEqual(['web/v1.0.0']);
    expect(tags.get('web/v1.0.0')).toBe(await repo.head('main'));
    expect(await repo.git('rev-list', '--count', 'main')).toBe('4');
    expect(await repo.tagMessage('web/v1.0.0')).toContain('Requested-by: octo_acme');
  });

  test('by squash, as the configuration says', async () => {
    const repo = stage.repository('squash');
    const { number, commits } = await repo.propose('next', change('web', 'one'));
    expect(commits).toBe(2);
    await repo.review(number, 'APPROVE');
    stage.forge.knobs.nextMerges = {
      message:
        'This pull request is part of a stack and must be merged using the asynchronous merge REST API.',
      times: 1,
    };
    expect(await repo.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringMatching(/part of a stack.*Take it out of its stack/s),
    });
    expect((await repo.command(number, '/portico publish')).reaction).toBe('rocket');
    expect(await repo.git('log', '-1', '--format=%P', 'main')).toMatch(/^[0-9a-f]{40}$/);
    expect((await repo.tags()).get('web/v1')).toBe(await repo.head('main'));
    expect(await repo.tagMessage('web/v1')).toContain('Requested-by: alice');
  });
});

test('code owners of what changed must be among those who approved', async () => {
  const repo = stage.repository('owned');
  const { number } = await repo.propose(
    'next',
    { ...change('web', 'one'), ...change('db', 'one') },
    { as: 'bob' },
  );
  await repo.review(number, 'APPROVE', undefined, 'carol');
  expect(await repo.command(number, '/portico publish')).toMatchObject({
    reaction: 'confused',
    reply: expect.stringMatching(/no code owner of .*db\/config\.yaml.*has approved.*@acme\/platform/i),
  });
  expect(await repo.sticky(number)).toContain('Needs approval from a code owner of db/config.yaml: ');
  await repo.review(number, 'APPROVE', undefined, 'alice');
  expect((await repo.command(number, '/portico publish')).reaction).toBe('rocket');
});

test.each(['teams/a', 'secure'])(
  'an owner of /teams/*/ and one before /* must approve a change of %s (120)',
  async (directory) => {
    const repo = stage.repository('teams');
    const changed = { [`${directory}/config.yaml`]: configMap('config', { color: 'one' }) };
    const { number } = await repo.propose(`next-${directory}`, changed);
    await repo.review(number, 'APPROVE', undefined, 'bob');
    expect(await repo.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringMatching(/no code owner of .*config\.yaml.*has approved.*@carol/i),
    });
    await repo.review(number, 'APPROVE', undefined, 'carol');
    expect((await repo.command(number, '/portico publish')).reaction).toBe('rocket');
  },
);

test('readiness gates are computed: what is written by hand does not count', async () => {
  const repo = stage.repository('gated');
  const gated = `${smallPackage('web')['Kptfile']}info:\n  readinessGates:\n  - conditionType: checked\nstatus:\n  conditions:\n  - type: checked\n    status: "True"\n`;
  const { number } = await repo.propose('next', { 'web/Kptfile': gated });
  const check = (await repo.checksOf(number)).get('portico/package');
  expect(check).toMatchObject({
    conclusion: 'failure',
    output: { title: 'Readiness conditions not met: checked' },
  });
  expect((await repo.command(number, '/portico publish')).reply).toContain('Readiness conditions not met');
  await repo.push('next', {
    'web/Kptfile': gated
      .replace('- conditionType: checked', '[]')
      .replace(/ {2}readinessGates:\n {2}\[\]/, '  description: open'),
  });
  await stage.idle();
  expect((await repo.checksOf(number)).get('portico/package')?.conclusion).toBe('success');

  // What the branch itself asks for is never passed by, and told in the forge's words.
  await repo.review(number, 'APPROVE');
  await stage.as('alice').rest.repos.updateBranchProtection({
    ...repo.where,
    branch: 'main',
    required_status_checks: { strict: false, contexts: ['ci'] },
    enforce_admins: true,
    required_pull_request_reviews: null,
    restrictions: null,
  });
  expect((await repo.command(number, '/portico explain')).reply).toContain(
    '❌ the forge says that rules of `main` are not satisfied',
  );
  expect((await repo.command(number, '/portico publish')).reply).toMatch(
    /\nThe forge refused to merge it: Required status check "ci" is expected\. These are rules/,
  );
  expect(await repo.tags()).toEqual(new Map());
});
