import { describe, expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { textOf } from './corpus.ts';

const LINES = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: web
        image: web:1
        args:
        - --a=1
        - --b=2
        env:
        - name: A
          value: one
        - name: B
          value: two
      - name: sidecar
        image: side:1
      tolerations:
      - key: a
        operator: Exists
      - key: b
        operator: Equal
        value: x
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: cfg
data:
  a: one
  b: two
  c: three`.split('\n');

const EDITS = [
  { at: 7, text: '  replicas: 5' },
  { at: 12, text: '        image: web:mine' },
  { at: 35, text: '  a: mine' },
];
/** Edits so near to a comment say nothing about the place of either. */
const FAR = 3;

function indent(line: string | undefined, pattern: RegExp): string {
  return ' '.repeat(pattern.exec(line ?? '')?.[0].length ?? 0);
}

const KINDS: Record<string, (lines: readonly string[], at: number) => string[]> = {
  'a setter on the line': (lines, at) => lines.with(at, `${lines[at]} # kpt-set: \${x}`),
  'a line above': (lines, at) => lines.toSpliced(at, 0, `${indent(lines[at], /^ */)}# about this`),
  'a line above, and a blank one': (lines, at) =>
    lines.toSpliced(at, 0, `${indent(lines[at], /^ */)}# about this`, ''),
  'a blank line and one above': (lines, at) =>
    lines.toSpliced(at, 0, '', `${indent(lines[at], /^ */)}# about this`),
  'a deeper line below': (lines, at) =>
    lines.toSpliced(at + 1, 0, `${indent(lines[at], /^[ -]*/)}  # below this`),
  'a line below': (lines, at) => lines.toSpliced(at + 1, 0, `${indent(lines[at], /^ */)}# after this`),
};

function packageOf(lines: readonly string[]): PackageFiles {
  return new Map([['d.yaml', { mode: '100644', bytes: new TextEncoder().encode(`${lines.join('\n')}\n`) }]]);
}

function merged(base: readonly string[], upstream: readonly string[], local: readonly string[]): string[] {
  const trees = { base: packageOf(base), upstream: packageOf(upstream), local: packageOf(local) };
  const { files, conflicts } = mergePackages(trees);
  expect(conflicts).toEqual([]);
  return textOf(files.get('d.yaml')).trimEnd().split('\n');
}

/** Whatever the text is, edits of other lines come together as lines would: that is the independent answer. */
describe.each(Object.entries(KINDS))('%s', (kind, comment) => {
  const places = LINES.flatMap((line, at) => {
    // A header apart from the content, such as a license, stays local's, as with kpt.
    const isHeader = kind.includes('blank one') && line.startsWith('apiVersion');
    return line === '---' || isHeader ? [] : [at];
  });

  test('arrives from upstream at every place', () => {
    for (const at of places) {
      for (const edit of EDITS.filter((one) => Math.abs(one.at - at) >= FAR)) {
        const local = LINES.with(edit.at, edit.text);
        expect(merged(LINES, comment(LINES, at), local), LINES[at]).toEqual(
          comment(local, at).join('\n').trimEnd().split('\n'),
        );
      }
    }
  });

  test('goes at every place where upstream takes it away', () => {
    for (const at of places) {
      for (const edit of EDITS.filter((one) => Math.abs(one.at - at) >= FAR)) {
        const local = comment(LINES.with(edit.at, edit.text), at);
        expect(merged(comment(LINES, at), LINES, local), LINES[at]).toEqual(LINES.with(edit.at, edit.text));
      }
    }
  });

  test('stays at every place where local wrote it', () => {
    for (const at of places) {
      for (const edit of EDITS.filter((one) => Math.abs(one.at - at) >= FAR)) {
        const upstream = LINES.with(edit.at, edit.text);
        expect(merged(LINES, upstream, comment(LINES, at)), LINES[at]).toEqual(
          comment(upstream, at).join('\n').trimEnd().split('\n'),
        );
      }
    }
  });
});

function above(text: string): string[] {
  return LINES.toSpliced(12, 0, `        # ${text}`);
}

describe('where both wrote a comment', () => {
  test("local's stays above a line", () => {
    expect(merged(LINES, above('theirs'), above('mine'))).toEqual(above('mine'));
  });

  test("upstream's setter wins on a line, because functions read it", () => {
    const setter = LINES.with(12, `${LINES[12]} # kpt-set: web:\${tag}`);
    expect(merged(LINES, setter, LINES.with(12, `${LINES[12]} # mine`))).toEqual(setter);
  });

  test('comments on different lines above one field come together', () => {
    const both = LINES.toSpliced(12, 0, '        # one', '        # two', '        # three');
    expect(merged(both, both.with(12, '        # ONE'), both.with(14, '        # THREE'))).toEqual(
      both.with(12, '        # ONE').with(14, '        # THREE'),
    );
  });
});

test('an item that takes the place of another does not inherit its setter', () => {
  const base = LINES.with(14, `${LINES[14]} # kpt-set: --a=\${a}`);
  const upstream = base.with(14, '        - --other');
  const local = base.with(7, '  replicas: 5');
  expect(merged(base, upstream, local)).toEqual(upstream.with(7, '  replicas: 5'));
});

test('items of a list of maps bring their comments where nobody changed their data', () => {
  const upstream = LINES.toSpliced(26, 1, '      # spot nodes', '      - key: b # spot');
  const local = LINES.with(7, '  replicas: 5');
  expect(merged(LINES, upstream, local)).toEqual(upstream.with(7, '  replicas: 5'));
});
