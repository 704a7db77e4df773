import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

import { afterAll, expect, test } from 'vitest';

import { openness } from '../../src/function/cluster/network-policy.ts';
import { ROOT, run } from '../cli/run-portico.ts';
import { realTools } from '../processors/real-tools.ts';
import { faultsOf, manifestsIn } from './judge-manifests.ts';

const tools = realTools();
const scratch = mkdtempSync(join(tmpdir(), 'portico-functions-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const folder = join(ROOT, 'deploy/functions');
const text = readdirSync(folder)
  .filter((file) => file !== 'kustomization.yaml')
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n---\n');
const manifests = manifestsIn(text);

test('the namespace of functions has the policy without which none runs', async () => {
  expect(await faultsOf(text)).toEqual([]);
  const items = manifests.filter(({ kind }) => kind === 'NetworkPolicy');
  expect(openness({ items })).toBeUndefined();
  expect(openness({ items: [] })).toBeDefined();
});

test('the server may do what it does there, and nothing else', () => {
  const role = manifests.find(({ kind }) => kind === 'Role') as unknown as {
    rules: { resources: string[]; verbs: string[] }[];
  };
  const allowed = role.rules.flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${resource}`)),
  );
  expect(allowed.toSorted()).toEqual([
    'create jobs',
    'create pods/attach',
    'delete jobs',
    'get pods/attach',
    'list events',
    'list jobs',
    'list networkpolicies',
    'list pods',
  ]);
});

test('the component gives the server what it needs', { tags: ['helm'] }, async () => {
  const at = (path: string): string => relative(scratch, join(ROOT, 'deploy', path));
  writeFileSync(
    join(scratch, 'kustomization.yaml'),
    JSON.stringify({ resources: [at('kubernetes')], components: [at('kustomize/components/functions')] }),
  );
  const { code, stdout, stderr } = await run('kubectl', ['kustomize', scratch], {
    cwd: ROOT,
    ...(tools && { env: tools }),
  });
  expect([code, stderr]).toEqual([0, '']);
  expect(await faultsOf(stdout)).toEqual([]);
  const built = manifestsIn(stdout);
  const pod = built.find(({ kind }) => kind === 'Deployment')?.spec?.['template'];
  expect(pod).toMatchObject({
    spec: {
      automountServiceAccountToken: true,
      containers: [{ env: expect.arrayContaining([{ name: 'PORTICO_CONTAINERS', value: 'kubernetes' }]) }],
    },
  });
  const policy = built.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'portico');
  expect(policy?.spec?.['egress']).toEqual([
    { ports: expect.arrayContaining([{ port: 6443, protocol: 'TCP' }]) },
  ]);
});
