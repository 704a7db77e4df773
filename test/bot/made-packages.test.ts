import { expect, test } from 'vitest';

import { createMadePackages } from '../../src/bot/made-packages.ts';
import { createRuntime } from '../../src/function/runtime.ts';
import type { PackageFiles } from '../../src/package/package.ts';
import type { SourceSetting } from '../../src/reconcile/source-port.ts';

const of = (files: Record<string, string>, mode: '100644' | '100755' = '100644'): PackageFiles =>
  new Map(Object.entries(files).map(([path, text]) => [path, { mode, bytes: Buffer.from(text) }]));
const SETTING: SourceSetting = {
  owner: 'acme',
  runtime: createRuntime(),
  foreign: { allowed: [] },
  targets: new Map(),
};
const FILES = of({ 'a.yaml': 'a', 'b.yaml': 'b' });

test.each<[what: string, files: PackageFiles, setting: SourceSetting]>([
  ['another file', of({ 'a.yaml': 'a', 'b.yaml': 'c' }), SETTING],
  ['a file more', of({ 'a.yaml': 'a', 'b.yaml': 'b', c: '' }), SETTING],
  ['another mode', of({ 'a.yaml': 'a', 'b.yaml': 'b' }, '100755'), SETTING],
  ['another account', FILES, { ...SETTING, owner: 'other' }],
  ['other targets', FILES, { ...SETTING, targets: of({ 'edge.yaml': 'x' }) }],
  ['functions that may not run', FILES, { ...SETTING, foreign: { allowed: [], denied: 'no' } }],
])('%s was not made', (_what, files, setting) => {
  const made = createMadePackages();
  made.note(FILES, SETTING);
  expect(made.takes(files, setting)).toBe(false);
  expect(made.takes(of({ 'b.yaml': 'b', 'a.yaml': 'a' }), SETTING)).toBe(true);
});

test('what was made is believed once, and for an hour', () => {
  let now = 0;
  const made = createMadePackages(() => now);
  made.note(FILES, SETTING);
  expect([made.takes(FILES, SETTING), made.takes(FILES, SETTING)]).toEqual([true, false]);
  made.note(FILES, SETTING);
  now = 3_600_000;
  expect(made.takes(FILES, SETTING)).toBe(false);
});
