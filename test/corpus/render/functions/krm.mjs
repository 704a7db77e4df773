#!/usr/bin/env node
/**
 * `krm.mjs NAME`: small functions for the golden cases of rendering, called by kpt and by Portico alike. A ResourceList is read from stdin
 * and printed to stdout; `data` or `spec` of the functionConfig are the settings.
 */
import { existsSync, readFileSync } from 'node:fs';

import { parse, stringify } from 'yaml';

const PATH = ['internal.config.kubernetes.io/path', 'config.kubernetes.io/path'];
const INDEX = ['internal.config.kubernetes.io/index', 'config.kubernetes.io/index'];

const note = (item, name) => item.metadata?.annotations?.[name] ?? '';
const annotate = (item, names, value) => {
  item.metadata ??= {};
  item.metadata.annotations ??= {};
  for (const name of names) item.metadata.annotations[name] = value;
};
const isKptfile = ({ kind }) => kind === 'Kptfile';
const results = (...entries) => ({ results: entries });
const info = (message) => ({ message, severity: 'info' });
const made = ({ name, namespace, path, index }) => {
  const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { by: 'gen' } };
  if (namespace !== undefined) item.metadata.namespace = namespace;
  if (path !== undefined) annotate(item, PATH.slice(0, 1), path);
  if (index !== undefined) annotate(item, INDEX.slice(0, 1), index);
  return item;
};
const printed = (list) => stringify(list, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false });

/** Each changes the items in place, or returns what it answers instead: items, results, an exit code, text for stdout or stderr. */
const FUNCTIONS = {
  /** Prints the very bytes that it read. */
  copy: (_items, _config, text) => ({ stdout: text }),
  /** Reads and prints: comments, anchors and quotes are lost. */
  print: () => ({}),
  'print-sorted': (_items, _config, _text, list) => ({
    stdout: stringify(list, { lineWidth: 0, sortMapEntries: true, aliasDuplicateObjects: false }),
  }),
  'print-json': (_items, _config, _text, list) => ({ stdout: JSON.stringify(list) }),
  'print-in-single-quotes': (_items, _config, _text, list) => ({
    stdout: stringify(list, { defaultStringType: 'QUOTE_SINGLE', defaultKeyType: 'PLAIN', lineWidth: 0 }),
  }),
  /** Settings are dotted paths with values; digits become a number. */
  set: (items, config) => {
    for (const item of items.filter((one) => !isKptfile(one)))
      for (const [path, value] of Object.entries(config)) {
        const keys = path.split('.');
        const last = keys.pop();
        const parent = keys.reduce((at, key) => (at[key] ??= {}), item);
        parent[last] = /^\d+$/.test(value) ? Number(value) : value;
      }
  },
  label: (items, config) => {
    for (const item of items.filter((one) => !isKptfile(one)))
      item.metadata.labels = { ...item.metadata.labels, ...config };
  },
  /** Adds a word to the annotation `trail` of every item, so that the order of functions shows. */
  append: (items, { text }) => {
    for (const item of items) annotate(item, ['trail'], `${note(item, 'trail')} ${text}`.trim());
  },
  gen: (items, config) => ({ items: [...items, made(config)] }),
  delete: (items, { kind, name }) => ({
    items: items.filter((item) => item.kind !== kind || (name !== undefined && item.metadata.name !== name)),
  }),
  /** Moves the items of a kind to a path, with places counted from 0 where `reindex` is set. */
  move: (items, { kind, path, reindex }) => {
    for (const [at, item] of items.filter((one) => one.kind === kind).entries()) {
      annotate(item, PATH, path);
      if (reindex !== undefined) annotate(item, INDEX, String(at));
    }
  },
  reverse: (items) => ({ items: items.toReversed?.() ?? [...items].reverse() }),
  /** Moves the first entry of each list `items` to its end. */
  rotate: (items) => {
    for (const item of items) if (Array.isArray(item.items)) item.items.push(item.items.shift());
  },
  /** Removes every annotation, those that say where an item comes from included. */
  strip: (items) => {
    for (const item of items) delete item.metadata.annotations;
  },
  /** Reports what it was given, in order. */
  trace: (items) =>
    results(
      ...items.map((item, at) =>
        info(`${at} ${item.kind}/${item.metadata.name} ${note(item, PATH[0])} ${note(item, INDEX[0])}`),
      ),
    ),
  config: (_items, _config, _text, { functionConfig = null }) => {
    // kpt adds annotations of its own to a configuration that is a file of the package.
    if (functionConfig !== null) delete functionConfig.metadata.annotations;
    return results(info(JSON.stringify(sorted(functionConfig))));
  },
  /** One result with every field; its severity, and how the function ends, are settings. */
  report: (_items, { severity = 'info', exit = '0' }) => ({
    ...results({
      message: 'the color is blue',
      severity,
      resourceRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', namespace: 'shop' },
      field: { path: 'data.color', currentValue: 'blue', proposedValue: 'green' },
      file: { path: 'web.yaml', index: 1 },
      tags: { team: 'acme' },
    }),
    exitCode: Number(exit),
  }),
  /** Reports in the form that was used before `results` was a list. */
  'report-old': () => ({
    results: {
      name: 'old',
      items: [
        {
          message: 'the color is blue',
          severity: 'warning',
          resourceRef: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'shop' } },
          field: { path: 'data.color', currentValue: 'blue', suggestedValue: 'green' },
        },
      ],
    },
  }),
  require: (items, { kind }) =>
    items.some((item) => item.kind === kind)
      ? {}
      : { ...results({ message: `there is no ${kind}`, severity: 'error' }), exitCode: 1 },
  fail: () => ({ stdout: '', stderr: 'one\ntwo\nthree\nfour\nfive\nsix\n', exitCode: 1 }),
  warn: () => ({ stderr: 'a note on stderr\n' }),
  garbage: () => ({ stdout: ': : not yaml {{{\n' }),
  nothing: () => ({ stdout: '' }),
  empty: () => ({ items: [] }),
  /** Prints the items without a list around them. */
  bare: (items) => ({ stdout: items.map((item) => printed(item)).join('---\n') }),
  nameless: (items) => ({ items: [...items, made({})] }),
  outside: (items) => {
    for (const item of items.filter((one) => !isKptfile(one))) annotate(item, PATH, '../outside.yaml');
  },
  args: () =>
    results(
      info(
        `${JSON.stringify(process.argv.slice(3))}, ${existsSync('Kptfile') ? 'in' : 'not in'} the package`,
      ),
    ),
};

function sorted(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

const text = readFileSync(0, 'utf8');
const list = parse(text, { maxAliasCount: -1 });
list.items ??= [];
const config = list.functionConfig?.data ?? list.functionConfig?.spec ?? {};
const answer = FUNCTIONS[process.argv[2]](list.items, sorted(config), text, list) ?? {};
const { items, results: found, stdout, stderr = '', exitCode = 0 } = answer;
if (items !== undefined) list.items = items;
if (found !== undefined) list.results = found;
process.stderr.write(stderr);
process.stdout.write(stdout ?? printed(list));
process.exitCode = exitCode;
