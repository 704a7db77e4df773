// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { parseReference } from '../../../src/oci/reference.ts';
import { below } from '../../e2e/packages.ts';
import { sha256, startMemoryRegistry, type MemoryRegistry } from '../../oci/memory-registry.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

let registry: MemoryRegistry;
let stage: Stage;

const LOCAL = configMap('fn', {}).replace(
  'metadata:',
  'metadata:\n  annotations:\n    config.kubernetes.io/local-config: "true"',
);

beforeAll(async () => {
  registry = await startMemoryRegistry();
  const basic = `Basic ${Buffer.from('bot:hunter2-hunter2').toString('base64')}`;
  registry.interrupt = ({ authorization }, response) => {
    if (authorization === basic) return false;
    response.writeHead(401, { 'www-authenticate': 'Basic realm="here"' }).end();
    return true;
  };
  const oci = (credentials: string): string =>
    `branch: main\npublish: { requireApprovals: 0 }\noci: { registry: "${registry.host}/acme", packages: [web, Odd], rendered: true, credentials: ${credentials} }`;
  const files = {
    ...below('web', { ...smallPackage('web'), 'fn.yaml': LOCAL }),
    ...below('db', smallPackage('db')),
    ...below('Odd', smallPackage('odd')),
  };
  const credentials = ['acme', 'globex'].map((name) => ({
    name,
    hosts: [registry.host],
    organizations: [name],
    username: 'bot',
    password: 'hunter2-hunter2',
  }));
  stage = await startStage(
    {
      kept: { files, spec: oci('acme') },
      // The same registry; another's credential.
      other: { files: below('web', smallPackage('web')), spec: oci('globex') },
    },
    {
      environment: {
        insideHosts: `http://${registry.host}`,
        credentialsFile: { name: 'credentials.yaml', bytes: Buffer.from(JSON.stringify({ credentials })) },
      },
    },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
  await registry?.[Symbol.asyncDispose]();
});

const change = (name: string, color: string): Record<string, string> => ({
  [`${name}/config.yaml`]: configMap(name, { color }),
});
/** Tag → digest, of the repositories below a name. */
const held = (name: string): Record<string, string> =>
  Object.fromEntries(
    [...registry.manifests]
      .filter(([key]) => key.startsWith(`${name}:`))
      .map(([key, { bytes }]) => [key.slice(name.length + 1), sha256(bytes)]),
  );

test('what is published is pushed, as the tag says, and channels follow', async () => {
  const repo = stage.repository('kept');
  const { number } = await repo.propose('one', { ...change('web', 'one'), ...change('db', 'one') });
  const commit = await repo.merge(number);
  const message = await repo.tagMessage('web/v1');
  const artifacts = [...message.matchAll(/^Artifact: (.*)$/gm)].map(([, name = '']) => parseReference(name));
  expect(artifacts.map(({ repository }) => repository)).toEqual(['acme/web', 'acme/web/rendered']);
  const [whole, rendered] = artifacts.map(({ digest }) => digest!);
  expect(held('acme/web')).toEqual({ v1: whole });
  expect(held('acme/web/rendered')).toEqual({ v1: rendered });
  expect(await repo.release('web/v1')).toContain(`In the registry: \`${registry.host}/acme/web@${whole}\`.`);
  const { annotations } = JSON.parse(registry.manifests.get('acme/web:v1')!.bytes.toString());
  expect(annotations).toEqual({
    'org.opencontainers.image.revision': `v1@sha1:${commit}`,
    'org.opencontainers.image.source': repo.url.replace(/\.git$/, ''),
    'org.opencontainers.image.version': 'v1',
  });
  // Not named in the configuration.
  expect(await repo.tagMessage('db/v1')).not.toContain('Artifact:');
  expect(Object.keys(held('acme/db'))).toEqual([]);

  await repo.tag('web/stable', commit);
  await stage.idle();
  expect(held('acme/web')).toEqual({ v1: whole, stable: whole });
  await repo.merge((await repo.propose('two', change('web', 'two'))).number);
  const { stable, v2, v1 } = held('acme/web');
  expect([v1, stable]).toEqual([whole, whole]);
  expect(await repo.tagMessage('web/v2')).toContain(`@${v2}`);
  // Looked at again, nothing is sent, and a new process only asks.
  registry.asked.length = 0;
  await stage.look('kept');
  expect(registry.asked).toEqual([]);
  expect(stage.log.join('\n')).not.toContain('hunter2');
});

test('what the registry lacks is pushed once more, the same; what it has otherwise is told and stays', async () => {
  const repo = stage.repository('kept');
  const before = { ...held('acme/web') };
  await stage.stopBot();
  registry.manifests.clear();
  registry.blobs.clear();
  await stage.startBot();
  expect(held('acme/web')).toEqual(before);

  await stage.stopBot();
  registry.asked.length = 0;
  const foreign = { type: 'application/vnd.oci.image.manifest.v1+json', bytes: Buffer.from('{}') };
  registry.manifests.set('acme/web:v2', foreign);
  await stage.startBot();
  // A new process asks, and sends nothing.
  expect(registry.asked.length).toBeGreaterThan(0);
  expect(registry.asked.every(({ method }) => method === 'HEAD')).toBe(true);
  const head = await repo.head('main');
  const check = (await repo.checks(head)).get('portico/registry');
  expect(check).toMatchObject({ conclusion: 'failure' });
  expect(check?.output.summary).toContain(`should be \`${before['v2']}\``);
  expect(check?.output.summary).toContain(`is \`${sha256(foreign.bytes)}\``);
  expect(held('acme/web')['v2']).toBe(sha256(foreign.bytes));

  registry.manifests.delete('acme/web:v2');
  await stage.look('kept');
  expect(held('acme/web')).toEqual(before);
  expect((await repo.checks(head)).get('portico/registry')).toMatchObject({ conclusion: 'success' });
});

test('a name that no registry takes, and a credential of another account, are told', async () => {
  const repo = stage.repository('kept');
  await repo.merge((await repo.propose('odd', change('Odd', 'one'))).number);
  const odd = (await repo.checks(await repo.head('main'))).get('portico/publication');
  expect(odd?.output.summary).toContain('cannot be a repository in a registry');

  const other = stage.repository('other');
  await other.merge((await other.propose('one', change('web', 'one'))).number);
  const check = (await other.checks(await other.head('main'))).get('portico/registry');
  expect(check).toMatchObject({ conclusion: 'failure' });
  expect(check?.output.summary).toContain('the credential globex is not configured');
});
