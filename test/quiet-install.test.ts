import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const NPMRC = fileURLToPath(new URL('../.npmrc', import.meta.url));

/** What `npm ci` says of packages that want a newer Node than npm runs on; here one that wants a Node of the far future. */
function install(...options: string[]): { status: number | null; stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), 'portico-install-'));
  try {
    const wants = { name: 'wants', version: '1.0.0', engines: { node: '>=9999' } };
    const lock = { ...wants, lockfileVersion: 3, requires: true, packages: { '': wants } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(wants));
    writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
    copyFileSync(NPMRC, join(folder, '.npmrc'));
    // Without the settings that `npm test` hands down to what it runs.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
    return spawnSync('npm', ['ci', '--dry-run', '--offline', ...options], {
      cwd: folder,
      encoding: 'utf8',
      env,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('npm does not warn of an older Node, because the right one comes with the packages', () => {
  expect(install('--loglevel=warn').stderr).toContain('EBADENGINE');
  const { status, stderr } = install();
  expect(stderr).not.toContain('EBADENGINE');
  expect(status).toBe(0);
});
