import { expect, test } from 'vitest';

import type { PackageFiles } from '../../../src/package/package.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { documentDigest } from '../../../src/package/sources/source-digest.ts';

const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n';
const DIGEST = `sha256:${'0'.repeat(64)}`;
const COMMIT = 'a'.repeat(40);
const SOURCES = [
  { id: 'chart', helm: { repository: 'https://example.com', chart: 'redis', version: '>=7' } },
  { id: 'code', git: { repo: 'https://example.com/a.git', ref: 'main' } },
  { id: 'own', manual: true },
];
const document = {
  apiVersion: 'config.portico.dev/v1alpha1',
  kind: 'Sources',
  metadata: { name: 's' },
  sources: SOURCES,
};
const lock = {
  apiVersion: 'config.portico.dev/v1alpha1',
  kind: 'SourcesLock',
  metadata: { name: 'l' },
  documentDigest: documentDigest(document),
  sources: [
    { id: 'chart', kind: 'helm', resolved: `https://example.com/redis.tgz@${DIGEST}`, treeDigest: DIGEST },
    { id: 'code', kind: 'git', resolved: `https://example.com/a.git@${COMMIT}`, treeDigest: DIGEST },
  ],
};
type Lock = typeof lock;

async function findings(files: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> {
  const texts = Object.entries({ Kptfile: KPTFILE, ...files });
  const read: PackageFiles = new Map(
    texts.map(([path, content]) => {
      const text = typeof content === 'string' ? content : JSON.stringify(content);
      return [path, { mode: '100644', bytes: Buffer.from(text) }];
    }),
  );
  const { ok, findings: found } = await renderPackage({
    files: read,
    runtime: { run: () => Promise.reject(new Error('nothing is run')) },
    guardrails: [
      { name: 'pinned', type: 'validator', mode: 'enforce', spec: { image: 'pinned-sources:v0.1' } },
    ],
    context: { path: 'shop', repository: 'acme/shop' },
  });
  expect(ok).toBe(found.length === 0);
  return found
    .filter(({ guardrail }) => guardrail === 'pinned')
    .map(({ file, message }) => `${file}: ${message.split(/[;:]/)[0]}`);
}

const [FILE, LOCK] = ['portico-sources.yaml', 'portico-sources.lock.yaml'];
const entry = (change: Partial<Lock['sources'][number]>): Lock => ({
  ...lock,
  sources: [{ ...lock.sources[0]!, ...change }, lock.sources[1]!],
});

test.each<[string, Readonly<Record<string, unknown>>, readonly string[]]>([
  ['no sources', {}, []],
  ['pinned', { [FILE]: document, [LOCK]: lock }, []],
  [
    'paused and labelled since',
    { [FILE]: { ...document, metadata: { name: 't', labels: { a: 'b' } }, paused: {} }, [LOCK]: lock },
    [],
  ],
  ['hidden from functions', { '.krmignore': '*.yaml\n', [FILE]: document }, [`${FILE}: nothing is pinned`]],
  ['no lock', { [FILE]: document }, [`${FILE}: nothing is pinned`]],
  [
    'no lock below',
    { [`db/${FILE}`]: document, [LOCK]: lock, [FILE]: document },
    [`db/${FILE}: nothing is pinned`],
  ],
  ['a lock alone', { [LOCK]: lock }, [`${LOCK}: there is no ${FILE} to this lock`]],
  [
    'a wider range',
    { [FILE]: { ...document, sources: [{ ...SOURCES[0], helm: { version: '*' } }] }, [LOCK]: lock },
    [`${LOCK}: the lock is older than ${FILE}`],
  ],
  [
    'a tag for a digest',
    { [FILE]: document, [LOCK]: entry({ resolved: 'https://example.com/redis.tgz' }) },
    [`${LOCK}: chart is not pinned by a digest`],
  ],
  [
    'a branch for a commit',
    { [FILE]: document, [LOCK]: entry({ kind: 'git', resolved: 'https://example.com/a.git@main' }) },
    [`${LOCK}: chart is locked as git, but is helm`],
  ],
  [
    'no tree',
    { [FILE]: document, [LOCK]: entry({ treeDigest: '' }) },
    [`${LOCK}: chart has no digest of its files`],
  ],
  [
    'one of two',
    { [FILE]: document, [LOCK]: { ...lock, sources: [lock.sources[0]] } },
    [`${LOCK}: code is not in the lock`],
  ],
  [
    'no lock in its file',
    { [FILE]: document, [LOCK]: { ...lock, kind: 'ConfigMap' } },
    [`${LOCK}: this is not a lock of sources`],
  ],
])('the guardrail pinned-sources: %s', async (_name, files, wanted) => {
  expect(await findings(files)).toEqual(wanted);
});
