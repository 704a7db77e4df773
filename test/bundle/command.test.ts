/** `portico bundle` as it is called. */
import { existsSync, mkdtempSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { expect, test } from 'vitest';

import { tar } from '../archive/archives.ts';
import { runVerb } from '../fbc/run-verb.ts';
import { CSV } from './bundle-files.ts';

const files = CSV({}, ['OwnNamespace']);

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-bundle-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, 'in', path)), { recursive: true });
    writeFileSync(join(directory, 'in', path), text);
  }
  const entries = Object.entries(files).map(([name, body]) => ({ name, body }));
  writeFileSync(join(directory, 'good.tar'), tar(...entries));
  writeFileSync(join(directory, 'bad.tar'), tar(...entries, { name: '../x' }));
  return directory;
}

test.each([
  [['validate', 'in'], 0, /The registry-v1 bundle is valid/],
  [['validate', 'good.tar'], 0, /The registry-v1 bundle is valid/],
  [['validate', 'bad.tar'], 65, /bad.tar: "..\/x": the path has the part ".."/],
  [['validate', 'in', '--output', 'out'], 64, /validate: it has no option --output/],
  // As RukPak had it: what the bundle suggests, or a namespace of its package.
  [['convert', 'in', '--output', 'out'], 0, /the namespace is demo-system, which the bundle suggests/],
  [['convert', 'in', '--install-namespace', 'ops'], 64, /--output is missing/],
  [['convert', 'in', '--install-namespace', 'ops', '--output', 'out'], 0, /Wrote 1 object/],
  // An empty list is all namespaces, which this bundle does not support.
  [
    ['convert', 'in', '--install-namespace', 'ops', '--target-namespaces', '', '--output', 'out'],
    65,
    /convert registry\+v1 bundle to plain\+v0 bundle: supported install modes \[OwnNamespace\] do not support targeting all/,
  ],
  [['convert', 'in', '--format', 'plain', '--output', 'out'], 65, /ensure CRDs are installed first/],
  [
    ['convert', 'in', '--format', 'plain', '--target-namespaces', 'a', '--output', 'out'],
    64,
    /is for registry\+v1/,
  ],
] as const)('portico bundle %j', async (typed, exit, words) => {
  const directory = scratch();
  const argv = typed.map((word) => (/^(?:in|out|.*\.tar)$/.test(word) ? join(directory, word) : word));
  const ran = await runVerb('bundle', ...argv);
  expect(ran.stdout + ran.stderr).toMatch(words);
  expect(ran.exit).toBe(exit);
  const output = join(directory, 'out');
  expect(existsSync(output) ? readdirSync(output) : []).toEqual(
    exit === 0 && typed[0] === 'convert' ? ['00_deployment_demo-manager.yaml'] : [],
  );
});
