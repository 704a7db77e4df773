import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';

import { unifiedPatch } from '../../../src/package/diff/patch.ts';

const folder = mkdtempSync(join(tmpdir(), 'portico-patch-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function applied(before: string, after: string): string {
  const { patch } = unifiedPatch([
    { path: 'file.yaml', mode: '100644', before: bytes(before), after: bytes(after) },
  ]);
  writeFileSync(join(folder, 'file.yaml'), before);
  execFileSync('git', ['apply', '--whitespace=nowarn', '-'], { cwd: folder, input: patch });
  return readFileSync(join(folder, 'file.yaml'), 'utf8');
}

test('git applies it, whatever changed', () => {
  const line = fc.constantFrom('a', 'b', 'c', '', '- x', '+ y', ' z');
  const text = fc
    .tuple(fc.array(line, { minLength: 1, maxLength: 25 }), fc.boolean())
    .map(([lines, end]) => lines.join('\n') + (end ? '\n' : ''));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after && before !== '' && after !== '');
      expect(applied(before, after)).toBe(after);
    }),
    { numRuns: 60 },
  );
});

test('files come and go; bytes that are no text are named', () => {
  const { patch, opaque } = unifiedPatch([
    { path: 'new.yaml', mode: '100644', before: null, after: bytes('a: 1\n') },
    { path: 'old.yaml', mode: '100755', before: bytes('b: 1\n'), after: null },
    { path: 'logo.png', mode: '100644', before: null, after: new Uint8Array([0, 255]) },
  ]);
  expect(opaque).toEqual(['logo.png']);
  expect(patch).toBe(
    'diff --git a/new.yaml b/new.yaml\nnew file mode 100644\n--- /dev/null\n+++ b/new.yaml\n@@ -0,0 +1,1 @@\n+a: 1\n' +
      'diff --git a/old.yaml b/old.yaml\ndeleted file mode 100755\n--- a/old.yaml\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-b: 1\n',
  );
});
