import { describe, expect, test } from 'vitest';

import { head, runBuiltin } from './run-builtin.ts';

const run = (text: string, config: Readonly<Record<string, string>> = { namespace: 'new' }) =>
  runBuiltin('set-namespace:v0.4', config, text);

describe('set-namespace', () => {
  test('moves what lives in a namespace and leaves the rest', async () => {
    const text = [
      head('v1', 'ConfigMap'),
      head('x.io/v1', 'Own', 'b', '  namespace: old\n'),
      head('x.io/v1', 'Wide', 'c'),
      head('v1', 'Namespace', 'old'),
      head(
        'rbac.authorization.k8s.io/v1',
        'ClusterRoleBinding',
        'd',
        'subjects:\n- kind: ServiceAccount\n  name: s\n  namespace: old\n- kind: User\n  name: u\n',
      ),
      head(
        'rbac.authorization.k8s.io/v1',
        'RoleBinding',
        'e',
        '  namespace: old\nsubjects:\n- kind: ServiceAccount\n  name: s\n  namespace: other\n',
      ),
      head('v1', 'Secret', 'f', '  annotations:\n    config.kubernetes.io/local-config: "true"\n'),
    ].join('---\n');
    const { text: after, messages } = await run(text);
    const expected = text
      .replace(
        'kind: ConfigMap\nmetadata:\n  name: a\n',
        'kind: ConfigMap\nmetadata:\n  name: a\n  namespace: new\n',
      )
      .replaceAll('namespace: old', 'namespace: new')
      .replace('kind: Namespace\nmetadata:\n  name: old', 'kind: Namespace\nmetadata:\n  name: new');
    expect(after).toBe(expected);
    expect(messages[0]).toBe('namespace [default old] updated to "new", 5 value(s) changed');
  });

  test('moves only what a matcher names', async () => {
    const text = `${head('v1', 'Secret', 'a', '  namespace: one\n')}---\n${head('v1', 'Secret', 'b', '  namespace: two\n')}`;
    expect((await run(text, { namespace: 'new', namespaceMatcher: 'one' })).text).toBe(
      text.replace('one', 'new'),
    );
  });

  test('depends-on follows a resource of the list', async () => {
    const text = `${head('v1', 'Secret', 'a', '  namespace: old\n  annotations:\n    config.kubernetes.io/depends-on: apps/namespaces/old/Deployment/b\n')}---\n${head('apps/v1', 'Deployment', 'b', '  namespace: old\n')}`;
    const { text: after, messages } = await run(text);
    expect(after).toBe(text.replaceAll('old', 'new'));
    expect(messages[1]).toBe('`depends-on` annotation namespace [old] updated to "new", 1 value(s) changed');
  });

  test.each([
    [undefined, 'FunctionConfig is missing. Expect `ConfigMap.v1` or `SetNamespace.v1alpha1.fn.kpt.dev`'],
    [{ name: 'x' }, '`data.namespace` should not be empty'],
  ])('refuses the configuration %j', async (config, message) => {
    const { output, messages } = await runBuiltin('set-namespace:v0.4', config, head('v1', 'Secret'));
    expect(output.exitCode).toBe(1);
    expect(messages).toEqual([message]);
  });

  test('a fault of the configuration is said of the configuration', async () => {
    const { output } = await runBuiltin('set-namespace:v0.4', { name: 'x' }, head('v1', 'Secret'));
    expect(output.results?.[0]?.resourceRef).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
  });
});

describe('set-image', () => {
  test.each([
    ['nginx:1.0', { newTag: '2.0' }, 'nginx:2.0'],
    ['nginx:1.0@sha256:ab', { newTag: '2.0' }, 'nginx:2.0'],
    ['nginx:1.0', { digest: 'sha256:cd' }, 'nginx@sha256:cd'],
    ['nginx:1.0', { newTag: '2', digest: 'sha256:cd' }, 'nginx:2@sha256:cd'],
    ['nginx', { newName: 'my/nginx' }, 'my/nginx'],
    ['nginx:1.0@sha256:ab', { newName: 'r:5000/nginx' }, 'r:5000/nginx:1.0@sha256:ab'],
    ['other:1.0', { newTag: '2.0' }, 'other:1.0'],
    ['my/nginx:1.0', { newTag: '2.0' }, 'my/nginx:1.0'],
  ])('%s with %j is %s', async (image, change, wanted) => {
    const text = head('v1', 'Pod', 'a', `spec:\n  initContainers:\n  - name: c\n    image: "${image}"\n`);
    expect(
      (await runBuiltin('set-image', { name: 'nginx', ...(change as Record<string, string>) }, text)).text,
    ).toBe(text.replace(image, wanted));
  });

  test('leaves Jobs alone, and refuses fields that it does not know', async () => {
    const job = head(
      'batch/v1',
      'Job',
      'a',
      'spec:\n  template:\n    spec:\n      containers:\n      - image: nginx\n',
    );
    expect((await runBuiltin('set-image', { name: 'nginx', newTag: '2' }, job)).text).toBe(job);
    const { output, messages } = await runBuiltin('set-image', { name: 'nginx', tag: '2' }, job);
    expect(output.exitCode).toBe(1);
    expect(messages[0]).toBe('ConfigMap has wrong field name tag');
  });
});

describe('ensure-name-substring', () => {
  test('renames, lets references follow, and does it once', async () => {
    const text = `${head('v1', 'ConfigMap', 'settings')}---
${head(
  'v1',
  'Pod',
  'web',
  `spec:
  volumes:
  - configMap:
      name: settings
  - configMap:
      name: others
  containers:
  - name: c
    envFrom:
    - configMapRef:
        name: settings
`,
)}---
${head('v1', 'Namespace', 'ns')}`;
    const once = await runBuiltin('ensure-name-substring', { prepend: 'prod-' }, text);
    expect(once.text).toBe(
      text.replaceAll('settings', 'prod-settings').replace('name: web', 'name: prod-web'),
    );
    expect((await runBuiltin('ensure-name-substring', { prepend: 'prod-' }, once.text)).text).toBe(once.text);
  });

  test('a role reference follows only its own kind', async () => {
    const binding = head(
      'rbac.authorization.k8s.io/v1',
      'RoleBinding',
      'b',
      'roleRef:\n  kind: ClusterRole\n  name: r\n',
    );
    const role = head('rbac.authorization.k8s.io/v1', 'Role', 'r');
    const { text } = await runBuiltin('ensure-name-substring', { append: '-x' }, `${binding}---\n${role}`);
    expect(text).toBe(
      `${binding.replace('name: b', 'name: b-x')}---\n${role.replace('name: r', 'name: r-x')}`,
    );
  });
});
