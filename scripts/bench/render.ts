import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

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

const NEPHIO = 'nephio-catalog/distros/gcp/nephio-mgmt/porch';

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
  const rows = [...(await inProcess(place, label)), ...(await realPackage(place, options))];
  if (!ours) return rows;
  return [
    against(`${label}, whole process, s`, ours.seconds, peer?.seconds ?? null, 4),
    against(`${label}, memory, MiB`, ours.mebibytes, peer?.mebibytes ?? null, 1),
    ...rows,
  ];
}

/** A real Nephio package with its own functions, against kpt with a program that does nothing for each of them. */
async function realPackage(place: Workspace, { say }: Options): Promise<Row[]> {
  const source = fileURLToPath(new URL(`../../../shared/corpus/packages/${NEPHIO}`, import.meta.url));
  if (!existsSync(source)) {
    say(`SKIPPED: ../shared/corpus is not there, so ${NEPHIO} was not rendered`);
    return [];
  }
  say(`render of ${NEPHIO}`);
  for (const name of ['real-ours', 'real-kpt'])
    cpSync(source, place.path(`${name}-source`), { recursive: true });
  const kptfile = place.path('real-kpt-source', 'Kptfile');
  writeFileSync(kptfile, readFileSync(kptfile, 'utf8').replaceAll(/image: .*/g, 'exec: cat'));
  const [ours, peer] = await inTurns([
    { runs: 7, prepare: async () => portico(fresh(place, 'real-ours'), 'render', '.') },
    {
      runs: hasKpt() ? 7 : 0,
      prepare: async () => kpt(fresh(place, 'real-kpt'), place.path('cache'), 'fn', 'render', '--allow-exec'),
    },
  ]);
  if (!ours) return [];
  return [
    against('render, nephio-mgmt/porch, whole process, s', ours.seconds, peer?.seconds ?? null, 1),
    against('render, nephio-mgmt/porch, memory, MiB', ours.mebibytes, peer?.mebibytes ?? null, 1),
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
