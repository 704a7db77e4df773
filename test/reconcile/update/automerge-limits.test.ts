import { afterAll, beforeAll, expect } from 'vitest';

import { below, locked } from '../../e2e/packages.ts';
import { longTest, STORIES } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** What never merges itself, though the configuration lets everything merge and every check is green. */
let stage: Stage;

const SPEC = 'branch: main\npublish: { requireApprovals: 0 }';
const web = smallPackage('web', { data: { color: 'v0' } });

beforeAll(async () => {
  if (!STORIES) return;
  stage = await startStage(
    {
      up: { spec: SPEC, files: { ...below('web', web), ...below('api', smallPackage('api')) } },
      top: { spec: `${SPEC}\nupdates: { follow: latest, automerge: all }` },
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

longTest('what an upstream changes below .github of a package at the top', async () => {
  const up = stage.repository('up');
  const plain = await up.push('main', { 'web/config.yaml': configMap('web', { color: 'v4' }) });
  await up.tag('web/v4', plain);
  expect(await open('top')).toEqual([]);
  expect(await stage.repository('top').read('config.yaml')).toContain('v4');
  await up.tag('web/v5', await up.push('main', { 'web/.github/CODEOWNERS': '* @mallory\n' }));
  expect(await open('top')).toEqual([expect.stringMatching(/^Update .* to v5$/)]);
  expect(await stage.repository('top').read('.github/CODEOWNERS')).toBeNull();
});

longTest('the way back from a withdrawn revision, also where it is known by its content alone', async () => {
  const file = '.github/portico/channels/api.yaml';
  const text = (await stage.repository('up').read(file))!;
  await stage
    .repository('up')
    .push('main', { [file]: text.replace('v3]', '{revision: v3, withdrawn: {}}]') });
  expect(await open('drift')).toEqual(['Bring api back to v2 (v3 is withdrawn)']);
  expect(await stage.repository('drift').read('api/config.yaml')).toContain('v3');
});
