import { cpSync, rmSync } from 'node:fs';

import { readFolder } from '../../src/cli/folder.ts';
import { createRuntime } from '../../src/function/runtime.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { createRenderMemory } from '../../src/package/render/memory.ts';
import { renderPackage } from '../../src/package/render/render.ts';
import { generatedPackage, writePackage } from './generated-package.ts';
import { inTurns, timed } from './measure.ts';
import { against, figure, within } from './row.ts';
import type { Row } from './row.ts';
import type { Options } from './update.ts';
import { hasKpt, kpt, portico, workspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

const FUNCTIONS = `  mutators:
  - image: set-namespace:v0.4
    configMap: { namespace: orders }
  - image: set-labels:v0.2
    configMap: { team: orders }
  - image: set-annotations:v0.1
    configMap: { example.com/rendered: by-the-bench }
`;

/** What packages of clusters do: names come from the package's context, values from setters. */
const CLUSTER_FUNCTIONS = `  mutators:
  - image: apply-replacements:v0.1.1
    configPath: replacements.yaml
  - image: apply-setters:v0.2.0
    configMap: { log-level: debug, registry: registry.example.com }
`;

const REPLACEMENTS = `apiVersion: fn.kpt.dev/v1alpha1
kind: ApplyReplacements
metadata:
  name: replacements
replacements:
- source: { kind: Kptfile, fieldPath: metadata.name }
  targets:
  - select: { kind: Deployment }
    fieldPaths: [metadata.labels.cluster]
    options: { create: true }
`;

const SETTINGS = `apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
data:
  level: info # kpt-set: \${log-level}
  registry: none # kpt-set: \${registry}
`;

const CLUSTER_RESOURCES = 35;

/** Definitions are most of the text of such packages. */
const CLUSTER_DEFINITIONS = 8;

const CLUSTER_LABEL = 'render, cluster package';

const NO_OP = '  mutators:\n  - exec: cat\n';

/** `portico render` with three built-in functions against `kpt fn render` with one program that does nothing. */
export async function benchRender(options: Options): Promise<Row[]> {
  const resources = options.quick ? 100 : 1_000;
  options.say(`render of ${resources} resources`);
  using place = workspace();
  writePackage(place.path('ours-source'), generatedPackage({ resources, pipeline: FUNCTIONS }));
  writePackage(place.path('kpt-source'), generatedPackage({ resources, pipeline: NO_OP }));
  const [ours, peer] = await inTurns([
    { runs: 7, prepare: async () => portico(fresh(place, 'ours'), 'render', '.') },
    {
      runs: hasKpt() ? 7 : 0,
      prepare: async () => kpt(fresh(place, 'kpt'), place.path('cache'), 'fn', 'render', '--allow-exec'),
    },
  ]);
  const label = `render, ${resources} resources`;
  const rows = [...(await inProcess(place, label)), ...(await clusterPackage(place, options))];
  if (!ours) return rows;
  return [
    against(`${label}, whole process, s`, ours.seconds, peer?.seconds ?? null, 4),
    against(`${label}, memory, MiB`, ours.mebibytes, peer?.mebibytes ?? null, 1),
    ...rows,
  ];
}

/** A package of two functions such as those of cluster catalogs, against kpt with a program that does nothing for each of them. */
async function clusterPackage(place: Workspace, { say }: Options): Promise<Row[]> {
  say(CLUSTER_LABEL);
  for (const [name, pipeline] of [
    ['cluster-ours', CLUSTER_FUNCTIONS],
    ['cluster-kpt', `${NO_OP}  - exec: cat\n`],
  ] as const) {
    const files = generatedPackage({ resources: CLUSTER_RESOURCES, pipeline });
    files.set('replacements.yaml', REPLACEMENTS).set('settings.yaml', SETTINGS);
    for (let number = 0; number < CLUSTER_DEFINITIONS; number += 1)
      files.set(`definitions/${number}.yaml`, definition(`Thing${number}`));
    writePackage(place.path(`${name}-source`), files);
  }
  const [ours, peer] = await inTurns([
    { runs: 7, prepare: async () => portico(fresh(place, 'cluster-ours'), 'render', '.') },
    {
      runs: hasKpt() ? 7 : 0,
      prepare: async () =>
        kpt(fresh(place, 'cluster-kpt'), place.path('cache'), 'fn', 'render', '--allow-exec'),
    },
  ]);
  if (!ours) return [];
  return [
    against(`${CLUSTER_LABEL}, whole process, s`, ours.seconds, peer?.seconds ?? null, 1),
    against(`${CLUSTER_LABEL}, memory, MiB`, ours.mebibytes, peer?.mebibytes ?? null, 1),
  ];
}

function definition(kind: string): string {
  const plural = `${kind.toLowerCase()}s`;
  const fields = Array.from(
    { length: 60 },
    (_, at) => `              field${at}:
                description: |-
                  Field ${at} of the resource, which has a description
                  of two lines as generated definitions have.
                type: object
                properties:
                  name: { type: string, maxLength: 63 }
                  count: { type: integer, minimum: ${at} }
`,
  );
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${plural}.example.com
spec:
  group: example.com
  scope: Namespaced
  names: { kind: ${kind}, plural: ${plural} }
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
${fields.join('')}`;
}

function fresh(place: Workspace, name: string): string {
  rmSync(place.path(name), { recursive: true, force: true });
  cpSync(place.path(`${name}-source`), place.path(name), { recursive: true });
  return place.path(name);
}

/** A full render, and one after a single file changed. */
async function inProcess(place: Workspace, label: string): Promise<Row[]> {
  const runtime = createRuntime();
  const source = readFolder(place.path('ours-source'));
  const full = await timed(5, async () =>
    renderPackage({ files: readFolder(place.path('ours-source')), runtime }),
  );
  const memory = createRenderMemory();
  const { files } = await renderPackage({ files: source, runtime, memory });
  await renderPackage({ files, runtime, memory });
  let version = 3;
  const again = await timed(15, async () => {
    version += 1;
    return renderPackage({ files: oneChanged(files, version), runtime, memory });
  });
  return [
    figure(`${label}, in process, s`, full),
    within(`${label}, again after one file changed, share of a full render`, again / full, 0.05),
  ];
}

function oneChanged(files: PackageFiles, version: number): PackageFiles {
  const [path, file] = [...files].find(([name]) => name.endsWith('.yaml')) ?? [];
  if (path === undefined || file === undefined) return files;
  const text = Buffer.from(file.bytes).toString('utf8').replace('replicas: 2', `replicas: ${version}`);
  return new Map(files).set(path, { mode: file.mode, bytes: Buffer.from(text) });
}
