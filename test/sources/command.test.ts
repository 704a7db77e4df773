import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { portico, scratch } from '../cli/run-portico.ts';
import { contentServer, sha256, tgz } from '../fetching/content-server.ts';

test('portico sources sync writes a BundleDeployment out, says what it did, and --locked finds what was changed', async () => {
  using dir = scratch();
  await using http = await contentServer();
  http.files.set(
    '/combo.tgz',
    tgz({ 'manifests/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n' }),
  );
  dir.write({
    'app/Kptfile': 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: { name: app }\n',
    'app/portico-sources.yaml': `apiVersion: core.rukpak.io/v1alpha2
kind: BundleDeployment
metadata: { name: combo }
spec:
  installNamespace: combo
  provisionerClassName: core-rukpak-io-plain
  source: { type: http, http: { url: "${http.url}/combo.tgz" } }
`,
  });
  const env = { INSIDE_HOSTS: `http://${http.host}` };
  const sync = async (...options: string[]) => {
    const { code, stdout, stderr } = await portico(['sources', 'sync', dir.path('app'), ...options], { env });
    return { code, said: options.includes('--json') ? JSON.parse(stdout) : stdout, stderr };
  };
  // What another run left staged, which it had not decided on.
  mkdirSync(dir.path('app/.portico-sync'));
  writeFileSync(dir.path('app/.portico-sync/0'), 'half');
  const made = await sync('--json');
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const resolved = `${http.url}/combo.tgz@sha256:${sha256(http.files.get('/combo.tgz')!)}`;
  const digest = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
  expect(made.said).toEqual({
    sources: [{ id: 'bundle', kind: 'http', resolved, treeDigest: digest, changed: true }],
    processors: [
      expect.objectContaining({
        processor: 'plain',
        out: 'rendered',
        inputDigest: digest,
        outputDigest: digest,
      }),
    ],
  });
  const state = dir.read('app');
  expect(Object.keys(state).filter((path) => path.startsWith('rendered/'))).toHaveLength(1);
  expect(state['portico-sources.lock.yaml']).toContain(made.said.processors[0].outputDigest);

  const rendered = Object.keys(state).find((path) => path.startsWith('rendered/')) ?? '';
  dir.write({ [`app/${rendered}`]: `${state[rendered] ?? ''}# mine\n` });
  symlinkSync('/etc/passwd', dir.path('app/bundle/link.yaml'));
  const checked = await sync('--locked');
  expect(checked.code).toBe(1);
  expect(checked.stderr).toContain('rendered is not what processors[0].plain makes');
  expect(checked.stderr).toContain('bundle/link.yaml is a symbolic link');
  expect(dir.read('app')[rendered]).toContain('# mine');

  http.files.delete('/combo.tgz');
  expect((await sync('--locked', '--update')).code).toBe(64);
});
