/** set-image v0.1 (krm-functions-catalog functions/go/set-image/transformer, state of 2026, on kustomize's image filter). */
import { isMap } from '../../package/plain-values.ts';
import { setField, textOf } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import type { WorkBudget } from '../../package/render/work-budget.ts';
import { linearRegExp } from '../linear-regexp.ts';
import type { LinearRegExp } from '../linear-regexp.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { each } from './each.ts';
import type { Each } from './each.ts';
import { readFieldSpecs, visitField } from './field-spec.ts';
import type { FieldSpec } from './field-spec.ts';
import { configMapData, failure, kindOf, stringsOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { setImageOld } from './set-image-v0.1.1.ts';

export const setImage: BuiltinFunction = {
  name: 'set-image',
  versions: [
    // Up to v0.1.1 it was another program: other results, init containers forgotten.
    { major: 0, minor: 1, patch: 1, run: setImageOld },
    { major: 0, minor: 1, since: 2, patch: 9, run, each: setImageEach },
  ],
  type: 'mutator',
  summary: 'changes name, tag or digest of container images (another program up to v0.1.1)',
  config: ['ConfigMap', 'SetImage'],
  fields: 'image of containers and, from v0.1.2 on, init containers; additional fields of the configuration',
  idempotent: 'yes, unless `tagSuffix` is added at each run',
};

const TEMPLATES = ['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet'];
const FIELDS: readonly FieldSpec[] = ['containers', 'initContainers'].flatMap((list) => [
  { version: 'v1', kind: 'Pod', path: `spec/${list}[]/image` },
  ...TEMPLATES.map((kind) => ({
    group: 'apps',
    version: 'v1',
    kind,
    path: `spec/template/spec/${list}[]/image`,
  })),
]);

interface Wanted {
  readonly name: string;
  readonly newName: string;
  readonly newTag: string;
  readonly digest: string;
  readonly tagSuffix: string;
  readonly fields: readonly FieldSpec[];
}

/** Changes name, tag or digest of a container image. Result: how many images matched. */
function run(input: BuiltinInput): BuiltinOutput {
  const wanted = readConfig(input.functionConfig);
  if (typeof wanted === 'string') {
    return failure([{ message: wanted, severity: 'error' }, summary(0)]);
  }
  const pattern = patternOf(wanted);
  const counts = input.items.map((item) => replaceIn(item, wanted, pattern, input.budget));
  return { items: input.items, results: [summary(sumOf(counts))] };
}

/** The same, one resource at a time. */
function setImageEach(input: Omit<BuiltinInput, 'items'>): Each | undefined {
  const wanted = readConfig(input.functionConfig);
  if (typeof wanted === 'string') return undefined;
  const pattern = patternOf(wanted);
  return each({
    apply: (item) => replaceIn(item, wanted, pattern, input.budget),
    finish: (counts) => [summary(sumOf(counts))],
  });
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, one) => sum + one, 0);
}

/** The name is an expression, as upstream takes it. */
function patternOf({ name }: Wanted): LinearRegExp {
  return linearRegExp(`^(?:${name})(?::[a-zA-Z0-9_.{}-]*)?(?:@sha256:[a-zA-Z0-9_.{}-]*)?$`);
}

/** How many images matched. */
function replaceIn(item: KrmObject, wanted: Wanted, pattern: LinearRegExp, budget: WorkBudget): number {
  let count = 0;
  for (const spec of [...FIELDS, ...wanted.fields]) {
    visitField(item, spec, (container, key) => {
      const image = textOf(container, key);
      if (
        image === undefined ||
        !pattern.test(image, (steps) => budget.spend('matching', steps, 'set-image'))
      )
        return;
      count += 1;
      const changed = changeImage(image, wanted);
      if (changed !== image) setField(container, key, changed);
    });
  }
  return count;
}

function summary(count: number): { message: string; severity: 'info' } {
  return { message: `summary: updated a total of ${count} image(s)`, severity: 'info' };
}

function changeImage(image: string, wanted: Wanted): string {
  const at = image.indexOf('@');
  const reference = at === -1 ? image : image.slice(0, at);
  const colon = reference.indexOf(':', reference.lastIndexOf('/') + 1);
  let name = colon === -1 ? reference : reference.slice(0, colon);
  let tag = colon === -1 ? '' : reference.slice(colon + 1);
  let digest = at === -1 ? '' : image.slice(at + 1);
  if (wanted.newName !== '') name = wanted.newName;
  if (wanted.newTag !== '' || wanted.digest !== '') {
    tag = wanted.newTag;
    digest = wanted.digest;
  } else if (wanted.tagSuffix !== '') {
    tag += wanted.tagSuffix;
    digest = '';
  }
  return name + (tag === '' ? '' : `:${tag}`) + (digest === '' ? '' : `@${digest}`);
}

/** The wanted image, or what is wrong with the configuration. */
function readConfig(config: KrmObject | undefined): Wanted | string {
  if (config === undefined) return 'FunctionConfig is missing. Expect `ConfigMap` or `SetImage`';
  const data = configMapData(config);
  const image = isMap(config['image']) ? (stringsOf(config['image']) ?? {}) : {};
  if (data === undefined && kindOf(config) !== 'SetImage') {
    return `unknown functionConfig Kind=${kindOf(config)}, expect \`ConfigMap\` or \`SetImage\``;
  }
  const given = data ?? image;
  const allowed =
    data === undefined
      ? ['name', 'newName', 'newTag', 'digest', 'tagSuffix']
      : ['name', 'newName', 'newTag', 'digest'];
  const unknown = Object.keys(given).find((key) => !allowed.includes(key));
  if (unknown !== undefined && data !== undefined) return `ConfigMap has wrong field name ${unknown}`;
  const { name = '', newName = '', newTag = '', digest = '', tagSuffix = '' } = given;
  if (name === '') return 'invalid FunctionConfig: must specify `name`';
  if (newName === '' && newTag === '' && digest === '' && tagSuffix === '') {
    return 'invalid FunctionConfig: must specify one of `newName`, `newTag`, or `digest`';
  }
  const fields = readFieldSpecs(config['additionalImageFields']);
  return { name, newName, newTag, digest, tagSuffix, fields };
}
