import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { revisionTag } from '../../src/revision/ref-name.ts';
import { ROOT, run } from '../cli/run-portico.ts';
import { realTools } from '../processors/real-tools.ts';
import { faultsOf, manifestsIn, type Manifest } from './judge-manifests.ts';
import { recipe, recipeNames } from './recipes.ts';

const tools = realTools();

/**
 * `RootSync`, of which no package has the definition: as manifests/rootsync-crd.yaml of GoogleContainerTools/kpt-config-sync has it, for
 * the fields that recipes use. Config Sync reads objects of this kind in its own namespace alone.
 */
const rootSync = z.strictObject({
  apiVersion: z.literal('configsync.gke.io/v1beta1'),
  kind: z.literal('RootSync'),
  metadata: z.strictObject({ name: z.string(), namespace: z.literal('config-management-system') }),
  spec: z.strictObject({
    sourceFormat: z.enum(['unstructured', 'hierarchy']),
    git: z
      .strictObject({
        repo: z.string(),
        branch: z.string().optional(),
        revision: z.string().optional(),
        dir: z.string(),
        period: z.string().regex(/^\d+[smh]$/),
        auth: z.enum(['none', 'ssh', 'cookiefile', 'gcenode', 'gcpserviceaccount', 'token', 'githubapp']),
        secretRef: z.strictObject({ name: z.string() }).optional(),
      })
      .refine(
        ({ auth, secretRef }) => (auth === 'token') === (secretRef !== undefined),
        'a token is in a secret',
      ),
  }),
});

const textOf = (name: string): string => [...recipe(name).values()].join('\n---\n');

test('every recipe is in the table of the page', () => {
  const page = readFileSync(join(ROOT, 'docs/gitops.md'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+\/[a-z-]+)` \|/gm)].map(([, name]) => name);
  expect(new Set(listed)).toEqual(new Set(recipeNames()));
  expect(listed).toHaveLength(recipeNames().length);
});

describe.each(recipeNames())('%s', (name) => {
  test("is valid by the tools' own definitions", async () => {
    expect(await faultsOf(textOf(name), ['RootSync'])).toEqual([]);
    for (const manifest of manifestsIn(textOf(name)))
      if (manifest.kind === 'RootSync') expect(rootSync.safeParse(manifest)).toMatchObject({ success: true });
  });

  test('refers to nothing that it does not hold', () => {
    const manifests = manifestsIn(textOf(name));
    const held = manifests.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(manifests.flatMap(referencesOf).filter((one) => !held.includes(one))).toEqual([]);
  });

  test('is what kubectl apply -k takes', { tags: ['helm'] }, async () => {
    const { code, stdout } = await run('kubectl', ['kustomize', `deploy/recipes/${name}`], {
      cwd: ROOT,
      env: tools ?? {},
    });
    expect(code).toBe(0);
    expect(manifestsIn(stdout)).toHaveLength(manifestsIn(textOf(name)).length);
  });
});

test('tags are named as Portico names them', () => {
  expect(textOf('flux/by-tag')).toContain(`tag: ${revisionTag('web', 'v3')}`);
  expect(textOf('argo-cd/by-tag')).toContain(`revision: ${revisionTag('web', 'v3')}`);
  expect(textOf('config-sync/by-tag')).toContain(`revision: ${revisionTag('web', 'v3')}`);
});

test('a judge that passes everything would say nothing', async () => {
  const broken: readonly (readonly [name: string, from: RegExp, to: string])[] = [
    ['flux/by-tag', /prune: true/, 'prunes: true'],
    ['flux/fleet', /type: github\n {2}address/, 'address'],
    ['argo-cd/directories', /destination: .*/, ''],
    ['config-sync/fleet', /kind: RootSync/, 'kind: RootSink'],
  ];
  for (const [name, from, to] of broken)
    expect(await faultsOf(textOf(name).replace(from, to), ['RootSync']), name).not.toEqual([]);
});

/** `Kind/name` of what a manifest refers to in its own namespace. */
function referencesOf({ spec = {} }: Manifest): string[] {
  const {
    sourceRef,
    providerRef,
    resources = [],
  } = spec as {
    sourceRef?: { kind: string; name: string };
    providerRef?: { name: string };
    resources?: { kind: string; name: string }[];
  };
  return [
    ...(sourceRef === undefined ? [] : [`${sourceRef.kind}/${sourceRef.name}`]),
    ...(providerRef === undefined ? [] : [`Provider/${providerRef.name}`]),
    ...resources.map(({ kind, name }) => `${kind}/${name}`),
  ];
}
