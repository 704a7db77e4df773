import { expect, test } from 'vitest';

import { changeDigest } from '../../../src/package/diff/change-digest.ts';
import type { PackageFiles } from '../../../src/package/package.ts';

type Texts = Readonly<Record<string, string>>;

function filesOf(texts: Texts): PackageFiles {
  const files = Object.entries(texts).map(([path, text]) => {
    const file = { mode: '100644' as const, bytes: new TextEncoder().encode(text) };
    return [path, file] as const;
  });
  return new Map(files);
}

function change(before: Texts, after: Texts): string {
  return changeDigest(filesOf(before), filesOf(after));
}

const kptfile = (name: string, ref: string, more = ''): string => `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: ${name}
upstream:
  type: git
  git:
    repo: https://forge.example/acme/up
    directory: /web
    ref: web/${ref}
upstreamLock:
  type: git
  git:
    repo: https://forge.example/acme/up
    directory: /web
    ref: web/${ref}
    commit: ${ref === 'v1' ? 'a'.repeat(40) : 'b'.repeat(40)}
${more}`;

const deployment = (replicas: number, more = ''): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: ${replicas}
${more}`;

const BEFORE = { Kptfile: kptfile('web', 'v1'), 'web.yaml': deployment(1) };
const AFTER = { Kptfile: kptfile('web', 'v2'), 'web.yaml': deployment(3) };
const WANTED = change(BEFORE, AFTER);

test('the same change of packages that differ elsewhere is the same', () => {
  const local = '  paused: false # ours\n';
  expect(
    change(
      { Kptfile: kptfile('shop', 'v1'), 'web.yaml': deployment(1, local), 'own.md': 'ours' },
      { Kptfile: kptfile('shop', 'v2'), 'web.yaml': deployment(3, local), 'own.md': 'ours' },
    ),
  ).toBe(WANTED);
  // The upstream itself has no lock.
  const own = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: web\n';
  expect(
    change({ Kptfile: own, 'web.yaml': deployment(1) }, { Kptfile: own, 'web.yaml': deployment(3) }),
  ).toBe(WANTED);
});

const container = (place: string): string =>
  deployment(1, `  template:\n    spec:\n      ${place}:\n      - name: a\n        securityContext:\n`);

test.each<[string, Texts, Texts]>([
  ['another value', BEFORE, { ...AFTER, 'web.yaml': deployment(4) }],
  ['from another value', { ...BEFORE, 'web.yaml': deployment(2) }, AFTER],
  ['one field more', BEFORE, { ...AFTER, 'web.yaml': deployment(3, '  paused: true\n') }],
  [
    'a comment, which may be a setter',
    BEFORE,
    { ...AFTER, 'web.yaml': AFTER['web.yaml'].replace('3', '3 # kpt-set: ${n}') },
  ],
  ['another resource', BEFORE, { ...AFTER, 'other.yaml': deployment(1).replace('name: web', 'name: other') }],
  ['another file', BEFORE, { ...AFTER, 'NOTES.md': 'x' }],
  ['nothing', BEFORE, BEFORE],
  ['another upstream', BEFORE, { ...AFTER, Kptfile: AFTER.Kptfile.replaceAll('acme/up', 'evil/up') }],
  [
    'a pipeline whose configuration has a field named ref',
    BEFORE,
    {
      ...AFTER,
      Kptfile: kptfile(
        'web',
        'v2',
        'pipeline:\n  mutators:\n  - image: x\n    configMap:\n      ref: evil\n',
      ),
    },
  ],
  [
    'the same lines in a file that cannot be read',
    { ...BEFORE, 'a.yaml': 'a: [\n' },
    { ...AFTER, 'a.yaml': 'a: [[\n' },
  ],
])('%s is another change', (_what, before, after) => {
  expect(change(before, after)).not.toBe(WANTED);
});

test('the same words elsewhere in a resource, or under other words of a file, are another change', () => {
  const line = '          privileged: true\n';
  const [main, init] = ['containers', 'initContainers'].map((place) =>
    change({ 'web.yaml': container(place) }, { 'web.yaml': `${container(place)}${line}` }),
  );
  expect(main).not.toBe(init);
  const [one, two] = ['# a\n', '# b\n'].map((text) =>
    change({ 'NOTES.md': text }, { 'NOTES.md': `${text}same\n` }),
  );
  expect(one).not.toBe(two);
});

const role = (name: string, ...rules: string[]): string =>
  `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: ${name}
rules:
${rules.join('')}`;
const rule = (resource: string, verbs: string): string =>
  `- apiGroups: ['']\n  resources: [${resource}]\n  verbs: [${verbs}]\n`;
const job = (first: string, ...args: string[]): string =>
  deployment(1, `  steps:\n${[first, ...args].map((arg) => `  - run: ${arg}\n`).join('')}`);

test.each<[string, (local: string) => readonly [string, string]]>([
  [
    'a verb of a rule that is about something else there',
    (what) => [role('a', rule(what, 'get')), role('a', rule(what, 'get, delete'))],
  ],
  [
    'a rule beside others',
    (what) => [role('a', rule(what, 'get')), role('a', rule(what, 'get'), rule('pods', 'get'))],
  ],
  [
    'another name of a role that holds something else there',
    (what) => [role('a', rule(what, 'get')), role('b', rule(what, 'get'))],
  ],
  [
    'another name of a resource that holds something else there',
    (what) => [job(what), job(what).replace('name: web', 'name: other')],
  ],
  ['an item of a list, by its place', (what) => [job(what, 'ls'), job(what, 'ls', 'rm')]],
])('%s is another change', (_what, sides) => {
  const [here, there] = ['configmaps', 'secrets'].map((local) => {
    const [before, after] = sides(local);
    return change({ 'a.yaml': before }, { 'a.yaml': after });
  });
  expect(here).not.toBe(there);
});

const opaque = (...list: number[]): PackageFiles =>
  new Map([['x.bin', { mode: '100644', bytes: Uint8Array.from(list) }]]);

const script = (mode: '100644' | '100755'): PackageFiles =>
  new Map([['run.sh', { mode, bytes: new TextEncoder().encode('x') }]]);

test('bytes that are no text, and modes, count', () => {
  expect(changeDigest(opaque(0, 255), opaque(0, 254))).not.toBe(changeDigest(opaque(0, 255), opaque(0, 253)));
  expect(changeDigest(script('100644'), script('100755'))).not.toBe(
    changeDigest(script('100644'), script('100644')),
  );
});
