import { describe, expect, test } from 'vitest';

import { kptfile, render, textsOf } from '../../package/render/support.ts';
import { head, runBuiltin } from './run-builtin.ts';

const config = (replacements: string): string =>
  `apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\nmetadata: {name: c}\nreplacements:\n${replacements}`;

describe('apply-replacements', () => {
  const source = head('v1', 'ConfigMap', 'src', 'data:\n  port: "8080"\n  host: example.com\n');
  const target = head(
    'v1',
    'Pod',
    'dst',
    'spec:\n  containers:\n  - name: a\n    image: nginx:1.0\n    port: 80 # of a\n  - name: b\n    image: redis:2.0\n',
  );
  const run = (replacement: string, image = 'apply-replacements:v0.1.5') =>
    runBuiltin(image, config(replacement), `${source}---\n${target}`);
  const from = '- source: {kind: ConfigMap, fieldPath: data.port}\n  targets:\n  - select: {kind: Pod}\n';

  test.each([
    [
      'an item by name',
      `${from}    fieldPaths: ["spec.containers.[name=a].port"]\n`,
      target.replace('80 #', '8080 #'),
    ],
    [
      'all items',
      `${from}    fieldPaths: ["spec.containers.*.image"]\n`,
      target.replace(/nginx:1.0|redis:2.0/g, '"8080"'),
    ],
    [
      'part of a value',
      `${from}    fieldPaths: ["spec.containers.1.image"]\n    options: {delimiter: ":", index: 1}\n`,
      target.replace('redis:2.0', 'redis:8080'),
    ],
    [
      'nothing that is rejected',
      `${from}    reject: [{name: dst}]\n    fieldPaths: ["spec.containers.0.port"]\n`,
      target,
    ],
    [
      'a field that is made',
      `${from}    fieldPaths: ["metadata.annotations.[a.b/c]"]\n    options: {create: true}\n`,
      target.replace('name: dst\n', 'name: dst\n  annotations:\n    a.b/c: 8080\n'),
    ],
  ])('sets %s', async (_name, replacement, wanted) =>
    expect((await run(replacement)).text).toBe(`${source}---\n${wanted}`),
  );

  test('a string stays one in the newest release', async () => {
    const { text } = await run(
      `${from}    fieldPaths: ["metadata.labels.port"]\n    options: {create: true}\n`,
      'apply-replacements',
    );
    expect(text).toContain('    port: "8080"\n');
  });

  test('in the newest release the quotes of a string come along, and a value of the configuration is its text', async () => {
    const { text } = await run(
      [
        '- source: {kind: ConfigMap, fieldPath: data.port}\n  targets: [{select: {kind: Pod}, fieldPaths: [spec.containers.0.image]}]\n',
        '- source: {kind: Pod, fieldPath: metadata.name}\n  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.port]}]\n',
        '- sourceValue: "81"\n  targets: [{select: {kind: Pod}, fieldPaths: [spec.containers.0.port]}]\n',
      ].join(''),
      'apply-replacements',
    );
    expect(text).toContain('    image: "8080"\n    port: 81 # of a\n');
    expect(text).toContain('  port: "dst"\n');
  });

  test.each([
    [
      '- source: {kind: Secret}\n  targets: [{select: {kind: Pod}}]\n',
      'nothing selected by Secret.[noVer].[noGrp]/[noName].[noNs]:metadata.name',
    ],
    [
      '- source: {version: v1}\n  targets: [{select: {kind: Pod}}]\n',
      'multiple matches for selector [noKind].v1.[noGrp]/[noName].[noNs]:metadata.name',
    ],
    [`${from}    fieldPaths: ["spec.none"]\n`, 'unable to find field "spec.none" in replacement target'],
    [
      '- source: {kind: Pod, fieldPath: "spec.containers.*.name"}\n  targets: [{select: {kind: Pod}}]\n',
      'error looking up replacement source: wildcard is not supported in PathGetter',
    ],
    [
      '- source: {kind: Pod, fieldPath: spec.none}\n  targets: [{select: {kind: Pod}}]\n',
      'fieldPath `spec.none` is missing for replacement source Pod.[noVer].[noGrp]/[noName].[noNs]:spec.none',
    ],
  ])('fails on %j', async (replacement, message) => {
    const { output, messages } = await run(replacement);
    expect(output.exitCode).toBe(1);
    expect(messages).toEqual([message]);
  });
});

