import { Document, isPair, isScalar, visit } from 'yaml';

import type { PackageFile } from '../../../src/package/package.ts';

/** A source of choices that gives the same ones for the same seed. */
export interface Chance {
  readonly below: (limit: number) => number;
  readonly some: (percent: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
}

export function chance(seed: number): Chance {
  let state = seed * 2_654_435_761 + 12_345;
  const next = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    some: (percent) => below(100) < percent,
    pick: (items) => items[below(items.length)]!,
  };
}

export type Data = { [key: string]: Value };
export type Value = string | number | boolean | null | Value[] | Data;

/** A resource as data, with the line comments that its text has by dotted path. */
export interface Doc {
  /** Stays through every edit. */
  readonly key: string;
  path: string;
  data: Data;
  comments: Record<string, string>;
}

/** A package before it is text. */
export interface Model {
  docs: Doc[];
  others: Record<string, string>;
  /** Lists two columns in, or below their key. */
  readonly wide: boolean;
}

/** One edit that somebody may make; says false where what it changes is not there any more. */
export interface Edit {
  readonly name: string;
  readonly apply: (model: Model) => boolean;
}

/** An edit of one document, wherever it is by then. */
export function onDoc(doc: Doc, change: (doc: Doc) => boolean): (model: Model) => boolean {
  return (model) => {
    const found = model.docs.find((one) => one.key === doc.key);
    return found !== undefined && change(found);
  };
}

/** A scalar as text; '' for what is none. */
export function word(value: Value | undefined): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

/** A package of a few resources in a few files, often with a subpackage, other files and a pipeline. */
export function randomPackage(from: Chance): Model {
  const docs: Doc[] = [doc('Kptfile', 'Kptfile', kptfile(from, 'pkg'), {})];
  const files = ['app.yaml', 'more.yaml', 'deep/net.yaml'].slice(0, 1 + from.below(3));
  const count = 1 + from.below(3);
  for (let at = 0; at < count; at += 1) docs.push(randomDoc(from, `r${at}`, from.pick(files)));
  if (from.some(30)) {
    docs.push(doc('sub/Kptfile', 'sub/Kptfile', kptfile(from, 'sub'), {}));
    docs.push(randomDoc(from, 's0', 'sub/sub.yaml'));
  }
  const others: Record<string, string> = {};
  if (from.some(50)) others['README.md'] = 'one\ntwo\nthree\nfour\nfive\nsix\n';
  if (from.some(20)) others['run.sh'] = '#!/bin/sh\necho run\n';
  return { docs, others, wide: from.some(50) };
}

function doc(key: string, path: string, data: Data, comments: Record<string, string>): Doc {
  return { key, path, data, comments };
}

export function randomDoc(from: Chance, key: string, path: string): Doc {
  const make = from.pick([deployment, deployment, service, config, config, custom, account, role]);
  const data = make(from, `${make.name}-${key}`);
  const comments: Record<string, string> = {};
  if (from.some(30)) comments['metadata.name'] = ' the name';
  if (from.some(30)) comments['spec.replicas'] = ' kpt-set: ${replicas}';
  if (from.some(20)) comments['spec'] = ' what it is';
  return doc(key, path, data, comments);
}

function metadata(from: Chance, name: string): Data {
  return {
    name,
    ...(from.some(40) ? { namespace: 'prod' } : {}),
    ...(from.some(60) ? { labels: { app: name, tier: from.pick(['web', 'db']) } } : {}),
    ...(from.some(30) ? { annotations: { note: 'first', 'example.org/on': 'yes' } } : {}),
  };
}

function container(from: Chance, name: string): Data {
  return {
    name,
    image: `registry.example.org/${name}:v1`,
    ...(from.some(50) ? { args: ['--a', '--b=1', '--c'].slice(0, 1 + from.below(3)) } : {}),
    ...(from.some(60)
      ? { env: ['A', 'B', 'C'].slice(0, 1 + from.below(3)).map((one) => ({ name: one, value: `v-${one}` })) }
      : {}),
    ...(from.some(40)
      ? {
          ports: [
            { containerPort: 80, name: 'http' },
            { containerPort: 443, name: 'https' },
          ].slice(0, 1 + from.below(2)),
        }
      : {}),
    ...(from.some(40)
      ? { resources: { limits: { cpu: '1', memory: '64Mi' }, requests: { cpu: '100m' } } }
      : {}),
    ...(from.some(30)
      ? {
          volumeMounts: [
            { mountPath: '/data', name: 'data' },
            { mountPath: '/tmp', name: 'tmp' },
          ],
        }
      : {}),
  };
}

function deployment(from: Chance, name: string): Data {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata(from, name),
    spec: {
      replicas: 1 + from.below(3),
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: ['web', 'proxy', 'log'].slice(0, 1 + from.below(3)).map((one) => container(from, one)),
          ...(from.some(30)
            ? {
                tolerations: [
                  { key: 'a', operator: 'Exists' },
                  { key: 'b', operator: 'Exists' },
                ],
              }
            : {}),
          ...(from.some(30) ? { nodeSelector: { disk: 'ssd' } } : {}),
          ...(from.some(40)
            ? {
                volumes: [
                  { name: 'data', emptyDir: {} },
                  { name: 'tmp', configMap: { name: 'c' } },
                ],
              }
            : {}),
        },
      },
    },
  };
}

