import { execFileSync } from 'node:child_process';
import { realpathSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { buildCli } from '../build-cli.ts';
import { inTurns } from './measure.ts';
import { against, within } from './row.ts';
import type { Row } from './row.ts';
import type { Options } from './update.ts';
import { hasKpt, kpt, workspace } from './workspace.ts';

/** The npm package of the command line against kpt: what it takes on disk, and what a start costs. */
export async function benchCommandLine({ say }: Options): Promise<Row[]> {
  say('size and start of the command line');
  using place = workspace();
  const packed = await buildCli(place.path('cli'));
  const peer = hasKpt();
  const [ours, theirs] = await inTurns([
    {
      runs: 15,
      prepare: async () => ({
        program: process.execPath,
        args: [join(packed, 'portico.js'), 'version'],
        cwd: place.path(),
        env: { XDG_CACHE_HOME: place.path() },
      }),
    },
    { runs: peer ? 15 : 0, prepare: async () => kpt(place.path(), place.path('cache'), 'version') },
  ]);
  const size = mebibytes(bytesIn(packed));
  const kptSize = peer ? mebibytes(statSync(programNamed('kpt')).size) : null;
  return [
    within('npm package of the command line, unpacked, MiB', size, 8),
    against('size without Node, MiB, against the program kpt', size, kptSize, 4),
    ...(ours === null || ours === undefined
      ? []
      : [
          against('start (version), whole process, s', ours.seconds, theirs?.seconds ?? null, 1),
          against('start (version), memory, MiB', ours.mebibytes, theirs?.mebibytes ?? null, 1),
        ]),
  ];
}

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

function programNamed(name: string): string {
  return realpathSync(execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim());
}

const mebibytes = (bytes: number): number => bytes / 1024 / 1024;