describe('search-replace', () => {
  const text = head('v1', 'X', 'web-dev', 'spec:\n  a: [x, y]\n  b:\n  - c: dev\n  d: 3\n');
  test.each([
    [{ 'by-value': 'dev', 'put-value': 'prod' }, text.replace('c: dev', 'c: prod')],
    [{ 'by-value-regex': '(.*)-dev', 'put-value': '${1}-prod' }, text.replace('web-dev', 'web-prod')],
    [{ 'by-path': 'spec.b[*].c', 'put-value': '1' }, text.replace('c: dev', 'c: 1')],
    [{ 'by-path': '**.d', 'put-comment': 'kpt-set: ${d}' }, text.replace('d: 3', 'd: 3 # kpt-set: ${d}')],
    [{ 'by-path': 'spec.new.field', 'put-value': 'x' }, `${text}  new:\n    field: x\n`],
    [
      { 'by-path': 'spec.a', 'put-comment': 'kpt-set: ${a}' },
      text.replace('a: [x, y]\n', 'a: # kpt-set: ${a}\n  - x\n  - y\n'),
    ],
    [
      { 'by-value': 'y', 'put-comment': 'kpt-set: ${y}' },
      text.replace('a: [x, y]\n', 'a:\n  - x\n  - y # kpt-set: ${y}\n'),
    ],
    [{ 'by-path': 'spec.*.c', 'put-value': '1' }, text],
  ])('%j', async (config, wanted) =>
    expect((await runBuiltin('search-replace:v0.2', config, text)).text).toBe(wanted),
  );

  test.each(['create-setters:v0.1', 'search-replace:v0.2'])(
    '%s writes each comment that it reports, also into maps in flow style',
    async (image) => {
      const config = image.startsWith('create')
        ? { name: 'web' }
        : { 'by-value': 'web', 'put-comment': 'kpt-set: ${name}' };
      const flow = head('v1', 'X', 'a', 'spec:\n  m: {app: web}\n  ports: [{port: 80, name: web}]\n');
      const { text: commented, messages } = await runBuiltin(image, config, flow);
      expect(commented.split('web # kpt-set: ${name}\n')).toHaveLength(messages.length + 1);
      expect(messages).toHaveLength(2);
      const { text: applied } = await runBuiltin('apply-setters:v0.2', { name: 'api' }, commented);
      expect(applied).toBe(commented.replaceAll('web #', 'api #'));
    },
  );

  test.each([
    [{ 'by-value': 'a', 'by-value-regex': 'b' }, 'only one of'],
    [{ wrong: 'a' }, 'invalid matcher'],
    [{ 'by-value-regex': 'dev', 'put-value': '${1}' }, 'unable to resolve capture groups'],
  ])('refuses %j', async (config, message) => {
    const { output, messages } = await runBuiltin('search-replace:v0.2', config, text);
    expect(output.exitCode).toBe(1);
    expect(messages[0]).toContain(message);
  });
});

test('set-enforcement-action sets constraints only', async () => {
  const text = `${head('constraints.gatekeeper.sh/v1beta1', 'NoRoot', 'a', 'spec:\n  enforcementAction: deny\n')}---\n${head('v1', 'X', 'b')}`;
  const { text: after, messages } = await runBuiltin(
    'set-enforcement-action:v0.1',
    { enforcementAction: 'warn' },
    text,
  );
  expect(after).toBe(text.replace('deny', 'warn'));
  expect(messages).toEqual(['Number of policies set to [warn]: 1', 'Policy name: [a]']);
});

describe('functions that add and remove resources', () => {
  test('remove-local-config-resources takes documents out, and files with them', async () => {
    const local = head('v1', 'X', 'l', '  annotations:\n    config.kubernetes.io/local-config: "TRUE"\n');
    const pipeline = '  mutators:\n  - image: remove-local-config-resources:v0.1\n';
    const texts = {
      Kptfile: kptfile('a', pipeline),
      'mixed.yaml': `# first\n${head('v1', 'X')}---\n# local\n${local}`,
      'local.yaml': local,
    };
    const result = await render(texts);
    expect(result.changed).toEqual(['local.yaml', 'mixed.yaml']);
    expect(textsOf(result.files)).toEqual({
      Kptfile: texts.Kptfile,
      'mixed.yaml': `# first\n${head('v1', 'X')}`,
    });
  });

  test('but no function may take the Kptfile', async () => {
    const pipeline = '  mutators:\n  - image: remove-local-config-resources:v0.1\n';
    const result = await render({
      Kptfile: kptfile('a', pipeline, { 'config.kubernetes.io/local-config': 'true' }),
    });
    expect(result.ok).toBe(false);
    expect(result.findings.at(-1)?.message).toContain('exclude: [{ kind: Kptfile }]');
  });

  test('upsert-resource replaces a resource in its place and adds what is not there', async () => {
    const pipeline =
      '  mutators:\n  - image: upsert-resource:v0.2\n    configPath: wanted.yaml\n    selectors: [{ kind: Service }]\n';
    const wanted = head(
      'v1',
      'Service',
      'web',
      '  annotations:\n    config.kubernetes.io/local-config: "true"\nspec:\n  port: 2\n',
    );
    const old = `# kept\n${head('v1', 'Service', 'web', 'spec:\n  port: 1 # changes\n')}`;
    const result = await render({ Kptfile: kptfile('a', pipeline), 'wanted.yaml': wanted, 'svc.yaml': old });
    expect(result.ok).toBe(true);
    expect(textsOf(result.files)['svc.yaml']).toBe(
      `# kept\n${head('v1', 'Service', 'web', 'spec:\n  port: 2 # changes\n  annotations'.replace('\n  annotations', '\n'))}`.replace(
        'name: web\n',
        'name: web\n  annotations:\n    config.kubernetes.io/local-config: "true"\n',
      ),
    );
  });

  test('gen-pkg-context makes the context of the package that runs it', async () => {
    const pipeline = '  mutators:\n  - image: builtins/gen-pkg-context\n';
    const first = await render({ Kptfile: kptfile('shop', pipeline), 'sub/Kptfile': kptfile('sub') });
    expect(first.changed).toEqual(['package-context.yaml']);
    expect(textsOf(first.files)['package-context.yaml']).toBe(
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: kptfile.kpt.dev\n  annotations:\n    config.kubernetes.io/local-config: "true"\ndata:\n  name: shop\n',
    );
    const { files } = first;
    const again = await render(textsOf(files));
    expect(again.changed).toEqual([]);
  });
});
