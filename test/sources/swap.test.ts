import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

import { finishCutOff, isCutOff, isStaged, swap } from '../../src/cli/sources/swap.ts';
import { run, scratch, type Scratch } from '../cli/run-portico.ts';
import { filesOf, NEW, OLD } from './swap-states.ts';

function withOld(dir: Scratch, name: string): string {
  dir.write(Object.fromEntries(Object.entries(OLD).map(([path, text]) => [`${name}/${path}`, text])));
  return dir.path(name);
}

/** Calls before which it is killed; the long form knows them all. */
const POINTS = Array.from({ length: 26 }, (_, at) => at).filter(
  (at) => process.env['PORTICO_LONG'] !== undefined || [4, 9, 12, 15, 18, 25].includes(at),
);

test('a swap that is killed anywhere leaves the old state, or one that the next run makes the new', async () => {
  using dir = scratch();
  const child = fileURLToPath(new URL('./swap-child.ts', import.meta.url));
  const states = await Promise.all(
    POINTS.map(async (at) => {
      const directory = withOld(dir, String(at));
      const { code } = await run(process.execPath, [child, directory, String(at)]);
      const decided = isCutOff(directory);
      const seen = Object.entries(dir.read(String(at))).filter(([path]) => !isStaged(path));
      const finished = finishCutOff(directory);
      expect(finished).toBe(decided);
      return {
        killed: code === null,
        decided,
        seen: Object.fromEntries(seen),
        afterwards: dir.read(String(at)),
      };
    }),
  );
  for (const { killed, decided, seen, afterwards } of states) {
    // Before the journal nothing has changed; with it, everything comes; without either, it had come.
    if (killed && !decided && seen['portico-sources.lock.yaml'] === 'old lock') expect(seen).toEqual(OLD);
    if (seen['portico-sources.lock.yaml'] === 'new lock') expect(seen).toEqual(NEW);
    expect(afterwards).toEqual(decided || seen['portico-sources.lock.yaml'] === 'new lock' ? NEW : OLD);
  }
  // It was killed while staging, while swapping and while clearing up, and sometimes not at all.
  expect(states.some(({ killed, decided, seen }) => killed && !decided && 'chart/gone/a.yaml' in seen)).toBe(
    true,
  );
  expect(
    states.filter(({ decided, seen }) => decided && seen['chart/Chart.yaml'] === 'old').length,
  ).toBeGreaterThan(0);
  expect(
    states.filter(({ decided, seen }) => decided && seen['chart/Chart.yaml'] === 'new').length,
  ).toBeGreaterThan(0);
  expect(states.some(({ killed }) => !killed)).toBe(true);
});

test('nothing is written through links, over another run, or as a forged journal says', () => {
  using dir = scratch();
  const [old, after] = [filesOf(OLD), filesOf(NEW)];
  dir.write({ 'elsewhere/keep': 'mine' });
  const linked = dir.path('linked');
  mkdirSync(linked);
  symlinkSync(dir.path('elsewhere'), join(linked, 'chart'));
  expect(() => swap(linked, new Map(), after)).toThrow(expect.objectContaining({ code: 'PACKAGE_PATH' }));
  expect(dir.read('elsewhere')).toEqual({ keep: 'mine' });

  const busy = withOld(dir, 'busy');
  mkdirSync(join(busy, '.portico-sync'));
  writeFileSync(join(busy, '.portico-sync/owner'), '1');
  expect(() => swap(busy, old, after)).toThrow(expect.objectContaining({ code: 'SOURCES_BUSY' }));

  const forged = withOld(dir, 'forged');
  mkdirSync(join(forged, '.portico-sync'));
  writeFileSync(join(forged, '.portico-sync/0'), 'evil');
  const journal = { put: ['../elsewhere/keep'], gone: [] };
  writeFileSync(join(forged, '.portico-sync/journal.json'), JSON.stringify(journal));
  expect(() => finishCutOff(forged)).toThrow(expect.objectContaining({ code: 'PACKAGE_NOT_WRITTEN' }));
  expect(dir.read('elsewhere')).toEqual({ keep: 'mine' });
});
