import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { treeDigest } from '../../src/package/tree-digest.ts';

/** By bytes the first is before the second, by UTF-16 units behind it. */
const [HIGH, PAIR] = ['\u{fffd}', '\u{1f600}'];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const plain = (text: string) => ({ mode: '100644' as const, bytes: bytes(text) });

test('the digest is the one that a shell computes', () => {
  const files = { 'a.yaml': 'one\n', 'a/b.yaml': '', 'a-b.yaml': 'three', [HIGH]: 'x', [PAIR]: 'y' };
  const directory = mkdtempSync(join(tmpdir(), 'tree-digest-'));
  try {
    for (const [at, content] of Object.values(files).entries())
      writeFileSync(join(directory, String(at)), content);
    const script = `set -e
      line() { printf '100644 %s\\0%s\\n' "$1" "$(sha256sum < "$2" | cut -d' ' -f1)"; }
      { line a-b.yaml 2; line a.yaml 0; line a/b.yaml 1; line ${HIGH} 3; line ${PAIR} 4; } | sha256sum | cut -d' ' -f1`;
    const wanted = execFileSync('bash', ['-c', script], { cwd: directory, encoding: 'utf8' }).trim();
    const tree = new Map(Object.entries(files).map(([path, text]) => [path, bytes(text)]));
    expect(treeDigest(tree)).toBe(`sha256:${wanted}`);
    expect(treeDigest(new Map([...tree].reverse()))).toBe(`sha256:${wanted}`);
    expect(treeDigest(new Map(Object.entries(files).map(([path, text]) => [path, plain(text)])))).toBe(
      `sha256:${wanted}`,
    );
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

test('mode, path and content of a file count each', () => {
  const executable = { mode: '100755' as const, bytes: bytes('1') };
  expect(treeDigest(new Map([['a', executable]]))).not.toBe(treeDigest(new Map([['a', plain('1')]])));
  expect(treeDigest(new Map([['a', plain('12')]]))).not.toBe(treeDigest(new Map([['a1', plain('2')]])));
});
