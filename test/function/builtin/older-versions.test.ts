import { describe, expect, test } from 'vitest';

import { head, runBuiltin } from './run-builtin.ts';

const deployment = (image: string): string =>
  head(
    'apps/v1',
    'Deployment',
    'a',
    `spec:\n  template:\n    spec:\n      containers:\n      - image: ${image}\n`,
  );

describe('set-namespace v0.1 and v0.2', () => {
  test.each(['set-namespace:v0.1', 'gcr.io/kpt-fn/set-namespace:v0.2.3'])(
    '%s gives all that is not cluster-wide the namespace, local configuration too',
    async (image) => {
      const local = head(
        'v1',
        'ConfigMap',
        'l',
        '  annotations:\n    config.kubernetes.io/local-config: "true"\n',
      );
      const input = [
        head('example.com/v1', 'Custom'),
        local,
        head('v1', 'Namespace', 'old'),
        head('v1', 'Node'),
      ];
      const { text, messages } = await runBuiltin(image, { namespace: 'new' }, input.join('---\n'));
      const wanted = [
        head('example.com/v1', 'Custom', 'a', '  namespace: new\n'),
        `${local}  namespace: new\n`,
        head('v1', 'Namespace', 'new'),
        head('v1', 'Node'),
      ];
      expect(text).toBe(wanted.join('---\n'));
      expect(messages).toEqual([]);
    },
  );

  test('moves subjects named default, and those that are accounts of the package', async () => {
    const subjects = ['default', 'mine', 'other']
      .map((name) => `- kind: ServiceAccount\n  name: ${name}\n`)
      .join('');
    const binding = head('rbac.authorization.k8s.io/v1', 'ClusterRoleBinding', 'b', `subjects:\n${subjects}`);
    const input = `${head('v1', 'ServiceAccount', 'mine')}---\n${binding}`;
    const { text } = await runBuiltin('set-namespace:v0.1', { namespace: 'new' }, input);
    expect(text).toContain('name: default\n  namespace: new\n');
    expect(text).toContain('name: mine\n  namespace: new\n- kind');
    expect(text.endsWith('name: other\n')).toBe(true);
  });

  test('leaves Kptfiles and functions alone', async () => {
    const input = `${head('kpt.dev/v1', 'Kptfile')}---\n${head('fn.kpt.dev/v1alpha1', 'SetNamespace')}`;
    expect((await runBuiltin('set-namespace:v0.1', { namespace: 'new' }, input)).text).toBe(input);
  });
});

function inOld(kind: string, name: string, space = 'old'): string {
  return head('v1', kind, name, `  namespace: ${space}\n`);
}

describe('set-namespace v0.3', () => {
  test.each([
    [
      'one namespace is replaced',
      inOld('Service', 'a'),
      'namespace "old" updated to "new", 1 value(s) changed',
    ],
    [
      'it is there already',
      inOld('Service', 'a', 'new'),
      'all namespaces are already "new". no value changed',
    ],
    [
      'two are a mistake',
      `${inOld('Service', 'a')}---\n${inOld('Service', 'b', 'other')}`,
      'all namespace-scoped resources should be under the same namespace or shown in previous namespaces. Found different namespaces: "old,other" ',
    ],
    [
      'none is a mistake',
      head('v1', 'Service'),
      'could not find any namespace fields to update. This function requires at least one of Namespace objects or namespace-scoped resources to have their namespace field set.',
    ],
  ])('%s', async (_what, input, message) => {
    const { output, messages } = await runBuiltin('set-namespace:v0.3', { namespace: 'new' }, input);
    expect([output.exitCode, messages]).toEqual([0, [message]]);
  });

  test('a Namespace says which one is meant, and depends-on follows', async () => {
    const note = '  annotations:\n    config.kubernetes.io/depends-on: /namespaces/old/Service/a\n';
    const input = [
      head('v1', 'Namespace', 'old'),
      inOld('Service', 'a'),
      inOld('Service', 'b', 'other'),
      head('v1', 'ConfigMap', 'c', `  namespace: old\n${note}`),
    ].join('---\n');
    const { text, messages } = await runBuiltin('set-namespace:v0.3.4', { namespace: 'new' }, input);
    expect(messages).toEqual(['namespace "old" updated to "new", 3 value(s) changed']);
    expect(text).toContain('/namespaces/new/Service/a');
    expect(text).toContain('namespace: other');
    expect(text).not.toContain('old');
  });
});

test('set-labels v0.1 sets labels where selectors and affinity hold some, and takes local configuration along', async () => {
  const policy = head(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    'a',
    'spec:\n  podSelector:\n    matchLabels:\n      app: x\n',
  );
  const { text, output } = await runBuiltin('set-labels:v0.1', { team: 'x' }, policy);
  expect(text).toContain('  labels:\n    team: x\n');
  expect(text).toContain('      app: x\n      team: x\n');
  expect(output.results).toEqual([]);
  const none = await runBuiltin(
    'set-labels:v0.1',
    'apiVersion: fn.kpt.dev/v1alpha1\nkind: SetLabels\nmetadata: {name: c}\n',
    policy,
  );
  expect(none.messages).toEqual(['failed to configure function: input label list cannot be empty']);
});

describe('set-image v0.1.1', () => {
  test.each<[Record<string, string>, string, string]>([
    [{ newTag: 'v2' }, 'nginx:v1', 'nginx:v2'],
    [{ newName: 'other/nginx' }, 'nginx:v1', 'other/nginx:v1'],
    [{ newTag: 'v2', digest: 'sha256:ab' }, 'nginx:v1', 'nginx@sha256:ab'],
  ])('%j makes %s %s, and tells the change', async (wanted, before, after) => {
    const { text, output } = await runBuiltin(
      'set-image:v0.1.1',
      { name: 'nginx', ...wanted },
      deployment(before),
    );
    expect(text).toBe(deployment(after));
    expect(output.results).toMatchObject([
      {
        message: `set image from ${before} to ${after}`,
        field: { path: 'spec.template.spec.containers.image', currentValue: before, proposedValue: after },
      },
    ]);
  });

  test('is not what v0.1 means today', async () => {
    const { messages } = await runBuiltin(
      'set-image:v0.1',
      { name: 'nginx', newTag: 'v2' },
      deployment('nginx:v1'),
    );
    expect(messages).toEqual(['summary: updated a total of 1 image(s)']);
  });
});

test('ensure-name-substring v0.1 leaves depends-on as it is', async () => {
  const note = '  annotations:\n    config.kubernetes.io/depends-on: /namespaces/default/Service/a\n';
  const input = `${head('v1', 'Service')}---\n${head('v1', 'ConfigMap', 'c', note)}`;
  const old = await runBuiltin('ensure-name-substring:v0.1', { prepend: 'p-' }, input);
  expect(old.text).toContain('depends-on: /namespaces/default/Service/a\n');
  const now = await runBuiltin('ensure-name-substring:v0.2', { prepend: 'p-' }, input);
  expect(now.text).toContain('depends-on: /namespaces/default/Service/p-a\n');
});
