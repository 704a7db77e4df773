import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { expect, test } from 'vitest';

import { currentVersion, notesOf, released, versionsInUse } from '../scripts/version.ts';
import { VERSION } from '../src/version.ts';
import { ROOT, run, scratch } from './cli/run-portico.ts';

test('every place has the version of package.json', () => {
  const version = currentVersion();
  expect(VERSION).toBe(version);
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { version: string };
  expect(lock.version).toBe(version);
  expect(versionsInUse().filter((one) => one.version !== version)).toEqual([]);
});

test('npm version writes it everywhere, in one commit with the changelog, and tags it', async () => {
  using dir = scratch();
  const copy = dir.path('copy');
  const needed = [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'CHANGELOG.md',
    'Dockerfile',
    'scripts/version.ts',
    'localforge/package.json',
    'packages/cli/package.json',
    'deploy/chart/Chart.yaml',
    'deploy/kubernetes/deployment.yaml',
    'deploy/kubernetes/setters.yaml',
    'deploy/kustomize/example/kustomization.yaml',
    'workflows/portico-catalog.yml',
    'workflows/portico-catalog-image.yml',
    'workflows/portico-check.yml',
    'workflows/portico-run.yml',
    'workflows/portico-sweep.yml',
  ];
  for (const file of needed) {
    mkdirSync(dirname(`${copy}/${file}`), { recursive: true });
    cpSync(`${ROOT}/${file}`, `${copy}/${file}`);
  }
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: copy, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'before');
  const { code, stderr } = await run('npm', ['version', '7.8.9', '--ignore-scripts=false'], { cwd: copy });
  expect(code, stderr).toBe(0);
  expect(git('status', '--porcelain')).toBe('');
  expect(git('tag').trim()).toBe('release/7.8.9');
  expect(new Set(git('show', '--format=', '--name-only', 'HEAD').trim().split('\n'))).toEqual(
    new Set(needed.filter((file) => !['.npmrc', 'scripts/version.ts'].includes(file))),
  );
  expect(git('grep', '-c', '7\\.8\\.9', 'HEAD', '--', 'deploy/chart/Chart.yaml').trim()).toMatch(/:2$/);
  const notes = await run(process.execPath, ['scripts/version.ts', 'notes'], { cwd: copy });
  expect(notes.stdout).toContain(notesOf(git('show', 'HEAD:CHANGELOG.md'), '7.8.9'));
  // Nothing is unreleased now.
  expect((await run('npm', ['version', '7.9.0'], { cwd: copy })).code).not.toBe(0);
});

test('the changelog of a version is what was unreleased', () => {
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- New.\n\n## [1.0.0] - 2026-01-01\n\n- Old.\n';
  const after = released(changelog, '1.1.0', '2026-02-03');
  expect(after).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-02-03\n\n### Added\n\n- New.\n\n## [1.0.0] - 2026-01-01\n\n- Old.\n',
  );
  expect(notesOf(after, '1.1.0')).toBe('### Added\n\n- New.\n');
  expect(() => released(after, '1.2.0', '2026-02-04')).toThrow('nothing below');
});

test('the changelog has the form of Keep a Changelog, and entries of one line', () => {
  const text = readFileSync('CHANGELOG.md', 'utf8');
  const [, unreleased = ''] = text.split(/^## /m);
  expect(unreleased.split('\n').length).toBeLessThan(200);
  const lines = unreleased
    .split('\n')
    .slice(1)
    .filter((line) => line !== '');
  const isKnown = /^(?:- [A-Z].*[.)]|### (?:Added|Changed|Deprecated|Removed|Fixed|Security))$/;
  expect(lines.filter((line) => !isKnown.test(line))).toEqual([]);
  expect(lines.filter((line) => wordsOf(line) > 25)).toEqual([]);
});

/** Words of an entry, without the links at its end. */
function wordsOf(entry: string): number {
  return entry
    .replace(/ \(\[.*\)$/, '')
    .split(' ')
    .slice(1).length;
}
