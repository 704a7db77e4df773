import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import type { MergeResult } from '../../../src/package/merge/merge-types.ts';
import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { readYaml } from '../../../src/package/yaml/edit.ts';
import { PATH } from '../../parts.ts';
import { differences } from './compare.ts';
import { randomEdit } from './random-edits.ts';
import { chance, marked, printed, randomPackage } from './random-package.ts';
import type { Model } from './random-package.ts';
import { readTree, textOf } from './trees.ts';

/**
 * Random updates, made by the real kpt and by the merge. Every one of them must end alike, or ours must be what both
 * sides' edits come to when they are made one after the other, or the two sides must be at odds. Takes a third of a
 * second each, so only on demand: `KPT_CASES=1,500` is the first seed and the number of them. `KPT_SHOW=directory`
 * leaves the trees there, `KPT_REPORT=file` a line of JSON for each.
 */
const [FIRST = 1, COUNT = 0] = (process.env['KPT_CASES'] ?? '').split(',').map(Number);

interface Case {
  readonly edits: { readonly upstream: readonly string[]; readonly local: readonly string[] };
  readonly base: PackageFiles;
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
  /** Both sides' edits, where they do the same in either order. */
  readonly both: PackageFiles | undefined;
}

function caseOf(seed: number): Case {
  const from = chance(seed);
  const base = randomPackage(from);
  const edits = (tag: string) => Array.from({ length: 1 + from.below(3) }, () => randomEdit(from, base, tag));
  const [theirs, own] = [edits('u'), edits('l')];
  const isGot = from.some(60);
  const applied = (model: Model, list: typeof own): Model => {
    const copy = structuredClone(model);
    for (const edit of list) edit.apply(copy);
    return copy;
  };
  const start = isGot ? marked(base) : base;
  const upstream = applied(base, theirs);
  const local = applied(start, own);
  const [one, two] = [applied(applied(start, own), theirs), applied(applied(start, theirs), own)].map(
    printed,
  );
  const agree = unordered(one!) === unordered(two!);
  return {
    edits: { upstream: theirs.map(({ name }) => name), local: own.map(({ name }) => name) },
    base: printed(base),
    upstream: printed(upstream),
    local: printed(local),
    both: agree ? one : undefined,
  };
}

