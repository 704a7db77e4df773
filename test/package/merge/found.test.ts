import { expect, test } from 'vitest';

import { mergePackages } from '../../../src/package/merge/merge.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import { textOf } from './trees.ts';

/** What the properties found, each once. */
type Texts = Record<string, string>;

function tree(files: Texts): PackageFiles {
  return new Map(
    Object.entries(files).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
}

function merge(base: Texts, upstream: Texts, local: Texts): { texts: Texts; told: string[] } {
  const trees = { base: tree(base), upstream: tree(upstream), local: tree(local) };
  const { files, conflicts, notes } = mergePackages(trees);
  expect(mergePackages({ ...trees, local: files }).changed).toEqual([]);
  return {
    texts: Object.fromEntries([...files].map(([path, file]) => [path, textOf(file)])),
    told: [...conflicts.map(({ file, path }) => `${file}:${path}`), ...notes.map(({ code }) => code)],
  };
}

/** The notes of the merge of one file. */
function notes(base: string, upstream: string, local: string): string[] {
  const [o, u, d] = [base, upstream, local].map((text) => tree({ 'a.yaml': text }));
  return mergePackages({ base: o!, upstream: u!, local: d! }).notes.map(
    ({ code, message }) => `${code} ${message}`,
  );
}

const KPTFILE =
  'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: pkg\n  annotations:\n    a: one\ninfo:\n  keywords:\n    - x\n    - y\n';
const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
spec:
  replicas: 1
  minReadySeconds: 2
  paused: false
  progressDeadlineSeconds: 4
  revisionHistoryLimit: 5
  template:
    spec:
      nodeName: six
      hostname: seven
`;

test('comments that upstream alone changed arrive in a Kptfile that local changed', () => {
  const upstream = KPTFILE.replace('a: one', 'a: one # kpt-set: ${a}').replace('- x', '- x # mark');
  const local = KPTFILE.replace('a: one', 'a: mine').replace('    - x\n    - y\n', '    - y\n    - x\n');
  const { texts } = merge({ Kptfile: KPTFILE }, { Kptfile: upstream }, { Kptfile: local });
  expect(texts['Kptfile']).toContain('a: mine # kpt-set: ${a}');
  expect(texts['Kptfile']).toContain('    - y\n    - x # mark\n');
});

test('an item that one side removed and the other put elsewhere is a conflict', () => {
  const removed = KPTFILE.replace('    - x\n', '');
  const moved = KPTFILE.replace('    - x\n    - y\n', '    - y\n    - x\n');
  for (const [upstream, local] of [
    [removed, moved],
    [moved, removed],
  ] as const)
    expect(merge({ Kptfile: KPTFILE }, { Kptfile: upstream }, { Kptfile: local }).told).toEqual([
      'Kptfile:info.keywords',
    ]);
});

test('what upstream renamed and local moved and changed is still that in the second merge', () => {
  const renamed = DEPLOYMENT.replace('name: web', 'name: front');
  const mine = DEPLOYMENT.replace('replicas: 1', 'replicas: 9');
  const { texts } = merge({ 'a.yaml': DEPLOYMENT }, { 'a.yaml': renamed }, { 'b.yaml': mine });
  expect(texts).toEqual({ 'b.yaml': mine.replace('name: web', 'name: front') });
});

test('a comment below a document goes with it to another file', () => {
  const mine = DEPLOYMENT.replace('replicas: 1', 'replicas: 9');
  const { texts } = merge(
    { 'a.yaml': DEPLOYMENT },
    { 'b.yaml': `${DEPLOYMENT}# below\n` },
    { 'a.yaml': mine },
  );
  expect(texts).toEqual({ 'b.yaml': `${mine}# below\n` });
});

test('a comment that both changed is told', () => {
  const [upstream, local] = ['theirs', 'ours'].map((text) =>
    DEPLOYMENT.replace('replicas: 1', `replicas: 1 # ${text}`),
  );
  const { told, texts } = merge({ 'a.yaml': DEPLOYMENT }, { 'a.yaml': upstream! }, { 'a.yaml': local! });
  expect(told).toEqual(['COMMENT_BOTH']);
  expect(texts['a.yaml']).toBe(local);
});

test('what upstream renamed and local deleted is there again, and told', () => {
  const renamed = DEPLOYMENT.replace('name: web', 'name: front');
  const { told } = merge({ 'a.yaml': DEPLOYMENT }, { 'a.yaml': renamed }, {});
  expect(told).toEqual(['COMES_RENAMED']);
});

test('subpackages: a new resource in a deleted one, and all of one that upstream deleted, are told', () => {
  const base = { Kptfile: KPTFILE, 'sub/Kptfile': KPTFILE, 'sub/a.yaml': DEPLOYMENT };
  const more = `${DEPLOYMENT}---\n${DEPLOYMENT.replace('name: web', 'name: more').replaceAll(/\d/g, '8')}`;
  expect(merge(base, { ...base, 'sub/a.yaml': more }, { Kptfile: KPTFILE }).told).toEqual([
    'SUBPACKAGE_DELETED',
  ]);
  const mine = { ...base, 'sub/a.yaml': DEPLOYMENT.replace('replicas: 1', 'replicas: 9') };
  expect(merge(base, { Kptfile: KPTFILE }, mine).told).toEqual(['sub/a.yaml:', 'SUBPACKAGE_KEPT']);
});

