import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { expect, test } from 'vitest';

const START = fileURLToPath(new URL('../src/portico.js', import.meta.url));

test.each(['20.20.2', '22.12.0', '24.11.1'])('Node %s is told in one sentence what to do', (version) => {
  const older = `data:text/javascript,Object.defineProperty(process.versions,"node",{value:"${version}"})`;
  const { status, stderr, stdout } = spawnSync(process.execPath, ['--import', older, START, '--version'], {
    encoding: 'utf8',
  });
  expect(status).toBe(64);
  expect(stdout).toBe('');
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toContain('needs Node 24.12 or newer');
  expect(stderr).toContain('npm run portico');
});
