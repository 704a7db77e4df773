// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** What never merges itself, though the configuration lets everything merge and every check is green. */
let stage: Stage;

const SPEC = 'branch: main\npublish: { requireApprovals: 0 }';
const web = smallPackage('web', { data: { color: 'v0' } });

const GUARDRAIL = '\nguardrails: { validators: [{ name: limits, policyPath: shop/limits.yaml }] }';
const limits = (expression: string): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: limits, annotations: { config.kubernetes.io/local-config: "true" } }
spec:
  failurePolicy: Fail
  matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: [v1], operations: ['*'], resources: [configmaps] }] }
  validations: [{ expression: "${expression}" }]
`;
const base = smallPackage('base', { data: { color: 'v1' } });
const rules = {
  ...smallPackage('rules', { data: { color: 'v1' } }),
  'limits.yaml': limits('size(object.data) < 3'),
};

beforeAll(async () => {
  stage = await startStage(
    {
      up: {
        spec: SPEC,
        files: {
          ...below('web', web),
          ...below('api', smallPackage('api')),
          ...below('base', base),
          ...below('rules', rules),
        },
      },
      top: { spec: `${SPEC}\nupdates: { follow: latest, automerge: all }` },
      owned: { spec: `${SPEC}\nupdates: { follow: latest, automerge: all }` },
      ownedDirect: { spec: `${SPEC}\nupdates: { follow: latest, automerge: all, pullRequest: false }` },
      judged: { spec: `${SPEC}\nupdates: { follow: latest, automerge: all }${GUARDRAIL}` },
      judgedDirect: {
        spec: `${SPEC}\nupdates: { follow: latest, automerge: all, pullRequest: false }${GUARDRAIL}`,
      },
      drift: { spec: `${SPEC}\nupdates: { follow: channel/stable, automerge: all }` },
    },
    { shares: true },
  );
  const up = stage.repository('up');
  for (const revision of ['v1', 'v2', 'v3']) {
    const files = ['web', 'api'].map((name) => [`${name}/config.yaml`, configMap(name, { color: revision })]);
    const commit = await up.push('main', Object.fromEntries(files));
    for (const name of ['web', 'api']) await up.tag(`${name}/${revision}`, commit);
  }
  // The same content of api as v3, at a commit that no tag names.
  const beside = await up.push('main', {
    '.github/portico/channels/api.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: PackageChannels
package: api
defaultChannel: stable
channels:
- name: stable
  members: [v1, v2, v3]
`,
  });
  const tags = await up.tags();
  const at = (name: string, ref: string, commit: string, color: string): Record<string, string> => {
    const files = smallPackage(name, { data: { color } });
    return { ...files, Kptfile: locked(files['Kptfile']!, up.url, name, ref, commit) };
  };
  await stage.repository('top').push('main', at('web', 'web/v3', tags.get('web/v3')!, 'v3'));
  const first = await up.head('main');
  for (const name of ['base', 'rules']) await up.tag(`${name}/v1`, first);
  const cloned = (files: Readonly<Record<string, string>>, name: string): Record<string, string> => ({
    ...files,
    Kptfile: locked(files['Kptfile']!, up.url, name, `${name}/v1`, first),
  });
  for (const name of ['owned', 'ownedDirect'])
    await stage.repository(name).push('main', cloned(base, 'base'));
  for (const name of ['judged', 'judgedDirect'])
    await stage.repository(name).push('main', below('shop', cloned(rules, 'rules')));
  await stage.repository('drift').push('main', below('api', at('api', 'main', beside, 'v3')));
  await stage.idle();
}, 600_000);

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function open(name: string): Promise<string[]> {
  await stage.sweep();
  return (await stage.repository(name).pulls()).map(({ title }) => title);
}

test('what an upstream changes below .github of a package at the top', async () => {
  const up = stage.repository('up');
  const plain = await up.push('main', { 'web/config.yaml': configMap('web', { color: 'v4' }) });
  await up.tag('web/v4', plain);
  expect(await open('top')).toEqual([]);
  expect(await stage.repository('top').read('config.yaml')).toContain('v4');
  await up.tag('web/v5', await up.push('main', { 'web/.github/CODEOWNERS': '* @mallory\n' }));
  expect(await open('top')).toEqual([expect.stringMatching(/^Update .* to upstream v5$/)]);
  expect(await stage.repository('top').read('.github/CODEOWNERS')).toBeNull();
});

test('nor CODEOWNERS beside the content, nor what a guardrail of the repository is made from', async () => {
  const up = stage.repository('up');
  const names = ['owned', 'ownedDirect', 'judged', 'judgedDirect'];
  const plain = await up.push('main', {
    'base/config.yaml': configMap('base', { color: 'v2' }),
    'rules/config.yaml': configMap('rules', { color: 'v2' }),
  });
  for (const name of ['base', 'rules']) await up.tag(`${name}/v2`, plain);
  for (const name of names) expect(await open(name)).toEqual([]);
  expect(await stage.repository('ownedDirect').read('config.yaml')).toContain('v2');
  expect(await stage.repository('judgedDirect').read('shop/config.yaml')).toContain('v2');
  const loose = await up.push('main', {
    'base/CODEOWNERS': '* @mallory\n',
    'rules/limits.yaml': limits('true'),
  });
  for (const name of ['base', 'rules']) await up.tag(`${name}/v3`, loose);
  for (const name of names)
    expect(await open(name), name).toEqual([expect.stringMatching(/^Update .* to upstream v3$/)]);
  for (const name of names.slice(0, 2)) expect(await stage.repository(name).read('CODEOWNERS')).toBeNull();
  for (const name of names.slice(2))
    expect(await stage.repository(name).read('shop/limits.yaml')).toContain('size(object.data) < 3');
  const [pull] = await stage.repository('judgedDirect').pulls();
  expect(pull?.body).toContain('because** it changes `shop/limits.yaml`, which decides what is let in here');
});

test('the way back from a withdrawn revision, also where it is known by its content alone', async () => {
  const file = '.github/portico/channels/api.yaml';
  const text = (await stage.repository('up').read(file))!;
  await stage
    .repository('up')
    .push('main', { [file]: text.replace('v3]', '{revision: v3, withdrawn: {}}]') });
  expect(await open('drift')).toEqual(['Roll back api to upstream v2 (v3 is withdrawn)']);
  expect(await stage.repository('drift').read('api/config.yaml')).toContain('v3');
});
