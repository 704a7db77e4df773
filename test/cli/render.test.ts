import { existsSync, readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

import { portico, scratch } from './run-portico.ts';

const KPTFILE = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
pipeline:
  mutators:
  - image: set-namespace:v0.4
    configMap: {namespace: shop}
`;
const SERVICE = 'apiVersion: v1 # core\nkind: Service\n\nmetadata:\n    name: web\n    namespace: old\n';
const PACKAGE = { 'p/Kptfile': KPTFILE, 'p/service.yaml': SERVICE, 'p/README.md': '#\n' };
const EXEC = KPTFILE.replace('image: set-namespace:v0.4', 'exec: sed s/old/new/').replace(
  / {4}configMap.*\n/,
  '',
);
const FAILING = KPTFILE.replace('image: set-namespace:v0.4', 'image: no-such-function:v9');

/** A guardrail whose configuration is in a file of that name. */
function configured(name: string): Record<string, string> {
  return {
    ...PACKAGE,
    '.github/portico.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: { name: x }
spec:
  guardrails:
    validators:
    - { name: no-namespace, image: starlark:v0.4, configPath: policy/${name} }
`,
  };
}

describe('render', () => {
  test('in place, only the lines that change', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const { code, stdout } = await portico(['render', 'p', '--results', 'results.yaml'], {
      cwd: dir.path('.'),
    });
    expect([code, stdout]).toEqual([0, 'changed p/service.yaml\n']);
    expect(dir.read('p')).toEqual({
      Kptfile: KPTFILE,
      'README.md': '#\n',
      'service.yaml': SERVICE.replace('old', 'shop'),
    });
    expect(parse(readFileSync(dir.path('results.yaml'), 'utf8'))).toMatchObject({
      apiVersion: 'kpt.dev/v1',
      kind: 'FunctionResultList',
      exitCode: 0,
    });
  });

  test('to a new directory, the whole package; the input stays', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const { code, stdout } = await portico(['render', dir.path('p'), '--output', dir.path('out'), '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      changed: ['service.yaml'],
      runs: [{ exitCode: 0 }],
    });
    expect(dir.read('p')['service.yaml']).toBe(SERVICE);
    expect(Object.keys(dir.read('out'))).toEqual(['Kptfile', 'README.md', 'service.yaml']);
    expect((await portico(['render', dir.path('p'), '--output', dir.path('out')])).code).toBe(64);
  });

  test('a failed function writes nothing but the results, and ends in 1', async () => {
    using dir = scratch();
    dir.write({ ...PACKAGE, 'p/Kptfile': FAILING });
    const args = [
      'render',
      dir.path('p'),
      '--output',
      dir.path('out'),
      '--results',
      dir.path('r.yaml'),
      '--json',
    ];
    const { code, stdout, stderr } = await portico(args);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ ok: false });
    expect(stderr).toMatch(/\[FAIL\] no-such-function:v9/);
    expect(stderr).toContain('with --config .github/portico.yaml');
    expect(existsSync(dir.path('out'))).toBe(false);
    expect(parse(readFileSync(dir.path('r.yaml'), 'utf8'))).toMatchObject({
      kind: 'FunctionResultList',
      exitCode: 1,
    });
  });

  test('programs run only when they are allowed to', async () => {
    using dir = scratch();
    dir.write({ ...PACKAGE, 'p/Kptfile': EXEC });
    const refused = await portico(['render', dir.path('p')]);
    expect([refused.code, dir.read('p')['service.yaml']]).toEqual([1, SERVICE]);
    expect(refused.stderr).toContain('On the command line, add --allow-exec');
    const allowed = await portico(['render', dir.path('p'), '--allow-exec']);
    expect([allowed.code, dir.read('p')['service.yaml']]).toEqual([0, SERVICE.replace('old', 'new')]);
  });

  test('guardrails of the repository run after the pipeline', async () => {
    using dir = scratch();
    dir.write({
      ...PACKAGE,
      '.github/portico.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: { name: x }
spec:
  guardrails:
    mutators: [{ name: team, image: set-labels:v0.2, configMap: { team: orders }, paths: [p] }]
`,
    });
    expect(
      (await portico(['render', dir.path('p'), '--config', dir.path('.github/portico.yaml')])).code,
    ).toBe(0);
    expect(parse(dir.read('p')['service.yaml']!)).toMatchObject({
      metadata: { namespace: 'shop', labels: { team: 'orders' } },
    });
  });

  test.each<[string, Record<string, string>, number, RegExp]>([
    ['no Kptfile', { 'p/a.yaml': SERVICE }, 65, /there is no Kptfile/],
    ['a broken Kptfile', { 'p/Kptfile': 'a: [\n' }, 65, /Kptfile/],
    ['broken YAML', { ...PACKAGE, 'p/bad.yaml': 'a: [\n' }, 65, /bad\.yaml/],
  ])('%s', async (_, files, exit, message) => {
    using dir = scratch();
    dir.write(files);
    const { code, stderr } = await portico(['render', dir.path('p')]);
    expect(code).toBe(exit);
    expect(stderr).toMatch(message);
  });

  test('policies of the configuration and of documents beside it judge, on the line', async () => {
    using dir = scratch();
    dir.write({
      'team/web/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n',
      'team/web/pod.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: a\n    image: nginx\n',
      '.github/portico.yaml': `apiVersion: config.portico.dev/v1alpha1
kind: Repository
metadata: { name: r }
spec:
  guardrails:
    validators:
    - { name: latest, policy: no-latest-images }
    - { name: team, cel: "package.path == 'team/web'" }
    - { name: name, cel: object.metadata.name != 'web', message: not web, mode: warn }
    - { name: file, policyPath: named.yaml, params: { kind: Pod } }
    - { name: schema, image: kubeconform:v0.1, crds: [{ path: crds/ }, { repo: acme/crds }] }
`,
      'crds/dots.yaml':
        'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: dots.x.io }\n' +
        'spec: { group: x.io, names: { kind: Dot }, versions: [{ name: v1, schema: { openAPIV3Schema: { required: [size] } } }] }\n',
      'team/web/dot.yaml': 'apiVersion: x.io/v1\nkind: Dot\nmetadata: { name: web }\n',
      'named.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: kinds }
spec: { validations: [{ expression: object.kind != params.kind, message: no pods }] }
`,
      '.github/portico/rule.yaml': `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: rule }
spec: { validations: [{ expression: has(object.spec.nodeName), message: no node }] }
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: bound }
spec: { policyName: rule, validationActions: [Deny] }
`,
    });
    const { code, stderr } = await portico(['check', 'web', '--config', '../.github/portico.yaml'], {
      cwd: dir.path('team'),
    });
    expect(code).toBe(1);
    // From where one stands, so that a terminal opens it.
    expect(stderr).toMatch(/^web\/pod\.yaml:8: error: the image nginx has no tag/m);
    expect(stderr).toMatch(/^web\/pod\.yaml:4: warning: not web \[name\]$/m);
    // What is only warned of has not failed.
    expect(stderr).toMatch(/^\[WARN\] .*\(guardrail name\)$/m);
    expect(stderr).toMatch(/^\[FAIL\] .*\(guardrail file\)$/m);
    expect(stderr).toContain('pod.yaml:2: error: no pods [file]');
    expect(stderr).toContain('pod.yaml:5: error: no node [bound]');
    expect(stderr).not.toContain('[team]');
    expect(stderr).toContain("dot.yaml:1: error: missing property 'size' [schema]");
    expect(stderr).toContain('definitions in acme/crds are not read on the command line');
  });

  test('a guardrail takes its configuration from a file of the repository, and says where there is none', async () => {
    using dir = scratch();
    dir.write({
      ...configured('rules.yaml'),
      'policy/rules.yaml':
        'apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata: { name: rules }\nsource: fail("read from the file")\n',
    });
    const check = () => portico(['check', 'p', '--config', '.github/portico.yaml'], { cwd: dir.path('.') });
    const read = await check();
    expect(read.code).toBe(1);
    expect(read.stderr).toContain('read from the file');
    dir.write(configured('absent.yaml'));
    const missing = await check();
    expect(missing.code).toBe(65);
    expect(missing.stderr).toContain('policy/absent.yaml cannot be read');
    expect(missing.stderr).toContain('configPath, which is relative to the root of the repository');
  });

  test('a mistake in the configuration is told with its line', async () => {
    using dir = scratch();
    dir.write({
      ...PACKAGE,
      'portico.yaml':
        'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nmetadata: { name: x }\nspec:\n  guardrail: {}\n',
    });
    const { code, stderr } = await portico(['render', 'p', '--config', 'portico.yaml'], {
      cwd: dir.path('.'),
    });
    expect(code).toBe(65);
    expect(stderr).toMatch(/portico\.yaml:5: /);
  });
});

