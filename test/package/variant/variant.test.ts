import { describe, expect, test } from 'vitest';

import { evaluateTemplate } from '../../../src/cel/template.ts';
import { expandSet, type ExpansionWorld } from '../../../src/package/variant/expand.ts';
import { mutatePackage, withVariantMetadata } from '../../../src/package/variant/mutate.ts';
import { readVariantDocuments } from '../../../src/package/variant/read-document.ts';
import { withVariantFunctions } from '../../../src/package/variant/variant-pipeline.ts';
import type { PackageVariant, ValidVariantSet } from '../../../src/package/variant/variant-types.ts';
import { worldOf } from './world.ts';

function variant(spec: PackageVariant['spec'], name = 'my-pv'): PackageVariant {
  return { kind: 'PackageVariant', metadata: { name, labels: {}, annotations: {} }, spec };
}

const published = {
  metadata: { name: 'up.foo.v1' },
  spec: { repository: 'up', packageName: 'foo', revision: 1, workspaceName: 'v1', lifecycle: 'Published' },
};

function setOf(text: string): ValidVariantSet {
  const [document] = readVariantDocuments(text).documents;
  if (document?.kind !== 'set') throw new Error(JSON.stringify(document));
  return document.set;
}

function repository(name: string, labels: object): object {
  return {
    apiVersion: 'config.porch.kpt.dev/v1alpha1',
    kind: 'Repository',
    metadata: { name, labels },
    spec: { git: { repo: `https://git.example.com/${name}.git` } },
  };
}

function worldWith(extra: object = {}): ExpansionWorld {
  return worldOf({
    packageRevisions: [published],
    repositories: [repository('edge-1', { zone: 'a' }), repository('edge-2', {})],
    ...extra,
  });
}

const head = 'apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: s}\n';

describe('reading documents', () => {
  test('every mistake has its line', () => {
    const text = `# two documents
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
---
apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariant
metadata:
  name: web
spec:
  upstream: {repo: a, package: b, revision: soon}
  downstream:
    repo: c
  injectors:
  - name: x
  - kind: Team
`;
    const { documents, problems } = readVariantDocuments(text);
    expect(problems).toEqual([]);
    expect(documents[0]).toMatchObject({ kind: 'object', line: 2 });
    expect(documents[1]).toMatchObject({
      kind: 'refused',
      document: 'PackageVariant',
      name: 'web',
      problems: [
        { line: 11, path: 'spec.upstream.revision' },
        { line: 12, message: 'missing required field spec.downstream.package' },
        { line: 16, message: 'spec.injectors[1].name must not be empty' },
      ],
    });
  });

  test.each([
    ['text that is no YAML', 'a: [', 1],
    ['a document without kind', 'metadata: {name: x}', 1],
    ['a version nobody knows', `---\n${head.replace('v1alpha2', 'v9')}spec: {}`, 2],
  ])('%s is a problem and no error', (_what, text, line) => {
    const { documents, problems } = readVariantDocuments(text);
    expect(documents).toEqual([]);
    expect(problems[0]?.line).toBe(line);
  });

  test('of a thousand mistakes the first hundred have their lines, and it is said that there are more', () => {
    const targets = Array.from({ length: 1_000 }, () => '  - 1').join('\n');
    const text = `apiVersion: config.porch.kpt.dev/v1alpha2\nkind: PackageVariantSet\nmetadata: {name: a}\nspec:\n  targets:\n${targets}\n`;
    const [document] = readVariantDocuments(text).documents;
    const messages = document?.kind === 'refused' ? document.problems.map(({ message }) => message) : [];
    expect(messages.length).toBeLessThan(120);
    expect(messages).toContain('More errors are not shown');
  });

  test('words such as y and no are texts where texts are asked for', () => {
    const { documents } = readVariantDocuments(
      `apiVersion: config.porch.kpt.dev/v1alpha1\nkind: PackageVariant\nmetadata: {name: w, labels: {y: no}}
spec: {upstream: {repo: a, package: on, revision: v2.1.0}, downstream: {repo: b, package: c}}`,
    );
    expect(documents[0]).toMatchObject({
      kind: 'variant',
      variant: {
        metadata: { labels: { y: 'no' } },
        spec: { upstream: { package: 'on', revision: 'v2.1.0' } },
      },
    });
  });

  test('names that Kubernetes would refuse are refused', () => {
    const [document] = readVariantDocuments(
      `${head.replace('name: s', 'name: "Web_1"')}spec: {targets: []}`,
    ).documents;
    expect(document).toMatchObject({
      kind: 'refused',
      problems: [{ path: 'metadata.name', line: 3 }, {}, {}],
    });
  });
});

