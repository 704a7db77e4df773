import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { readFolder } from '../../src/cli/folder.ts';
import { diffPackages } from '../../src/package/diff/diff.ts';
import { lineHunks } from '../../src/package/diff/line-diff.ts';
import { mergePackages } from '../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import { generatedPackage, writePackage } from './generated-package.ts';
import { inTurns, measure, timed } from './measure.ts';
import { against, figure, within } from './row.ts';
import type { Row } from './row.ts';
import { git, hasKpt, kpt, portico, workspace } from './workspace.ts';
import type { Workspace } from './workspace.ts';

export interface Options {
  /** Also the runs of kpt that take minutes. */
  readonly full: boolean;
  /** Only the sizes that take seconds. */
  readonly quick: boolean;
  readonly say: (message: string) => void;
}

/** Resources in the package, how many times faster than kpt we have to be, runs of ours and of kpt. */
const SIZES = [
  { resources: 10, times: 1.5, ours: 7, kpt: 7 },
  { resources: 100, times: 3, ours: 7, kpt: 5 },
  { resources: 1_000, times: 80, ours: 5, kpt: 1 },
  { resources: 3_000, times: 400, ours: 5, kpt: 0 },
] as const;

/** `portico update` against `kpt pkg update`, both from the same git repository, 1 % changed on each side. */
export async function benchUpdate(options: Options): Promise<Row[]> {
  const rows: Row[] = [];
  const seconds = new Map<number, number>();
  for (const size of SIZES) {
    if (options.quick && size.resources > 100) continue;
    const { resources } = size;
    options.say(`update of ${resources} resources`);
    using place = workspace();
    prepare(place, resources);
    const kptRuns = hasKpt() ? (options.full ? Math.max(1, size.kpt) : size.kpt) : 0;
    const [ours, peer] = await inTurns([
      { runs: size.ours, prepare: async () => portico(fresh(place, 'ours'), 'update', 'generated@v2') },
      {
        runs: kptRuns,
        prepare: async () => kpt(fresh(place, 'kpt'), place.path('cache'), 'pkg', 'update', 'generated@v2'),
      },
    ]);
    if (!ours) continue;
    seconds.set(resources, ours.seconds);
    const label = `update, ${resources} resources`;
    rows.push(
      against(`${label}, whole process, s`, ours.seconds, peer?.seconds ?? null, size.times),
      against(`${label}, memory, MiB`, ours.mebibytes, peer?.mebibytes ?? null, 1),
      await directories(place, label),
      await inProcess(place, label),
      against(
        `${label}, lines changed`,
        linesChanged(place, 'ours'),
        !peer ? null : linesChanged(place, 'kpt'),
        1,
      ),
    );
  }
  const [small, large] = [seconds.get(1_000), seconds.get(3_000)];
  if (small !== undefined && large !== undefined) {
    rows.push(within('update, growth from 1,000 to 3,000 resources, times', large / small, 3));
  }
  return rows;
}

/** An upstream with two revisions, and a downstream of the first with changes of its own in a git work tree. */
function prepare(place: Workspace, resources: number): void {
  const upstream = place.path('upstream');
  mkdirSync(upstream, { recursive: true });
  git(upstream, 'init', '-q', '-b', 'main', '.');
  for (const [tag, change] of [
    ['v1', 'v1'],
    ['v2', 'v2'],
  ] as const) {
    const files = generatedPackage({ resources, changeEvery: 100, changeFrom: 3, change });
    writePackage(join(upstream, 'generated'), files);
    writePackage(place.path(tag), files);
    git(upstream, 'add', '-A');
    git(upstream, 'commit', '-q', '--allow-empty', '-m', tag);
    git(upstream, 'tag', tag);
  }
  git(place.path(), 'clone', '-q', '--bare', upstream, place.path('upstream.git'));

  const local = generatedPackage({ resources, changeEvery: 100, changeFrom: 7, change: 'local' });
  writePackage(place.path('local', 'generated'), local);
  const link = (ref: string): string =>
    `    repo: ${place.path('upstream.git')}\n    directory: /generated\n    ref: ${ref}\n`;
  const commit = git(upstream, 'rev-parse', 'v1');
  const kptfile = `${local.get('Kptfile') ?? ''}upstream:\n  type: git\n  git:\n${link('v1')}  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n${link('v1')}    commit: ${commit}\n`;
  writePackage(place.path('local', 'generated'), new Map([['Kptfile', kptfile]]));
  git(place.path('local'), 'init', '-q', '.');
  git(place.path('local'), 'add', '-A');
  git(place.path('local'), 'commit', '-q', '-m', 'local');
}

function fresh(place: Workspace, name: string): string {
  rmSync(place.path(name), { recursive: true, force: true });
  cpSync(place.path('local'), place.path(name), { recursive: true });
  return place.path(name);
}

/** The second form of the command, without git. */
async function directories(place: Workspace, label: string): Promise<Row> {
  const args = ['--base', 'v1', '--upstream', 'v2', '--local', 'local/generated', '--output', 'merged'];
  const { seconds } = await measure(portico(place.path(), 'update', ...args));
  rmSync(place.path('merged'), { recursive: true });
  return figure(`${label}, of directories, whole process, s`, seconds);
}

async function inProcess(place: Workspace, label: string): Promise<Row> {
  const read = (...names: string[]): PackageFiles => readFolder(place.path(...names));
  const seconds = await timed(5, () =>
    mergePackages({ base: read('v1'), upstream: read('v2'), local: read('local', 'generated') }),
  );
  return figure(`${label}, in process, s`, seconds);
}

/** Lines added and removed against local. */
function linesChanged(place: Workspace, name: string): number {
  const [before, after] = [
    readFolder(place.path('local', 'generated')),
    readFolder(place.path(name, 'generated')),
  ];
  const { files, resources } = diffPackages(before, after);
  const touched = new Set([
    ...files.map(({ file }) => file),
    ...resources.flatMap(({ file, from }) => [file, from ?? file]),
  ]);
  return [...touched]
    .flatMap((path) => lineHunks(linesOf(before, path), linesOf(after, path)))
    .reduce((sum, hunk) => sum + hunk.before.lines.length + hunk.after.lines.length, 0);
}

function linesOf(files: PackageFiles, path: string): string[] {
  return Buffer.from(files.get(path)?.bytes ?? [])
    .toString('utf8')
    .split('\n');
}
