import {
  address,
  fieldsOf,
  listOf,
  mapOf,
  text,
  texts,
  type Fields,
  type Reader,
  type Tell,
} from './kptfile-fields.ts';
import type { Condition, GitLocation, Kptfile, Pipeline, Upstream, UpstreamLock } from './kptfile-types.ts';
import type { ConfigRef, FunctionSpec, Selector } from './render/function-runtime.ts';
import type { YamlValue } from './yaml/edit.ts';

/** The fields of a Kptfile, from the type definitions of kpt's api/kptfile/v1. */
const selector: Reader<Selector> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, [
    'apiVersion',
    'kind',
    'name',
    'namespace',
    'labels',
    'annotations',
  ]);
  return fields && selectorFrom(fields);
};

/** Which resources a function is for. */
export function selectorFrom(fields: Fields): Selector {
  return {
    ...fields.optional('apiVersion', text),
    ...fields.optional('kind', text),
    ...fields.optional('name', text),
    ...fields.optional('namespace', text),
    ...fields.optional('labels', texts),
    ...fields.optional('annotations', texts),
  };
}

const configRef: Reader<ConfigRef> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, ['apiVersion', 'kind', 'name', 'namespace']);
  const [kind, name] = [fields?.required('kind', text), fields?.required('name', text)];
  if (fields === undefined || kind === undefined || name === undefined) return undefined;
  return { kind, name, ...fields.optional('apiVersion', text), ...fields.optional('namespace', text) };
};

const FUNCTION = [
  'image',
  'exec',
  'tag',
  'name',
  'configPath',
  'configMap',
  'configRef',
  'selectors',
  'exclude',
];

const pipelineFunction: Reader<FunctionSpec> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, FUNCTION);
  return fields && functionFrom(fields, selector);
};

/** One function of a pipeline. */
export function functionFrom(fields: Fields, selectors: Reader<Selector>): FunctionSpec {
  return {
    ...fields.optional('image', text),
    ...fields.optional('exec', text),
    ...fields.optional('tag', text),
    ...fields.optional('name', text),
    ...fields.optional('configPath', text),
    ...fields.optional('configMap', texts),
    ...fields.optional('configRef', configRef),
    ...fields.optional('selectors', listOf(selectors)),
    ...fields.optional('exclude', listOf(selectors)),
  };
}

const git: Reader<GitLocation> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, ['repo', 'directory', 'ref']);
  const repo = fields?.required('repo', address);
  return fields === undefined || repo === undefined
    ? undefined
    : { repo, directory: fields.or('directory', text, '/'), ref: fields.or('ref', text, '') };
};

const lockedGit: Reader<GitLocation & { readonly commit: string }> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, ['repo', 'directory', 'ref', 'commit']);
  const repo = fields?.required('repo', address);
  return fields === undefined || repo === undefined
    ? undefined
    : {
        repo,
        directory: fields.or('directory', text, '/'),
        ref: fields.or('ref', text, ''),
        commit: fields.or('commit', text, ''),
      };
};

const upstream: Reader<Upstream> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, ['type', 'git', 'updateStrategy']);
  const type = fields?.required('type', text);
  return fields === undefined || type === undefined
    ? undefined
    : { type, ...fields.optional('git', git), ...fields.optional('updateStrategy', text) };
};

const upstreamLock: Reader<UpstreamLock> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, ['type', 'git', 'generic']);
  const type = fields?.required('type', text);
  return fields === undefined || type === undefined
    ? undefined
    : { type, ...fields.optional('git', lockedGit) };
};

const INFO = ['site', 'emails', 'license', 'licenseFile', 'description', 'keywords', 'man', 'readinessGates'];

const readinessGate: Reader<{ readonly conditionType: string }> = (raw, path, tell) => {
  const conditionType = fieldsOf(raw, path, tell, ['conditionType'])?.required('conditionType', text);
  return conditionType === undefined ? undefined : { conditionType };
};

const info: Reader<Kptfile['info']> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, INFO);
  if (fields === undefined) return undefined;
  // Read to be told of, and used by nobody.
  for (const name of ['license', 'licenseFile', 'man']) fields.optional(name, text);
  fields.optional('emails', listOf(text));
  return {
    ...fields.optional('site', address),
    ...fields.optional('description', text),
    ...fields.optional('keywords', listOf(text)),
    readinessGates: fields.or('readinessGates', listOf(readinessGate), []),
  };
};

const pipeline: Reader<Pipeline> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, ['mutators', 'validators']);
  return (
    fields && {
      mutators: fields.or('mutators', listOf(pipelineFunction), []),
      validators: fields.or('validators', listOf(pipelineFunction), []),
    }
  );
};

const condition: Reader<Condition> = (raw, path, tell) => {
  const fields = fieldsOf(raw, path, tell, ['type', 'status', 'reason', 'message']);
  const [type, status] = [fields?.required('type', text), fields?.required('status', text)];
  return fields === undefined || type === undefined || status === undefined
    ? undefined
    : { type, status, ...fields.optional('reason', text), ...fields.optional('message', text) };
};

const conditions: Reader<readonly Condition[]> = (raw, path, tell) =>
  fieldsOf(raw, path, tell, ['conditions', 'renderStatus'])?.or('conditions', listOf(condition), []);

type Named = Pick<Kptfile, 'name' | 'namespace' | 'labels' | 'annotations'>;

const NAMELESS: Named = { name: '', labels: {}, annotations: {} };

const metadata: Reader<Named> = mapOf(
  { namespace: text },
  { name: [text, ''], labels: [texts, {}], annotations: [texts, {}] },
);

const KPTFILE = [
  'apiVersion',
  'kind',
  'metadata',
  'upstream',
  'upstreamLock',
  'info',
  'pipeline',
  'inventory',
  'status',
];

/** The Kptfile that plain data holds; what cannot be used is told and left out. */
export function kptfileOf(raw: YamlValue, tell: Tell): Kptfile {
  const fields = fieldsOf(withoutNulls(raw), [], tell, KPTFILE);
  fields?.required('kind', text);
  return {
    apiVersion: fields?.required('apiVersion', text) ?? '',
    ...(fields?.or('metadata', metadata, NAMELESS) ?? NAMELESS),
    ...fields?.optional('upstream', upstream),
    ...fields?.optional('upstreamLock', upstreamLock),
    info: fields?.or('info', info, { readinessGates: [] }) ?? { readinessGates: [] },
    pipeline: fields?.or('pipeline', pipeline, { mutators: [], validators: [] }) ?? {
      mutators: [],
      validators: [],
    },
    conditions: fields?.or('status', conditions, []) ?? [],
  };
}

/** kpt reads null as absent. */
function withoutNulls(value: YamlValue): YamlValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return (value as readonly YamlValue[]).map(withoutNulls);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}
