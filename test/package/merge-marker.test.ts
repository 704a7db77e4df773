import { describe, expect, test } from 'vitest';

import { withMergeMarkers } from '../../src/package/merge-marker.ts';
import { packageOf } from './diff/package-of.ts';

function mark(text: string, path = 'a.yaml'): string {
  return Buffer.from(withMergeMarkers(packageOf({ [path]: text })).get(path)!.bytes).toString();
}

describe('merge markers', () => {
  test('one comment and one annotation, everything else as it was', () => {
    const text = `---
# head
apiVersion: apps/v1
kind: Deployment
metadata:   # ours
    namespace: shop
    name: 'web'   # w

    annotations:
        "a": "b"   # c
spec: {replicas:   1}
---
# only a comment
---
apiVersion: v1
kind: Namespace
metadata:
  labels: {a: b}
`;
    expect(mark(text)).toBe(`---
# head
apiVersion: apps/v1
kind: Deployment
metadata: # kpt-merge: shop/web
    # ours
    namespace: shop
    name: 'web'   # w

    annotations:
        "a": "b"   # c
        internal.kpt.dev/upstream-identifier: apps|Deployment|shop|web
spec: {replicas:   1}
---
# only a comment
---
apiVersion: v1
kind: Namespace
metadata: # kpt-merge: /
  labels: {a: b}
  annotations:
      internal.kpt.dev/upstream-identifier: '|Namespace|default|'
`);
  });

  test('twice is once', () => {
    const once = mark('apiVersion: v1\nkind: A\nmetadata:\n  name: x\n');
    expect(once).toContain('metadata: # kpt-merge: /x\n');
    expect(mark(once)).toBe(once);
  });

  test('line ends stay', () => {
    const text = 'apiVersion: v1\r\nkind: A\r\nmetadata: # m\r\n  name: x\r\n';
    expect(mark(text).replaceAll('\r\n', '')).not.toContain('\n');
  });

  test('a resource that was renamed keeps the name it had upstream', () => {
    const text = 'apiVersion: v1\nkind: A\nmetadata: # kpt-merge: ns/x\n  name: y\n';
    const marked = `${text}  annotations:\n    internal.kpt.dev/upstream-identifier: '|A|ns|x'\n`;
    expect(mark(text)).toBe(marked);
    expect(mark(marked)).toBe(marked);
  });

  test.each([
    ['JSON syntax', '{"apiVersion": "v1", "kind": "A", "metadata": {"name": "x"}}\n'],
    ['flow metadata', 'apiVersion: v1\nkind: A\nmetadata: {name: x}\n'],
    ['no resource', 'a: 1\n'],
    ['nothing that names it', 'apiVersion: v1\nkind: A\nmetadata:\n  annotations: {a: b}\n'],
    ['no YAML', 'a: [\n'],
    ['no text', '\uFFFE\0'],
  ])('%s stays as it is', (_, text) => expect(mark(text)).toBe(text));

  test('other files and unwanted paths are not looked at', () => {
    const text = 'apiVersion: v1\nkind: A\nmetadata:\n  name: x\n';
    expect(mark(text, 'Kptfile')).toBe(text);
    const files = packageOf({ 'a.yaml': text });
    expect(withMergeMarkers(files, () => false).get('a.yaml')).toBe(files.get('a.yaml'));
  });
});