test('labels that upstream removed all and local added to are the added ones, also in the second merge', () => {
  const none = DEPLOYMENT.replace('  labels:\n    app: web\n', '');
  const added = DEPLOYMENT.replace('    app: web\n', '    app: web\n    mine: yes\n');
  const { texts } = merge({ 'a.yaml': DEPLOYMENT }, { 'a.yaml': none }, { 'a.yaml': added });
  expect(texts['a.yaml']).toContain('  labels:\n    mine: yes\n');
});

test('a comment that goes with what it belongs to is told, once, unless a conflict tells of the place', () => {
  const without = DEPLOYMENT.replace('  paused: false\n', '');
  const commented = DEPLOYMENT.replace('paused: false', 'paused: false # mine');
  expect(notes(DEPLOYMENT, without, commented)).toEqual([
    'COMMENT_GONE Deployment web, spec.paused: a local comment was removed together with what it belongs to; it says: mine',
  ]);
  expect(notes(DEPLOYMENT, commented, without)).toEqual([
    "COMMENT_GONE Deployment web, spec.paused: upstream's comment was not added; it says: mine",
  ]);
  const changed = DEPLOYMENT.replace('paused: false', 'paused: true # mine');
  expect(notes(DEPLOYMENT, without, changed)).toEqual([]);
  const flow = DEPLOYMENT.replace('paused: false', 'list: [\n    1, # one\n    2]');
  expect(notes(flow, flow.replace('# one', '# first'), flow.replace('replicas: 1', 'replicas: 2'))).toEqual([
    "COMMENT_GONE Deployment web, spec.list: upstream's comment was not added; it says: first",
  ]);
});

function strategy(text: string): Texts {
  return { 'a.yaml': DEPLOYMENT.replace('spec:\n', `spec:\n  strategy:\n    ${text}\n`) };
}

function role(...rules: readonly string[]): Texts {
  return {
    'a.yaml': `apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata:\n  name: r\nrules:\n${rules.join('')}`,
  };
}

function rule(resource: string, verb: string): string {
  return `  - apiGroups: [${resource}]\n    resources: [${verb}]\n    verbs: [${verb}]\n`;
}

test('an item that one side removed and the other moved and changed is a conflict', () => {
  const [first, other] = [rule('a', 'get'), rule('b', 'list')];
  const { told } = merge(role(first, other), role(other, rule('c', 'get')), role(other));
  expect(told).toEqual(['a.yaml:rules']);
});

test('a comment comes with the side that is taken where fields exclude each other', () => {
  const rolling = 'type: RollingUpdate\n    rollingUpdate:\n      maxSurge: 1';
  const { texts, told } = merge(
    strategy(rolling),
    strategy('type: Recreate # At once.'),
    strategy(rolling.replace('1', '5')),
  );
  expect(texts).toEqual(strategy('type: Recreate # At once.'));
  expect(told).toEqual(['a.yaml:spec.strategy.rollingUpdate']);
});

const WIDGET = 'apiVersion: example.com/v1\nkind: Widget\nmetadata:\n  name: w\nspec:\n';

test.each([
  ['an empty list that is filled', '  m: []\n', '  m:\n  - a\n', '  m: [] # mine\n', '  m: [a] # mine\n'],
  ['a map that is emptied', '  m:\n    a: 1\n', '  m: {}\n', '  m: # mine\n    a: 1\n', '  m: {} # mine\n'],
  [
    'a value that becomes a map',
    '  m: 1\n',
    '  m:\n    a: 1\n',
    '  m: 1 # mine\n',
    '  m: # mine\n    a: 1\n',
  ],
  [
    'a block of text',
    '  m: |\n    a\n',
    '  m: |\n    a\n    b\n',
    '  m: | # mine\n    a\n',
    '  m: | # mine\n    a\n    b\n',
  ],
])('what local wrote beside a key stays there: %s', (_, base, upstream, local, merged) => {
  const [o, u, d] = [base, upstream, local].map((text) => ({ 'a.yaml': `${WIDGET}${text}  z: 1\n` }));
  const { texts, told } = merge(o!, u!, d!);
  expect(texts['a.yaml']).toBe(`${WIDGET}${merged}  z: 1\n`);
  expect(told).toEqual([]);
});

function serviceOf(port: string): string {
  return `apiVersion: v1\nkind: Service\nmetadata:\n  name: s\nspec:\n  ports:\n  - port: ${port}\n    targetPort: 8080\n`;
}

function podOf(port: string): string {
  return `apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n    ports:\n    - containerPort: ${port}\n`;
}

test('a port to which both sides gave another number is there twice, and told', () => {
  expect(notes(serviceOf('80'), serviceOf('81'), serviceOf('82'))).toEqual([
    'RENAMED_TWICE Service s, spec.ports: both sides renamed an item, and both items are now present: [port=82] and [port=81].',
  ]);
  expect(notes(podOf('80'), podOf('81'), podOf('82'))[0]).toContain(
    '[containerPort=82] and [containerPort=81]',
  );
});