describe('expansion', () => {
  test('one bad downstream leaves the others be', () => {
    const set = setOf(`${head}spec:
  upstream: {repo: up, package: foo, revision: v1}
  targets:
  - repositorySelector: {}
    template:
      labelExprs: [{key: zone, valueExpr: "repository.labels['zone']"}]
  - repositories: [{name: nowhere}]
    template: {adoptionPolicy: adoptNone}
`);
    const { variants, problems } = expandSet(set, worldWith());
    expect(variants.map(({ metadata, spec }) => [metadata.name, spec.labels])).toEqual([
      ['s-edge-1-foo', { zone: 'a' }],
    ]);
    expect(problems).toMatchObject([
      { reason: 'UnexpectedError', path: ['spec', 'targets', 0, 'template', 'labelExprs', 0, 'valueExpr'] },
      {
        message: 'repository "nowhere" could not be loaded',
        path: ['spec', 'targets', 1, 'template', 'downstream'],
      },
    ]);
  });

  test('a set of v1alpha1 asks for the same as one of v1alpha2', () => {
    const set = setOf(`apiVersion: config.porch.kpt.dev/v1alpha1
kind: PackageVariantSet
metadata: {name: s}
spec:
  upstream: {package: {repo: up, name: foo}, revision: v1}
  deletionPolicy: orphan
  targets:
  - package: {repo: edge-1, name: fixed}
  - repositories: {matchLabels: {zone: a}}
    packageName: {baseName: {value: base}, nameSuffix: {value: -x}}
  - objects:
      selectors: [{apiVersion: v1, kind: Team}]
      repoName: {value: edge-2}
    packageName: {baseName: {fromField: spec.code}}
`);
    const team = { apiVersion: 'v1', kind: 'Team', metadata: { name: 't' }, spec: { code: 'blue' } };
    const { variants, problems } = expandSet(set, worldWith({ objects: [team] }));
    expect(problems).toEqual([]);
    expect(variants.map(({ spec }) => spec.downstream)).toEqual([
      { repo: 'edge-1', package: 'base-x' },
      { repo: 'edge-1', package: 'fixed' },
      { repo: 'edge-2', package: 'blue' },
    ]);
    expect(variants[0]?.spec.deletionPolicy).toBe('orphan');
  });

  test.each([
    ['1 + 1', 'instead of a string'],
    ['badvar', "undeclared reference to 'badvar'"],
    ["'a'.lowerAscii()", "undeclared reference to 'lowerAscii'"],
    ['repository.name', 'no such attribute(s): repository'],
    ['[1,2].map(a, [1,2].map(b, [1,2].map(c, c)))', 'loops more than'],
    [`'${'a'.repeat(3000)}'`, 'longer than'],
    ["'aaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('(a+)+$') ? 'y' : nothing", 'nothing'],
    ["'x'.matches('(') ? 'a' : 'b'", ''],
  ])('the expression %s is a mistake', (expression, said) => {
    const answer = evaluateTemplate(expression, {});
    expect(answer).toMatchObject({
      ok: false,
      message: expect.stringContaining(said === 'nothing' ? '' : said),
    });
  });
});

test("mistakes in a set are told in Porch's words", () => {
  const text = `apiVersion: config.porch.kpt.dev/v1alpha2
kind: PackageVariantSet
metadata: {name: s}
spec:
  upstream: {repo: r, package: p, revision: 1}
  targets:
  - objectSelector: {apiVersion: '', kind: ''}
    template:
      downstream: {repo: a, repoExpr: "'b'", package: c, packageExpr: "'d'"}
`;
  const [document] = readVariantDocuments(text).documents;
  expect(
    document?.kind === 'refused' && document.problems.map(({ line, message }) => [line, message]),
  ).toEqual([
    [7, 'spec.targets[0].objectselector.apiVersion cannot be empty'],
    [7, 'spec.targets[0].objectselector.kind cannot be empty'],
    [9, 'spec.targets[0].template may specify only one of `downstream.repo` and `downstream.repoExpr`'],
    [9, 'spec.targets[0].template may specify only one of `downstream.package` and `downstream.packageExpr`'],
  ]);
});

