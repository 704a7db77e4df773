import { spawnSync } from 'node:child_process';

import { expect, test } from 'vitest';

import { containerSettings } from '../../../src/function/container/settings.ts';

const POD = {
  PORTICO_CONTAINERS: 'kubernetes',
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  HOSTNAME: 'portico-7f9-x2',
};

/** In a process of its own. */
const PRINT_OWNER = `
import { clusterSettings } from ${JSON.stringify(import.meta.resolve('../../../src/function/cluster/settings.ts'))};
const env = { PORTICO_KUBERNETES_URL: 'https://api.example:6443/', HOSTNAME: 'build.example' };
console.log(clusterSettings(env).owner);`;

test('a pod with a service account needs no more', () => {
  expect(containerSettings({ ...POD, KUBERNETES_SERVICE_PORT: '6443' })).toEqual({
    kind: 'kubernetes',
    url: 'https://10.0.0.1:6443',
    tokenFile: '/var/run/secrets/kubernetes.io/serviceaccount/token',
    caFile: '/var/run/secrets/kubernetes.io/serviceaccount/ca.crt',
    namespace: 'portico-functions',
    pullSecrets: [],
    owner: 'portico-7f9-x2',
    patienceMs: 30_000,
  });
  expect(containerSettings({ ...POD, KUBERNETES_SERVICE_HOST: 'fd00::1' })).toMatchObject({
    url: 'https://[fd00::1]',
  });
});

test('everything can be named', () => {
  const settings = containerSettings({
    PORTICO_CONTAINERS: 'kubernetes',
    PORTICO_KUBERNETES_URL: 'https://api.example:6443/',
    PORTICO_KUBERNETES_TOKEN_FILE: '/token',
    PORTICO_FUNCTIONS_NAMESPACE: 'fns',
    PORTICO_FUNCTIONS_PULL_SECRETS: 'a, b.c',
    HOSTNAME: '-a host_',
  });
  expect(settings).toEqual({
    kind: 'kubernetes',
    url: 'https://api.example:6443',
    tokenFile: '/token',
    caFile: undefined,
    namespace: 'fns',
    pullSecrets: ['a', 'b.c'],
    owner: expect.stringMatching(/^a-host-[0-9a-f]{8}$/),
    patienceMs: 30_000,
  });
});

function ownerOn(HOSTNAME: string): string {
  const settings = containerSettings({
    PORTICO_CONTAINERS: 'kubernetes',
    PORTICO_KUBERNETES_URL: 'https://api.example:6443/',
    HOSTNAME,
  });
  return settings?.kind === 'kubernetes' ? settings.owner : '';
}

test('processes outside of a cluster share no label, whatever their machine is called', () => {
  expect(ownerOn('build.example')).toMatch(/^build\.example-[0-9a-f]{8}$/);
  expect(ownerOn('a'.repeat(80))).toMatch(/^a{54}-[0-9a-f]{8}$/);
  const other = spawnSync(process.execPath, ['--input-type=module', '--eval', PRINT_OWNER], {
    encoding: 'utf8',
  });
  expect(other.stdout.trim()).toMatch(/^build\.example-[0-9a-f]{8}$/);
  expect(other.stdout.trim()).not.toBe(ownerOn('build.example'));
});

test.each([
  ['outside of a cluster', { KUBERNETES_SERVICE_HOST: '' }, /no pod of a cluster/],
  ['a token in the clear', { PORTICO_KUBERNETES_URL: 'http://api.example' }, /https/],
  ['no address', { PORTICO_KUBERNETES_URL: 'api.example' }, /https/],
  ['a password in an address', { PORTICO_KUBERNETES_URL: 'https://a:b@api.example' }, /more than an address/],
  ['a namespace that leads elsewhere', { PORTICO_FUNCTIONS_NAMESPACE: 'a/../b' }, /no namespace/],
  ["a Secret's name that is none", { PORTICO_FUNCTIONS_PULL_SECRETS: 'a b' }, /no Secret's name/],
])('%s is refused', (_, more, message) => {
  expect(() => containerSettings({ ...POD, ...more })).toThrow(message);
});
