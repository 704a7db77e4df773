// @module-tag story
import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { readPackageChannels } from '../../../src/channels/read-channels.ts';
import { BUNDLE_IGNORE } from '../../../src/fbc/bundle-record.ts';
import { documentsOf } from '../../fbc/catalog-text.ts';
import { runVerb } from '../../fbc/run-verb.ts';
import { done } from '../command/commanded.ts';
import type { Files } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

/** Operators: a catalog that is imported, and a version that its author adds by pull request. */
let stage: Stage;

beforeAll(async () => {
  stage = await startStage({ imported: {}, operators: {} });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** The forge is in this process: git must not stop it. */
const git = (cwd: string, ...args: string[]): Promise<unknown> => promisify(execFile)('git', args, { cwd });

const top = (): string => mkdtempSync(join(tmpdir(), 'portico-operators-'));

const remote = (name: string, login = 'alice'): string =>
  stage.repository(name).url.replace('://', `://${login}:${login}-token@`);

test('what `catalog import` writes passes every check as it is, and merging it publishes nothing more', async () => {
  const repo = stage.repository('imported');
  const [catalog, clone] = [top(), join(top(), 'clone')];
  const documents = documentsOf({
    stable: [{ name: 'p.v1.0.0' }, { name: 'p.v1.1.0', replaces: 'p.v1.0.0' }],
  });
  writeFileSync(join(catalog, 'catalog.json'), documents.map((one) => JSON.stringify(one)).join('\n'));
  await git(top(), 'clone', '--quiet', remote('imported'), clone);
  const ran = await runVerb('catalog', 'import', catalog, '--into', 'operators', '--repo', clone, '--write');
  expect(ran.exit).toBe(0);
  const push = / git (push .*)/.exec(ran.stdout)![1]!.split(' ');
  await git(clone, ...push);
  await stage.idle();
  const pull = await repo.open('import/catalog');
  const checks = await repo.checksOf(pull.number);
  expect([...checks].map(([name, { conclusion }]) => [name, conclusion])).toEqual(
    expect.arrayContaining([
      ['portico/render', 'success'],
      ['portico/channels', 'success'],
      ['portico/approval', 'action_required'],
    ]),
  );
  await repo.merge(pull.number);
  await stage.idle();
  expect([...(await repo.tags()).keys()].sort()).toEqual([
    'operators/p/stable',
    'operators/p/v1',
    'operators/p/v2',
  ]);
});

/** A bundle as community-operators has it. */
function bundle(version: string, more: { readonly replaces?: string; readonly image?: string } = {}): Files {
  const replaces = more.replaces === undefined ? '' : `  replaces: p.v${more.replaces}\n`;
  return {
    'operators/p/manifests/p.clusterserviceversion.yaml': `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: p.v${version}
  namespace: placeholder
spec:
  displayName: P
  version: ${version}
${replaces}  installModes:
  - {type: AllNamespaces, supported: true}
  install:
    strategy: deployment
    spec:
      deployments:
      - name: p
        spec:
          selector: {matchLabels: {app: p}}
          template:
            metadata: {labels: {app: p}}
            spec: {containers: [{name: p, image: "${more.image ?? `example.com/p:${version}`}"}]}
`,
    'operators/p/metadata/annotations.yaml': `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.package.v1: p
  operators.operatorframework.io.bundle.channels.v1: alpha,stable
  operators.operatorframework.io.bundle.channel.default.v1: stable
`,
    'operators/p/tests/scorecard/config.yaml':
      'kind: Configuration\napiVersion: scorecard.operatorframework.io/v1alpha3\n',
  };
}

test('an author adds versions of an operator by pull request; Portico proposes them for the channels that the bundle names', async () => {
  const repo = stage.repository('operators');
  const Kptfile = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n';
  const head = { 'operators/p/Kptfile': Kptfile, 'operators/p/.krmignore': BUNDLE_IGNORE };
  await repo.publish('first', { ...head, ...bundle('1.0.0') }, '/portico publish');
  expect([...(await repo.tags()).keys()]).toEqual(['operators/p/v1']);
  const [first] = await repo.pulls();
  expect(first?.title).toBe('Create the channel stable of operators/p, and 1 more');
  await repo.merge(first!.number);
  const file = '.github/portico/channels/operators/p.yaml';
  expect(await repo.read(file)).toContain('defaultChannel: stable');

  await repo.publish('second', bundle('1.1.0', { replaces: '1.0.0' }), '/portico publish');
  const [second] = await repo.pulls();
  expect(second?.title).toBe('Promote operators/p v2 (1.1.0) to stable, and 1 more');
  const checks = await repo.checksOf(second!.number);
  expect(checks.get('portico/channels')?.conclusion).toBe('success');
  const graph = checks.get('portico/graph')?.output;
  expect(graph?.title).toBe('operators/p stable: v1 → v2 (1.1.0), and 1 other channel');
  expect(graph?.summary).toContain('v2["v2 (1.1.0, head)"]');
  await repo.merge(second!.number);
  expect(await repo.pulls()).toEqual([]);
  const { channels } = readPackageChannels((await repo.read(file))!).channels!;
  expect(
    channels.map(({ name, mode, members }) => [
      name,
      mode,
      members.map((one) => ({ ...one, line: undefined })),
    ]),
  ).toEqual(
    ['stable', 'alpha'].map((name) => [
      name,
      'graph',
      [{ revision: 1 }, { revision: 2, replaces: 1, version: '1.1.0' }],
    ]),
  );
  const clone = join(top(), 'clone');
  await git(top(), 'clone', '--quiet', remote('operators'), clone);
  const exported = await runVerb('catalog', 'export', clone, '--json');
  expect(exported.stderr).toBe('');
  expect(exported.stdout).toContain('p.v1.1.0');
});

test('commands take the version of an operator, or the name of its bundle, for a revision', async () => {
  const repo = stage.repository('operators');
  const { data: issue } = await stage.as('bob').rest.issues.create({ ...repo.where, title: 'Channels' });
  const { number } = issue;
  expect(await done(repo, number, '/portico channel create operators/p beta 1.0.0', 'bob')).toContain(
    'Create the channel beta of operators/p: ',
  );
  expect(await done(repo, number, '/portico withdraw operators/p@p.v1.1.0 "leaks"', 'bob')).toContain(
    'Withdraw operators/p v2 (1.1.0): ',
  );
  const said = await repo.command(number, '/portico promote operators/p@2.0.0 to beta');
  expect(said.reply).toContain('No numbered revision of operators/p holds the operator version 2.0.0.');
  const clone = join(top(), 'clone');
  await git(top(), 'clone', '--quiet', remote('operators'), clone);
  const promoted = await runVerb(
    'withdraw',
    'operators/p@1.1.0',
    '--channel=alpha',
    '--json',
    '--repo',
    clone,
  );
  expect(promoted.stderr).toBe('');
  expect(JSON.parse(promoted.stdout)).toMatchObject({
    title: 'Withdraw operators/p v2 (1.1.0) from alpha',
    change: { revision: 2 },
  });
});

test('a bundle that no catalog could hold is refused before it is published', async () => {
  const repo = stage.repository('operators');
  const pull = await repo.propose('broken', bundle('1.2.x', { replaces: '1.1.0' }));
  const render = (await repo.checksOf(pull.number)).get('portico/render');
  expect(render?.conclusion).toBe('failure');
  expect(render?.output.summary).toContain('1.2.x');
});
