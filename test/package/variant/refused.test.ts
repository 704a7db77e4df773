import { describe, expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { expandSet } from '../../../src/package/variant/expand.ts';
import { injectionPoints } from '../../../src/package/variant/injection-points.ts';
import { readVariantDocuments } from '../../../src/package/variant/read-document.ts';
import { worldOf } from './world.ts';

const GROUP = 'config.porch.kpt.dev';

function mistakesIn(text: string): (readonly [number, string])[] {
  const [document] = readVariantDocuments(text).documents;
  return document?.kind === 'refused' ? document.problems.map(({ line, message }) => [line, message]) : [];
}

const set = (template: string): string => `apiVersion: ${GROUP}/v1alpha2
kind: PackageVariantSet
metadata: {name: s}
spec:
  upstream: {repo: up, package: web, revision: 1}
  targets:
  - repositories: [{name: a}]
    template:
${template}`;

const documentOf = (kind: string, upstream: string): string =>
  `apiVersion: ${GROUP}/v1alpha${kind === 'PackageVariant' ? 1 : 2}\nkind: ${kind}\nmetadata: {name: s}\nspec:\n  upstream:\n    repo: up\n    package: web\n${upstream}  downstream: {repo: a, package: b}\n  targets: [{repositories: [{name: a}]}]\n`;
const never = (number: number): string =>
  `spec.upstream.revision ${number} can never be published: revisions count from 1, and -1 follows the newest`;

const expanded = (repositories: string) => {
  const text = `apiVersion: ${GROUP}/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s}\nspec:\n  upstream: {repo: up, package: web, revision: 1}\n  targets:\n${repositories}`;
  const [document] = readVariantDocuments(text).documents;
  if (document?.kind !== 'set') throw new Error(JSON.stringify(document));
  const web = {
    repository: 'up',
    packageName: 'web',
    revision: 1,
    workspaceName: 'v1',
    lifecycle: 'Published',
  };
  const world = worldOf({ packageRevisions: [{ metadata: { name: 'up.web.v1' }, spec: web }] });
  const { variants, problems } = expandSet(document.set, world);
  return {
    made: variants.map(({ spec }) => spec.downstream),
    said: problems.map(({ message }) => message),
  };
};

const point = (name: string, mark: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations:\n    kpt.dev/config-injection: ${mark}\n`;
const wrongIn = (texts: Record<string, string>): string => {
  const files: PackageFiles = new Map(
    Object.entries(texts).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
  const found = injectionPoints(files);
  return found.ok ? '' : found.message;
};
const invalid = (file: string, name: string, mark: string): string =>
  `${file}: ConfigMap/${name} has invalid "kpt.dev/config-injection" annotation value of "${mark}"`;
const double = (one: string, two: string): string =>
  `duplicate injection conditionType "config.injection.ConfigMap.x" (${one} and ${two})`;

describe('what no downstream could follow is refused at its line in the template of a set', () => {
  test('injectors without a name', () => {
    const text = set(`      injectors:
      - {kind: Team, name: ''}
      - nameExpr: ''
      - name: fine
`);
    expect(mistakesIn(text)).toEqual([
      [10, 'spec.targets[0].template.injectors[0].name must not be empty'],
      [11, 'spec.targets[0].template.injectors[1].nameExpr must not be empty'],
    ]);
  });

  test('keys of the package context that are kpt’s', () => {
    const text = set(`      packageContext:
        data:
          name: web
          zone: a
        dataExprs:
        - key: package-path
          value: x
        - {keyExpr: repoDefault, value: x}
        removeKeys:
        - other
        - name
`);
    expect(mistakesIn(text)).toEqual([
      [11, 'spec.targets[0].template.packageContext.data must not contain the key "name"'],
      [19, 'spec.targets[0].template.packageContext.removeKeys must not contain the key "name"'],
      [14, 'spec.targets[0].template.packageContext.dataExprs must not contain the key "package-path"'],
    ]);
  });
});

describe('numbers that no revision can have', () => {
  test.each([
    ['PackageVariant', '    revision: 0\n', [[8, never(0)]]],
    ['PackageVariant', '    revision: v0\n', [[8, never(0)]]],
    ['PackageVariant', '    workspaceName: main\n    revision: 0\n', [[9, never(0)]]],
    ['PackageVariant', '    revision: -2\n', [[8, never(-2)]]],
    ['PackageVariantSet', '    revision: 0\n    workspaceName: main\n', [[8, never(0)]]],
    ['PackageVariantSet', '    revision: -7\n', [[8, never(-7)]]],
    ['PackageVariant', '    revision: -1\n', []],
    ['PackageVariantSet', '    revision: v1.0.0\n', []],
  ])('%s with %j', (kind, upstream, expected) => {
    expect(mistakesIn(documentOf(kind, upstream))).toEqual(expected);
  });

  test("a set without a workspace is refused in Porch's words, at the line of the number", () => {
    expect(mistakesIn(documentOf('PackageVariantSet', '    revision: 0\n'))).toEqual([
      [8, 'either spec.upstream.revision or spec.upstream.workspaceName must be specified'],
    ]);
  });
});

describe('targets whose variants would have one name', () => {
  test('are refused with both downstreams written out', () => {
    const two =
      '  - repositories: [{name: a-b, packageNames: [c]}]\n  - repositories: [{name: a, packageNames: [b-c]}]\n';
    expect(expanded(two)).toEqual({
      made: [{ repo: 'a-b', package: 'c' }],
      said: [
        'targets[0] generates s-a-b-c for a-b:c, and targets[1] generates the same name for a:b-c: the first counts; put the second into a set of another name',
      ],
    });
  });

  test('and so is a downstream that is asked for twice', () => {
    const twice = '  - repositories: [{name: a, packageNames: [c]}]\n'.repeat(2);
    expect(expanded(twice).said).toEqual([
      'targets[0] and targets[1] both generate s-a-c for a:c: the first counts',
    ]);
  });
});

describe('injection points', () => {
  test('that are wrong are all named: empty, without a value, nameless, and beside files that cannot be read', () => {
    const said = wrongIn({
      'a.yaml': `${point('a', '""')}---\n${point('b', '')}---\n${point('c', 'Required')}---\n${point('""', 'required')}`,
      'b.yaml': '- 1\n',
      'c.yaml': point('d', 'maybe'),
      'd.yaml': point('e', 'required'),
    });
    expect(said).toBe(
      `errors in injection points: ${[
        invalid('a.yaml', 'a', ''),
        invalid('a.yaml', 'b', ''),
        invalid('a.yaml', 'c', 'Required'),
        'a.yaml: ConfigMap/ has "kpt.dev/config-injection" and lacks kind or metadata.name',
        invalid('c.yaml', 'd', 'maybe'),
        'b.yaml: failed to extract objects: a document is not a map',
      ].join(', ')}`,
    );
  });

  test('of one kind and name are paired with the one before, wrong ones too, as Porch pairs them', () => {
    const said = wrongIn({
      'a.yaml': point('x', 'optional'),
      'b.yaml': point('x', 'maybe'),
      'c.yaml': point('x', 'required'),
    });
    expect(said).toBe(
      `errors in injection points: ${[invalid('b.yaml', 'x', 'maybe'), double('a.yaml', 'b.yaml'), double('b.yaml', 'c.yaml')].join(', ')}`,
    );
  });
});
