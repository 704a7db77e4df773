import { describe, expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { textOf } from './trees.ts';

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

function told(side: 'local' | 'upstream', comment: string): string {
  const what =
    side === 'local'
      ? 'a local comment was removed together with what it belongs to'
      : "upstream's comment was not added";
  return `${what}; it says: ${comment.slice(2)}`;
}

function withArgument(value: string, comment: string): string[] {
  return LINES.with(14, `        - ${value} ${comment}`.trimEnd());
}

describe('a plain value that takes the place of another in a list', () => {
  const SETTER = '# kpt-set: --a=${a}';
  const OTHER = '# kpt-set: --a=${b}';
  // What stands beside the old value in base, beside it on the side that kept it, and beside the new one.
  test.each<[string, [string, string, string], string, string?]>([
    ['brings its own, and the setter that the other side wrote is told', ['', SETTER, ''], '', SETTER],
    ['has the other setter where it kept the old one', [SETTER, OTHER, SETTER], OTHER],
    ['loses the setter that the other side removed', [SETTER, '', SETTER], ''],
    ['keeps the comment that it came with', [SETTER, SETTER, '# new'], '# new'],
    [
      'keeps its own setter, and the other one is told',
      [SETTER, OTHER, '# kpt-set: c'],
      '# kpt-set: c',
      OTHER,
    ],
  ])('%s, whichever side replaced it', (_, [o, other, now], wanted, lost) => {
    for (const side of ['local', 'upstream'] as const) {
      // With the neighbour changed too, the other side has touched the same stretch of the list.
      for (const beside of [LINES[15]!, '        - --c=3']) {
        const kept = withArgument('--a=1', other).with(15, beside);
        const replaced = withArgument('--new', now);
        const [upstream, local] = side === 'local' ? [kept, replaced] : [replaced, kept];
        const trees = { base: packageOf(withArgument('--a=1', o)), upstream: packageOf(upstream) };
        const { files, notes, conflicts } = mergePackages({ ...trees, local: packageOf(local) });
        expect(conflicts).toEqual([]);
        expect(textOf(files.get('d.yaml')).trimEnd().split('\n')).toEqual(
          withArgument('--new', wanted).with(15, beside),
        );
        const by = side === 'local' ? 'upstream' : 'local';
        expect(notes.map(({ message }) => message.replace(/^[^:]*: /, ''))).toEqual(
          lost === undefined ? [] : [told(by, lost)],
        );
      }
    }
  });

  test('keeps what local wrote about the old value, unless the new one has a setter', () => {
    const own = withArgument('--a=1', '# why');
    expect(merged(LINES, withArgument('--new', ''), own)).toEqual(withArgument('--new', '# why'));
    const replaced = withArgument('--new', '# kpt-set: ${new}');
    expect(merged(LINES, replaced, own)).toEqual(replaced);
  });
});

test('items of a list of maps bring their comments where nobody changed their data', () => {
  const upstream = LINES.toSpliced(26, 1, '      # spot nodes', '      - key: b # spot');
  const local = LINES.with(7, '  replicas: 5');
  expect(merged(LINES, upstream, local)).toEqual(upstream.with(7, '  replicas: 5'));
});
