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
  const rows = await inProcess(place, label);
  if (!ours) return rows;
  return [
    against(`${label}, whole process, s`, ours.seconds, peer?.seconds ?? null, 4),
    against(`${label}, memory, MiB`, ours.mebibytes, peer?.mebibytes ?? null, 1),
    ...rows,
  ];
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
