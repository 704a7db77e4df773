import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeAll, expect, test } from 'vitest';

import { documentsOf } from './catalog-text.ts';
import { runVerb } from './run-verb.ts';

let good = '';
let bad = '';

function directoryOf(documents: readonly object[]): string {
  const directory = mkdtempSync(join(tmpdir(), 'portico-catalog-'));
  writeFileSync(join(directory, 'catalog.json'), documents.map((one) => JSON.stringify(one)).join('\n'));
  return directory;
}

beforeAll(() => {
  good = directoryOf(
    documentsOf({ stable: [{ name: 'p.v1.0.0' }, { name: 'p.v2.0.0', replaces: 'p.v1.0.0' }] }),
  );
  bad = directoryOf([
    ...documentsOf({ stable: [{ name: 'p.v1.0.0' }, { name: 'p.v2.0.0' }] }),
    { schema: 'x.y' },
  ]);
});

test.each([
  [['validate', 'GOOD'], 0, /1 package/],
  [
    ['validate', 'BAD'],
    1,
    /catalog.json:2: error: invalid package "p": invalid channel "stable": multiple channel heads/,
  ],
  [['validate', '/nonexistent'], 65, /nonexistent/],
  [['list', 'bundles', 'GOOD'], 0, /PACKAGE +CHANNEL +BUNDLE/],
  [['list', 'bundles', 'BAD'], 65, /not valid/],
  [['list', 'things', 'GOOD'], 64, /cannot list things/],
  [['list', 'bundles', 'GOOD', '--package', 'q'], 65, /not found/],
  [['graph', 'GOOD', '--minimum-edge', 'p.v9.0.0'], 65, /unknown minimum edge name/],
  [['graph', 'GOOD', '--minimum-edge', '', '--package', ''], 0, /replace/],
  [['resolve', 'GOOD', '--package', 'p', '--version', '', '--installed', ''], 0, /p.v2.0.0/],
  [['resolve', 'GOOD', '--package', 'p', '--version', '3.x'], 1, /NoVersion/],
  [['resolve', 'GOOD', '--package', ''], 64, /--package is missing/],
  [['render', 'GOOD', '-o', 'json'], 0, /"schema": "olm.package"/],
  [['template', '/nonexistent'], 65, /cannot be read/],
  [['valdate', 'GOOD'], 64, /did you mean validate/],
] as const)('portico catalog %j', async (typed, exit, words) => {
  const argv = typed.map((word) => (word === 'GOOD' ? good : word === 'BAD' ? bad : word));
  const ran = await runVerb('catalog', ...argv);
  expect({ exit: ran.exit, all: ran.stdout + ran.stderr }).toEqual({
    exit,
    all: expect.stringMatching(words) as string,
  });
});