describe('mutation', () => {
  const kptfile = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: web # the name
pipeline:
  mutators:
  # ours
  - image: set-labels:v0.2
    configMap: {app: web}
`;

  test('functions are prepended once, and taken out without a trace', () => {
    const pipeline = { mutators: [{ image: 'a:v1', name: 'one' }, { image: 'b:v1' }] };
    const once = withVariantFunctions(kptfile, 'my.pv', pipeline);
    expect(once).toBe(
      kptfile.replace(
        '  # ours',
        '  - name: PackageVariant.my.pv.one.0\n    image: a:v1\n  - name: PackageVariant.my.pv..1\n    image: b:v1\n  # ours',
      ),
    );
    expect(withVariantFunctions(once, 'my.pv', pipeline)).toBe(once);
    expect(withVariantFunctions(once, 'my.pv', undefined)).toBe(kptfile);
    expect(withVariantFunctions(once, 'pv', undefined)).toBe(once);
  });

  test('names of functions with dots do not pile up', () => {
    const pipeline = { mutators: [{ image: 'a:v1', name: 'set.labels' }] };
    const once = withVariantFunctions(kptfile, 'pv', pipeline);
    expect(withVariantFunctions(once, 'pv', pipeline)).toBe(once);
    // Nobody lists it any more: it may be of a variant `pv.set`.
    expect(withVariantFunctions(once, 'pv', undefined)).toBe(once);
    const other = withVariantFunctions(kptfile, 'pv.eu', { mutators: [{ image: 'a:v1', name: 'one' }] });
    expect(withVariantFunctions(other, 'pv', undefined)).toBe(other);
    expect(withVariantFunctions(other, 'pv.eu', undefined)).toBe(kptfile);
  });

  test.each([
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n',
      'does not contain resource named "kptfile.kpt.dev"',
    ],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kptfile.kpt.dev}\n', 'no data field found'],
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kptfile.kpt.dev}\ndata: {a: 1}\n',
      'invalid data field',
    ],
    ['a: [', 'failed to parse "package-context.yaml"'],
  ])('a package context of %j is refused', (text, said) => {
    const files = new Map(
      Object.entries({ Kptfile: kptfile, 'package-context.yaml': text }).map(([path, one]) => [
        path,
        { mode: '100644' as const, bytes: new TextEncoder().encode(one) },
      ]),
    );
    const context = { packageContext: { data: { a: 'b' } } };
    expect(mutatePackage(files, variant(context), [])).toMatchObject({
      ok: false,
      message: expect.stringContaining(said),
    });
    // One that asks for nothing needs no file.
    const nothing = variant({ packageContext: {} });
    if (said !== 'failed to parse "package-context.yaml"')
      expect(mutatePackage(files, nothing, [])).toEqual({ ok: true, value: files });
  });

  test('an object without the field that is injected leaves the value and says so', () => {
    const point = `apiVersion: e.com/v1
kind: Team
metadata: {name: t, annotations: {kpt.dev/config-injection: required}}
spec: {code: example}
`;
    const files = new Map(
      Object.entries({ Kptfile: kptfile, 'team.yaml': point }).map(([path, text]) => [
        path,
        { mode: '100644' as const, bytes: new TextEncoder().encode(text) },
      ]),
    );
    const inventory = worldOf({
      objects: [{ apiVersion: 'e.com/v1', kind: 'Team', metadata: { name: 'blue' } }],
    }).objects;
    const result = mutatePackage(files, variant({ injectors: [{ name: 'blue' }] }), inventory);
    if (!result.ok) throw new Error(result.message);
    expect(Buffer.from(result.value.get('team.yaml')!.bytes).toString()).toBe(point);
    expect(Buffer.from(result.value.get('Kptfile')!.bytes).toString()).toContain(
      'message: field "spec" not found in resource "blue"',
    );
  });

  test('labels and annotations go into the Kptfile', () => {
    const bytes = withVariantMetadata(new TextEncoder().encode(kptfile), {
      labels: { tier: 'edge' },
      annotations: {},
    });
    expect(Buffer.from(bytes).toString()).toBe(
      kptfile.replace('# the name\n', '# the name\n  labels:\n    tier: edge\n'),
    );
  });
});
