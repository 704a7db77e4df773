import { expect, test } from 'vitest';

import type { PackageFiles } from '../../src/package/package.ts';
import { gatesOf, judgeGates, withoutConditions } from '../../src/package/readiness-gates.ts';

const files = (texts: Record<string, string>): PackageFiles =>
  new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
    ]),
  );
const kptfile = (conditions: string): string =>
  `apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\ninfo:\n  readinessGates:\n  - conditionType: ready\n  - conditionType: config.injection.ConfigMap.c\n  - conditionType: ready\n${conditions}`;
const TRUE = 'status:\n  conditions:\n  - type: ready\n    status: "True"\n';
const point = (more: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  annotations:\n    kpt.dev/config-injection: required\n${more}`;

test('what was written by hand is taken away before it is computed', () => {
  const written = files({ Kptfile: kptfile(TRUE) });
  expect(gatesOf(written)).toEqual(['ready', 'config.injection.ConfigMap.c']);
  const bare = withoutConditions(written);
  expect(new TextDecoder().decode(bare.get('Kptfile')?.bytes)).not.toContain('True');
  expect(withoutConditions(bare)).toBe(bare);
  expect(gatesOf(files({}))).toEqual([]);
});

test.each([
  ['nothing sets it', '', '', [false, false]],
  ['the pipeline set it', TRUE, '', [true, false]],
  ['the pipeline says no', TRUE.replace('True', 'False'), '', [false, false]],
  ['injected', '', '    kpt.dev/injected-resource: from\n', [false, true]],
])('%s', (_name, conditions, annotation, ready) => {
  const rendered = files({ Kptfile: kptfile(conditions), 'c.yaml': point(annotation) });
  expect(judgeGates(gatesOf(rendered), rendered).map((gate) => gate.ready)).toEqual(ready);
});

test('a gate for an injection that nothing asks for is not met', () => {
  const [, gate] = judgeGates(gatesOf(files({ Kptfile: kptfile('') })), files({ Kptfile: kptfile('') }));
  expect(gate).toEqual({
    type: 'config.injection.ConfigMap.c',
    ready: false,
    message: 'No resource asks for this injection.',
  });
});