function service(from: Chance, name: string): Data {
  const ports = [
    { name: 'http', port: 80, targetPort: 8080, protocol: 'TCP' },
    { name: 'dns', port: 53, targetPort: 53, protocol: 'UDP' },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: metadata(from, name),
    spec: { type: 'ClusterIP', selector: { app: name }, ports: ports.slice(0, 1 + from.below(2)) },
  };
}

function config(from: Chance, name: string): Data {
  const data: Data = { color: 'red', size: '10', debug: 'off', url: 'http://x.example.org/?a=b#c' };
  if (from.some(50)) data['app.conf'] = 'first = 1\nsecond = 2\nthird = 3\n\nlast = 4\n';
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(from, name), data };
}

function custom(from: Chance, name: string): Data {
  return {
    apiVersion: 'example.org/v1alpha1',
    kind: 'Widget',
    metadata: metadata(from, name),
    spec: {
      enabled: from.some(50),
      weight: 1.5,
      parts: [
        { name: 'x', size: 1 },
        { name: 'y', size: 2 },
        { name: 'z', size: 3 },
      ].slice(0, 1 + from.below(3)),
      words: ['alpha', 'beta', 'gamma', 'delta'].slice(0, 2 + from.below(3)),
      nested: { deep: { deeper: { value: 'here', other: 'there' } }, empty: {} },
    },
  };
}

function account(from: Chance, name: string): Data {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: metadata(from, name),
    secrets: [{ name: 'token' }, { name: 'other' }].slice(0, 1 + from.below(2)),
  };
}

function role(from: Chance, name: string): Data {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: metadata(from, name),
    rules: [
      { apiGroups: [''], resources: ['pods', 'services'], verbs: ['get', 'list'] },
      { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
    ].slice(0, 1 + from.below(2)),
  };
}

function kptfile(from: Chance, name: string): Data {
  const functions = [
    { image: 'ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.1', configMap: { team: 'a', env: 'dev' } },
    { image: 'ghcr.io/kptdev/krm-functions-catalog/set-namespace:v0.4', configMap: { namespace: 'prod' } },
    { image: 'ghcr.io/kptdev/krm-functions-catalog/apply-setters:v0.2', configPath: 'setters.yaml' },
  ].slice(0, from.below(4));
  return {
    apiVersion: 'kpt.dev/v1',
    kind: 'Kptfile',
    metadata: { name, annotations: { 'config.kubernetes.io/local-config': 'true' } },
    info: { description: 'a package', keywords: ['one', 'two'] },
    ...(functions.length === 0 ? {} : { pipeline: { mutators: functions as Value[] } }),
  };
}

/** kpt's marks, as `kpt pkg get` makes them. */
export function marked(model: Model): Model {
  const copy = structuredClone(model);
  for (const one of copy.docs) {
    if (one.path.endsWith('Kptfile')) continue;
    const meta = one.data['metadata'] as Data;
    const [name, namespace] = [word(meta['name']), word(meta['namespace'] ?? '')];
    const version = word(one.data['apiVersion']);
    const group = version.includes('/') ? version.split('/')[0] : '';
    const identifier = `${group}|${word(one.data['kind'])}|${namespace || 'default'}|${name}`;
    meta['annotations'] = {
      ...(meta['annotations'] as Data | undefined),
      'internal.kpt.dev/upstream-identifier': identifier,
    };
    one.comments['metadata'] = ` kpt-merge: ${namespace}/${name}`;
  }
  return copy;
}

/** The package as files. */
export function printed(model: Model): Map<string, PackageFile> {
  const texts = new Map<string, string>();
  for (const one of model.docs) {
    const before = texts.get(one.path);
    texts.set(one.path, (before === undefined ? '' : `${before}---\n`) + text(one, model.wide));
  }
  for (const [path, content] of Object.entries(model.others)) texts.set(path, content);
  return new Map(
    [...texts].map(([path, content]) => [path, { mode: '100644', bytes: new TextEncoder().encode(content) }]),
  );
}

function text({ data, comments }: Doc, wide: boolean): string {
  const document = new Document(data, { aliasDuplicateObjects: false, version: '1.1' });
  visit(document, {
    Pair(_, pair, above) {
      const keys = [...above.filter((one) => isPair(one)), pair].map((one) =>
        String((one as { key: unknown }).key),
      );
      const comment = comments[keys.join('.')];
      if (comment === undefined) return;
      if (isScalar(pair.value)) pair.value.comment = comment;
    },
  });
  const lines = document.toString({ indentSeq: wide, lineWidth: 0 }).split('\n');
  const head = comments['metadata'];
  return lines
    .map((line) => (head !== undefined && line === 'metadata:' ? `metadata: #${head}` : line))
    .join('\n');
}