function updatedByKpt({ base, upstream, local }: Case): PackageFiles | string {
  const root = mkdtempSync(join(tmpdir(), 'portico-kpt-'));
  const git = (at: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd: join(root, at), encoding: 'utf8' });
  try {
    mkdirSync(join(root, 'up'));
    git('up', 'init', '-q', '-b', 'main', '.');
    for (const [tag, files] of [
      ['v1', base],
      ['v2', upstream],
    ] as const) {
      rmSync(join(root, 'up/pkg'), { recursive: true, force: true });
      write(join(root, 'up/pkg'), files);
      git('up', 'add', '-A');
      git('up', 'commit', '-q', '--allow-empty', '-m', tag);
      git('up', 'tag', tag);
    }
    const commit = git('up', 'rev-parse', 'v1').trim();
    write(join(root, 'work/pkg'), local);
    const where = `    repo: ${join(root, 'up')}\n    directory: /pkg\n    ref: v1\n`;
    const link = `upstream:\n  type: git\n  git:\n${where}  updateStrategy: resource-merge\nupstreamLock:\n  type: git\n  git:\n${where}    commit: ${commit}\n`;
    writeFileSync(join(root, 'work/pkg/Kptfile'), textOf(local.get('Kptfile')) + link);
    git('work', 'init', '-q', '.');
    git('work', 'add', '-A');
    git('work', 'commit', '-q', '-m', 'local');
    execFileSync('kpt', ['pkg', 'update', 'pkg@v2'], {
      cwd: join(root, 'work'),
      env: { ...process.env, PATH: PATH.join(delimiter), KPT_CACHE_DIR: join(root, 'cache') },
      stdio: 'pipe',
    });
    return readTree(join(root, 'work/pkg'));
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function write(root: string, files: PackageFiles): void {
  for (const [path, { bytes }] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }
}

test('random updates against the real kpt', { tags: ['differential', 'kpt'], timeout: 36_000_000 }, () => {
  const counts: Record<string, number> = {};
  const wrong: string[] = [];
  const { KPT_SHOW: show, KPT_REPORT: report } = process.env;
  for (let seed = FIRST; seed < FIRST + COUNT; seed += 1) {
    const one = caseOf(seed);
    const ours = mergePackages(one);
    const kpt = updatedByKpt(one);
    const verdict = verdictOf(one, ours, kpt);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
    const conflicts = ours.conflicts.map(({ file, path }) => `${file}:${path}`);
    const other = typeof kpt === 'string' ? kpt.slice(0, 300) : differences(ours.files, kpt);
    const line = JSON.stringify({ seed, verdict, ...one.edits, conflicts, kpt: other });
    if (verdict.includes('WRONG')) wrong.push(line);
    if (report !== undefined) appendFileSync(report, `${line}\n`);
    if (show !== undefined) {
      const { base, upstream, local, both } = one;
      const nothing: PackageFiles = new Map();
      const update = typeof kpt === 'string' ? nothing : kpt;
      const trees = { base, upstream, local, both: both ?? nothing, ours: ours.files, kpt: update };
      for (const [name, files] of Object.entries(trees)) write(join(show, String(seed), name), files);
    }
  }
  console.log(counts);
  expect(wrong).toEqual([]);
});

/** `WRONG`: kpt gives what both sides' edits come to, and we do not; or kpt gives up, and so should have we. */
function verdictOf(one: Case, { files, conflicts }: MergeResult, kpt: PackageFiles | string): string {
  const both = one.both === undefined ? undefined : unordered(one.both);
  const isRight = both === undefined ? undefined : unordered(files) === both;
  const told = conflicts.length > 0 ? 'conflict told' : 'no conflict';
  if (typeof kpt === 'string') return `kpt failed, ours ${isRight === true ? 'right' : told}`;
  if (differences(files, kpt).length === 0) return 'equal';
  const most = [one.upstream, one.local].map(copies);
  for (const [identity, count] of copies(files))
    if (count > Math.max(...most.map((side) => side.get(identity) ?? 0))) return `WRONG: ${identity} doubled`;
  if (isRight === true) return 'kpt lost a change';
  if (both !== undefined && unordered(kpt) === both) return 'WRONG';
  return both === undefined ? `at odds, ${told}` : `neither, ${told}`;
}

/** What a package says, with lists in one order: where an item of a list stands is nobody's change alone. */
function unordered(files: PackageFiles): string {
  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value))
      return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(
          ([key, inner]) =>
            key !== IDENTIFIER && inner !== null && Object.keys(inner as object).join() !== IDENTIFIER,
        )
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => [key, sorted(inner)]),
    );
  };
  const texts = [...files].map(([path, file]) => {
    if (!/Kptfile$|\.yaml$/.test(path)) return `${path}\n${textOf(file)}`;
    const documents = readYaml(textOf(file)).map((one) => ({
      ...(one as object),
      ...(path === 'Kptfile' ? { upstream: null, upstreamLock: null } : {}),
    }));
    return `${path}\n${JSON.stringify(sorted(documents))}`;
  });
  return texts.sort().join('\n');
}

/** How often each resource is there. */
function copies(files: PackageFiles): Map<string, number> {
  const found = new Map<string, number>();
  for (const [path, file] of files) {
    if (!path.endsWith('.yaml')) continue;
    for (const root of readYaml(textOf(file))) {
      const { kind, metadata } = root as {
        kind?: unknown;
        metadata?: { name?: unknown; namespace?: unknown };
      };
      const identity = JSON.stringify([kind, metadata?.namespace, metadata?.name]);
      found.set(identity, (found.get(identity) ?? 0) + 1);
    }
  }
  return found;
}

const IDENTIFIER = 'internal.kpt.dev/upstream-identifier';