function documentsOf(comment: string, value: string): string {
  return `${WIDGET}  a: ${value}\n---\n${comment}---\n${WIDGET.replace('name: w', 'name: x')}  a: 1\n`;
}

test('upstream comments between resources are told, with a document each', () => {
  expect(
    notes(documentsOf('# one\n', '1'), documentsOf('# two\n# three\n', '1'), documentsOf('# one\n', '2')),
  ).toEqual(["COMMENT_GONE Between resources: upstream's comment was not added; it says: two three"]);
});

function kptfileWithin(head: string, foot: string): string {
  return `# ${head}\n${KPTFILE}# ${foot}\n`;
}

test('comments at the head and foot of a Kptfile arrive, and what both changed is told', () => {
  const local = { Kptfile: kptfileWithin('head', 'foot').replace('- y', '- z') };
  const { texts, told } = merge(
    { Kptfile: kptfileWithin('head', 'foot') },
    { Kptfile: kptfileWithin('HEAD', 'FOOT') },
    local,
  );
  expect(texts['Kptfile']).toBe(kptfileWithin('HEAD', 'FOOT').replace('- y', '- z'));
  expect(told).toEqual([]);
  const mine = { Kptfile: kptfileWithin('mine', 'foot') };
  expect(
    merge({ Kptfile: kptfileWithin('head', 'foot') }, { Kptfile: kptfileWithin('HEAD', 'foot') }, mine).told,
  ).toEqual(['COMMENT_BOTH']);
});

function widgetBeside(comment: string): string {
  return `${WIDGET}  a: 1${comment}\n  b: 1\n`;
}

test('a comment that local changed and upstream removed is told as that', () => {
  expect(notes(widgetBeside(' # one'), widgetBeside(''), widgetBeside(' # mine'))).toEqual([
    'COMMENT_BOTH Widget w, spec.a: both sides changed the comment; the local one is kept, upstream removed its own',
  ]);
});

const POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  ';
const PORTS = `${POD}containers:\n  - name: m\n    ports:\n`;
const MUTATORS = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\npipeline:\n  mutators:\n';
const SET = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c\n  finalizers:\n';

test.each([
  [
    'a container that upstream has twice',
    `${POD}containers:\n`,
    '  - name: a\n    image: x\n    args: [1]\n',
    '  - name: a\n    image: x\n  - name: a\n    image: x # c\n',
    '  - name: a\n',
    '  - name: a\n  - name: a\n    image: x # c\n',
    [],
  ],
  [
    'a comment of one of two equal containers',
    `${POD}containers:\n`,
    '  - name: a\n',
    '  - name: a # c\n  - name: a\n  - name: a\n    args: [1]\n',
    '  - name: a\n    image: z\n',
    '  - name: a # c\n    image: z\n  - name: a\n  - name: a\n    args: [1]\n',
    [],
  ],
  [
    'two equal containers with a comment beside one of them',
    `${POD}containers:\n`,
    '  - name: a\n    image: x\n    args: [2]\n  - name: a\n    image: x\n',
    '  - name: a\n    image: y # c\n  - name: b\n  - name: a\n    image: y\n',
    '  - name: a\n    image: x\n',
    '  - name: a\n    image: y # c\n  - name: b\n  - name: a\n    image: y\n',
    ['a.yaml:spec.containers'],
  ],
  [
    'a member of a set that upstream has twice',
    SET,
    '  - a\n  - b\n',
    '  - b\n  - b\n',
    '  - a\n',
    '  - b\n  - b\n',
    ['a.yaml:metadata.finalizers'],
  ],
  [
    'a function of which upstream has several',
    MUTATORS,
    '  - image: f-a\n    configMap: {v: x}\n',
    '  - image: f-a\n    configMap: {v: x}\n  - image: f-a\n  - image: f-a\n    name: n1\n    configMap: {v: y}\n',
    '  - image: f-a\n    configMap: {v: z}\n',
    '  - image: f-a\n    configMap: {v: x}\n  - image: f-a\n  - image: f-a\n    name: n1\n    configMap: {v: y}\n',
    ['Kptfile:pipeline.mutators'],
  ],
  [
    'ports that have names only after the merge',
    PORTS,
    '    - containerPort: 80\n      name: nz\n',
    '    - containerPort: 81\n      name: nx\n',
    '    - containerPort: 80\n    - containerPort: 81\n      hostPort: 1\n    - containerPort: 82\n      name: nz\n      hostPort: 2\n      protocol: UDP\n',
    '    - containerPort: 81\n      name: nx\n',
    ['a.yaml:spec.containers[name=m].ports'],
  ],
])('a second merge changes nothing: %s', (_, head, base, upstream, local, merged, conflicts) => {
  const file = head === MUTATORS ? 'Kptfile' : 'a.yaml';
  const [o, u, d] = [base, upstream, local].map((items) => ({ [file]: head + items }));
  const { texts, told } = merge(o!, u!, d!);
  expect(told).toEqual(conflicts);
  expect(texts).toEqual({ [file]: head + merged });
});