describe('check', () => {
  test('a package that is not rendered, and one that is', async () => {
    using dir = scratch();
    dir.write(PACKAGE);
    const before = await portico(['check', dir.path('p'), '--json']);
    expect([before.code, dir.read('p')['service.yaml']]).toEqual([1, SERVICE]);
    expect(JSON.parse(before.stdout)).toMatchObject({ ok: false, changed: ['service.yaml'] });
    expect(before.stderr).toContain('Run: portico render');
    await portico(['render', dir.path('p')]);
    const again = await portico(['render', dir.path('p')]);
    expect([again.code, again.stdout]).toEqual([0, '']);
    expect(again.stderr).toContain('Nothing changed.\n');
    expect(await portico(['check', dir.path('p')])).toMatchObject({
      code: 0,
      stdout: 'The package is valid and rendered.\n',
    });
  });

  test('what kpt would refuse in a Kptfile', async () => {
    using dir = scratch();
    dir.write({
      ...PACKAGE,
      'p/Kptfile': `${KPTFILE}unknownField: 1\n`,
      'p/service.yaml': SERVICE.replace('old', 'shop'),
    });
    const { code, stderr } = await portico(['check', dir.path('p')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Kptfile.*unknownField/);
  });
});

describe('eval', () => {
  test('one function on a package, chosen resources only', async () => {
    using dir = scratch();
    dir.write({ ...PACKAGE, 'p/other.yaml': SERVICE.replace('Service', 'Secret') });
    const args = ['eval', 'p', '-i', 'set-labels:v0.2', '--match-kind', 'Service', '--', 'team=a=b'];
    const { code, stdout } = await portico(args, { cwd: dir.path('.') });
    expect([code, stdout]).toEqual([0, 'changed p/service.yaml\n']);
    expect(parse(dir.read('p')['service.yaml']!)).toMatchObject({ metadata: { labels: { team: 'a=b' } } });
    expect(dir.read('p')['other.yaml']).toBe(SERVICE.replace('Service', 'Secret'));
  });

  test('a functionConfig from a file, and the result in a new directory', async () => {
    using dir = scratch();
    dir.write({
      ...PACKAGE,
      'config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  namespace: here\n',
    });
    const args = [
      'eval',
      dir.path('p'),
      '-i',
      'set-namespace:v0.4',
      '--fn-config',
      dir.path('config.yaml'),
      '-o',
      dir.path('out'),
    ];
    expect((await portico(args)).code).toBe(0);
    expect(parse(dir.read('out')['service.yaml']!)).toMatchObject({ metadata: { namespace: 'here' } });
    expect(dir.read('p')['service.yaml']).toBe(SERVICE);
  });

  test('eval refuses a functionConfig file that holds two documents, and changes nothing', async () => {
    using dir = scratch();
    const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\ndata:\n  namespace: here\n';
    dir.write({ ...PACKAGE, 'config.yaml': `${config}---\n${config}` });
    const args = ['eval', dir.path('p'), '-i', 'set-namespace:v0.4', '--fn-config', dir.path('config.yaml')];
    const done = await portico(args);
    expect(done.code).not.toBe(0);
    expect(done.stderr).toContain('config.yaml holds 2 documents');
    expect(dir.read('p')['service.yaml']).toBe(SERVICE);
  });

  const LIST = `apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1 # core
  kind: Service
  metadata:
    name: web
- apiVersion: v1
  kind: Secret
  metadata: {name: s}
`;

  test('a ResourceList from stdin to stdout, comments kept', async () => {
    const args = ['eval', '-', '-i', 'set-labels:v0.2', '--exclude-kind', 'Secret', '--', 'team=orders'];
    const { code, stdout } = await portico(args, { input: LIST });
    expect(code).toBe(0);
    expect(stdout).toContain('- apiVersion: v1 # core\n');
    expect(stdout).not.toContain('kpt-resource-id');
    const { items } = parse(stdout) as { items: { metadata: object }[] };
    expect(items.map(({ metadata }) => metadata)).toEqual([
      { name: 'web', labels: { team: 'orders' } },
      { name: 's' },
    ]);
  });

  test('resources from stdin in a row', async () => {
    const input = `${SERVICE}---\n${SERVICE.replace('Service', 'Secret')}`;
    const { code, stdout } = await portico(['eval', '-', '-i', 'set-namespace:v0.4', '--', 'namespace=n1'], {
      input,
    });
    expect([code, stdout]).toEqual([0, input.replaceAll('old', 'n1')]);
  });

  test('a program as function', async () => {
    const { code, stdout } = await portico(['eval', '-', '--exec', 'sed s/web/api/'], { input: LIST });
    expect(code).toBe(0);
    expect(parseAllDocuments(stdout)[0]?.getIn(['items', 0, 'metadata', 'name'])).toBe('api');
  });

  test('a failure writes nothing to stdout', async () => {
    expect(await portico(['eval', '-', '-i', 'nope:v1'], { input: LIST })).toMatchObject({
      code: 1,
      stdout: '',
    });
    expect(await portico(['eval', '-', '-i', 'set-labels:v0.2'], { input: 'a: [' })).toMatchObject({
      code: 65,
      stdout: '',
    });
    expect(
      await portico(['eval', '-', '-i', 'set-labels:v0.2'], { input: 'kind: ResourceList\n' }),
    ).toMatchObject({ code: 65 });
  });
});
