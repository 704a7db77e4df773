/** Two repositories whose documents a third one obeys, and a package that both ask for. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;

const SHARES = 'branch: main\nsharing: { to: [acme/*], from: [acme/*] }';
const FILE = '.github/portico/shop.yaml';

const variant = (repo: string, path: string, more = ''): string => `apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata: { name: ${path} }
spec:
  upstream: { repo: ${repo}, package: ${path}, revision: -1 }
  downstream: { repo: edge, package: shop }
${more}`;
const OTHER = variant('other', 'evil', '  adoptionPolicy: adoptExisting\n');

beforeAll(async () => {
  // The other one is the oldest: it would come first.
  stage = await startStage({
    other: { spec: SHARES, files: below('evil', smallPackage('evil')) },
    up: { spec: SHARES, files: below('web', smallPackage('web')) },
    edge: { spec: `${SHARES}\ncontrolledBy: [acme/up, acme/other]` },
  });
  for (const [name, path] of [
    ['up', 'web'],
    ['other', 'evil'],
  ] as const) {
    const repo = stage.repository(name);
    const commit = await repo.push('main', { [`${path}/config.yaml`]: configMap(path, { color: 'v1' }) });
    await repo.tag(`${path}/v1`, commit);
  }
  await stage.sweep();
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

async function change(name: string, files: Readonly<Record<string, string | null>>): Promise<void> {
  await stage.repository(name).push('main', files);
  await stage.idle();
  await stage.look(name);
  await stage.look('edge');
}

test('the document of another repository does not take over a package that belongs to a variant', async () => {
  const [other, edge] = [stage.repository('other'), stage.repository('edge')];
  await change('up', { [FILE]: variant('up', 'web') });
  const [created] = await edge.pulls();
  await edge.review(created!.number, 'APPROVE', undefined, 'carol');
  expect((await edge.command(created!.number, '/portico publish', 'bob')).reaction).toBe('rocket');
  await stage.look('edge');
  const { number } = await other.propose('take', { [FILE]: OTHER });
  const comment = await other.sticky(number);
  expect(comment).toContain('Documents that would have no effect');
  expect(comment).toContain('acme/edge:shop already belongs to default/web');
  await change('other', { [FILE]: OTHER });
  expect(await edge.pulls()).toEqual([]);
  // Each push to a repository reads it again.
  await change('up', { 'README.md': 'Nothing else.\n' });
  expect(await edge.pulls()).toEqual([]);
});

test('nor while the document that made it cannot be read', async () => {
  const edge = stage.repository('edge');
  await change('up', { [FILE]: variant('up', 'web').replace('revision: -1', 'revision: [') });
  expect(await edge.pulls()).toEqual([]);
  // Once it is gone, the package comes to who asks for it.
  await change('up', { [FILE]: null });
  const titles = (await edge.pulls()).map(({ title }) => title);
  expect(titles).toEqual(['Update shop to upstream v1']);
});
