import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { below, configuration, webPackage } from '../../e2e/packages.ts';
import { configMap, kptfile, smallPackage, step } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
let main: StageRepository;

const NAMESPACE = step('set-namespace:v0.4.1', { namespace: 'shop' });

beforeAll(async () => {
  stage = await startStage({
    packages: {
      files: {
        ...below('web', webPackage()),
        ...below('one', smallPackage('one')),
        ...below('two', smallPackage('two', { mutators: [NAMESPACE] })),
        ...below('gone', smallPackage('gone')),
        ...below('later', smallPackage('later')),
      },
    },
    root: { files: smallPackage('root', { mutators: [NAMESPACE] }) },
    plain: { spec: null, files: below('one', smallPackage('one', { mutators: [NAMESPACE] })) },
  });
  main = stage.repository('packages');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

describe('what a proposal touches', () => {
  test('the render commit is pushed once, and looking again writes nothing (54)', async () => {
    const pushed = await main.push('drafts/web/next', {
      'web/setters.yaml': webPackage('1.1.0')['setters.yaml']!,
    });
    const pull = await main.open('drafts/web/next');
    expect(pull.commits).toBe(2);
    expect(await main.git('rev-parse', 'drafts/web/next^')).toBe(pushed);
    expect(await main.read('web/deployment.yaml', 'drafts/web/next')).toContain('image: example/web:1.1.0');
    expect((await main.checksOf(pull.number)).get('portico')).toMatchObject({
      conclusion: 'action_required',
      output: { title: 'Needs 1 approval: anyone with write access except alice.' },
    });
    const sticky = await main.sticky(pull.number);
    expect(sticky).toContain('### Proposal: needs approval\n');
    const committed = pull.head.sha.slice(0, 7);
    expect(sticky).toContain(
      `Portico committed \`${committed}\` to this branch. Before you push again, run \`git pull --rebase\`.`,
    );

    expect(await stage.writesOf(() => stage.look('packages'))).toEqual([]);
    await stage.stopBot();
    await stage.startBot();
    expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
    expect(await main.sticky(pull.number)).toBe(sticky);
  });

  test('its comment names the revision that came meanwhile, also where it removes the package', async () => {
    const change = await main.propose('change-later', { 'later/config.yaml': configMap('web', { a: 'b' }) });
    const removal = await main.propose('remove-later', {
      'later/Kptfile': null,
      'later/config.yaml': null,
    });
    expect(await main.sticky(change.number)).toContain('| `later` | here `v1` |');
    expect(await main.sticky(removal.number)).toContain('| `later` | removed |');
    await main.tag('later/v1', await main.head('main'));
    await stage.idle();
    expect(await main.sticky(change.number)).toContain('| `later` | here `v1` → `v2` |');
    expect(await main.sticky(removal.number)).toContain('| `later` | removed; here `v1` stays |');
  });

  test('no package', async () => {
    const pull = await main.propose('docs', { 'docs/readme.md': 'hello\n' });
    const checks = await main.checksOf(pull.number);
    expect([...checks.keys()].sort()).toEqual([
      'portico',
      'portico/approval',
      'portico/conflicts',
      'portico/package',
      'portico/render',
    ]);
    expect(checks.get('portico')?.conclusion).toBe('action_required');
    expect(checks.get('portico/package')?.output.summary).toContain('changes no package');
    expect(pull.commits).toBe(1);
  });

  test('a package is removed', async () => {
    const pull = await main.propose('drop', { 'gone/Kptfile': null, 'gone/config.yaml': null });
    expect((await main.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
    expect(await main.sticky(pull.number)).toContain('| `gone` | removed |');
  });

  test('several packages, rendered in one commit', async () => {
    const pull = await main.propose('both', {
      'one/config.yaml': configMap('one', { color: 'red' }),
      'two/config.yaml': configMap('two', { color: 'red' }),
    });
    expect(pull.commits).toBe(2);
    expect(await main.read('two/config.yaml', 'both')).toContain('namespace: shop');
    const sticky = await main.sticky(pull.number);
    expect(sticky).toContain('| `one` | here `v1` |');
    expect(sticky).toContain('| `two` | here `v1` |');
  });

  test('a package at the top of the repository', async () => {
    const root = stage.repository('root');
    const pull = await root.propose('drafts/next', { 'config.yaml': configMap('root', { color: 'red' }) });
    expect(pull.commits).toBe(2);
    expect(await root.read('config.yaml', 'drafts/next')).toContain('namespace: shop');
    expect(await root.sticky(pull.number)).toContain('| `.` | here `v1` |');
    expect((await root.checksOf(pull.number)).get('portico')?.conclusion).toBe('action_required');
  });

  test('an unregistered repository is left alone', async () => {
    const plain = stage.repository('plain');
    const writes = await stage.writesOf(async () => {
      await plain.propose('next', { 'one/config.yaml': configMap('one', { color: 'red' }) });
      await plain.say(1, '/portico render');
      await stage.look('plain');
    }, 'plain');
    expect(writes.map(({ what }) => what)).toEqual([
      'POST /repos/:owner/:repo/git/trees',
      'POST /repos/:owner/:repo/git/commits',
      'POST /repos/:owner/:repo/git/refs',
      'POST /repos/:owner/:repo/pulls',
      'POST /repos/:owner/:repo/issues/:number/comments',
    ]);
  });
});

describe('what cannot be rendered', () => {
  test('a Kptfile that does not parse', async () => {
    const pull = await main.propose('broken', {
      'one/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: one\n',
    });
    const checks = await main.checksOf(pull.number);
    expect(checks.get('portico/package')?.conclusion).toBe('failure');
    expect(checks.get('portico/render')?.conclusion).toBe('failure');
    expect(checks.get('portico')?.conclusion).toBe('failure');
    expect(await main.sticky(pull.number)).toContain('fix what fails');
    expect(pull.commits).toBe(1);
  });

  test('a function fails: its words are in the check', async () => {
    const pull = await main.propose('fails', {
      'one/Kptfile': kptfile('one', [step('search-replace:v0.2', { 'by-nothing': 'x' })]),
    });
    const run = (await main.checksOf(pull.number)).get('portico/render');
    expect(run?.conclusion).toBe('failure');
    expect(run?.output.summary).toContain('search-replace');
    expect(run?.output.summary).toContain('by-nothing');
  });

  test('an unknown function: which, why, and ways out', async () => {
    const pull = await main.propose('unknown', {
      'one/Kptfile': kptfile('one', ['    - image: ghcr.io/acme/make-coffee:v1\n']),
    });
    const run = (await main.checksOf(pull.number)).get('portico/render');
    expect(run?.conclusion).toBe('failure');
    expect(run?.output.summary).toContain('make-coffee:v1 cannot run here: it is not built in');
    expect(run?.output.summary).toMatch(/built in.*Use a function.*docs\/functions.md.*on your own machine/);
  });

  test('a function that does not settle is reported, and nothing is pushed', async () => {
    const pull = await main.propose('unsettled', {
      'one/Kptfile': kptfile('one', [
        step('search-replace:v0.2', {
          'by-path': 'data.color',
          'by-value-regex': '(.*)',
          'put-value': '${1}x',
        }),
      ]),
    });
    expect(pull.commits).toBe(1);
    const run = (await main.checksOf(pull.number)).get('portico/render');
    expect(run?.conclusion).toBe('failure');
    expect(run?.output.title).toBe('one: a function is not idempotent');
    expect(run?.output.summary).toContain('`one/config.yaml`');
  });

  test('a protected branch refuses the render commit: the check says so and what is missing', async () => {
    await main.push('locked', { 'two/config.yaml': configMap('two', { color: 'green' }) });
    await stage.as('alice').rest.repos.updateBranchProtection({
      ...main.where,
      branch: 'locked',
      required_status_checks: null,
      enforce_admins: true,
      required_pull_request_reviews: null,
      restrictions: { users: ['alice'], teams: [] },
    });
    const pull = await main.open('locked');
    expect(pull.commits).toBe(1);
    const run = (await main.checksOf(pull.number)).get('portico/render');
    expect(run?.conclusion).toBe('failure');
    expect(run?.output.summary).toContain('refused the push');
    expect(run?.output.text).toContain('```diff\ndiff --git a/two/config.yaml b/two/config.yaml');
    expect(run?.output.text).toContain('\n+  namespace: shop\n');
  });
});

describe('the base', () => {
  test('moved for another package: no harm is done, and nothing is merged', async () => {
    const other = await main.propose('other', { 'two/other.yaml': configMap('other', { color: 'other' }) });
    await main.push('main', { 'one/more.yaml': configMap('more', { color: 'more' }) });
    await stage.idle();
    expect((await main.pull(other.number)).head.sha).toBe(other.head.sha);
    expect((await main.checksOf(other.number)).get('portico')?.conclusion).toBe('action_required');
  });
});

describe('the configuration', () => {
  test('a change of it in a proposal is checked and comes into force only with the merge', async () => {
    const pull = await main.propose('config', {
      '.github/portico.yaml': configuration(
        'packages',
        'branch: main\nguardrails:\n  mutators:\n  - { name: labels, image: set-labels:v0.2, configMap: { team: a } }',
      ),
      'one/config.yaml': configMap('one', { color: 'config' }),
    });
    const checks = await main.checksOf(pull.number);
    // A mutator may write what other guardrails pass over, so an admin must approve it.
    expect(checks.get('portico/config')?.conclusion).toBe('action_required');
    expect(checks.has('guardrail/labels')).toBe(false);
    expect(await main.read('one/config.yaml', 'config')).not.toContain('team');
  });

  test('a mistake in it fails with the line', async () => {
    const pull = await main.propose('config-wrong', {
      '.github/portico.yaml': configuration('packages', 'branch: main\npublish: { requireApprovals: many }'),
    });
    const run = (await main.checksOf(pull.number)).get('portico/config');
    expect(run?.conclusion).toBe('failure');
    const { data } = await stage
      .as('alice')
      .rest.checks.listAnnotations({ ...main.where, check_run_id: run!.id });
    expect(data).toEqual([
      expect.objectContaining({ path: '.github/portico.yaml', start_line: 7, annotation_level: 'failure' }),
    ]);
  });
});
