/** set-namespace v0.1 and v0.2 (kpt-functions-catalog of 2021, on kustomize's namespace transformer): another program than v0.4. */
import { isMap } from '../../package/plain-values.ts';
import { ensureMap } from '../../package/render/bookkeeping.ts';
import { setField, textOf } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { readFieldSpecs, visitField } from './field-spec.ts';
import type { FieldSpec } from './field-spec.ts';
import { apiVersionOf, configMapData, frameworkFailure, kindOf, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';
import { withoutMetaResources } from './meta-resources.ts';
import { scopeOf } from './namespace-scope.ts';

const FIELDS: readonly FieldSpec[] = [
  { kind: 'Namespace', path: 'metadata/name', create: true },
  { group: 'apiregistration.k8s.io', kind: 'APIService', path: 'spec/service/namespace', create: true },
  {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    path: 'spec/conversion/webhook/clientConfig/service/namespace',
  },
];

/** Gives every resource that is not known to be cluster-wide the namespace, whatever it was before. No results. */
export function setNamespaceOld(input: BuiltinInput): BuiltinOutput {
  const config = readConfig(input.functionConfig);
  if (typeof config === 'string') return frameworkFailure(`failed to configure function: ${config}`);
  const { namespace, fields } = config;
  const items = withoutMetaResources(input.items);
  const accounts = new Set(items.filter((item) => kindOf(item) === 'ServiceAccount').map(nameOf));
  for (const item of items) {
    if (scopeOf(apiVersionOf(item), kindOf(item)) !== 'cluster')
      setField(ensureMap(item, 'metadata'), 'namespace', namespace);
    for (const spec of [...FIELDS, ...fields])
      visitField(item, spec, (container, key) => setField(container, key, namespace));
    if (/^(?:Cluster)?RoleBinding$/.test(kindOf(item))) moveSubjects(item, namespace, accounts);
  }
  return { items: input.items, results: [] };
}

/** Subjects move that are named `default`, or that are a service account of the package. */
function moveSubjects(item: KrmObject, namespace: string, accounts: ReadonlySet<string>): void {
  const { subjects } = item;
  for (const subject of Array.isArray(subjects) ? subjects : []) {
    if (!isMap(subject)) continue;
    const name = textOf(subject, 'name') ?? '';
    if (name === 'default' || (kindOf(subject) === 'ServiceAccount' && accounts.has(name)))
      setField(subject, 'namespace', namespace);
  }
}

function readConfig(
  config: KrmObject | undefined,
): { readonly namespace: string; readonly fields: readonly FieldSpec[] } | string {
  const data = configMapData(config);
  if (config === undefined || (data === undefined && !/^SetNamespace(?:Config)?$/.test(kindOf(config))))
    return '`functionConfig` must be either a `ConfigMap` or `SetNamespace`';
  const namespace = data === undefined ? (textOf(config, 'namespace') ?? '') : (data['namespace'] ?? '');
  if (namespace === '') return 'input namespace cannot be empty';
  const both = config['additionalNamespaceFields'] !== undefined && config['fieldSpecs'] !== undefined;
  if (both) return '`fieldSpecs` has been deprecated, please rename it to `additionalLabelFields`';
  const fields = readFieldSpecs(config['additionalNamespaceFields'] ?? config['fieldSpecs']);
  return { namespace, fields: data === undefined ? fields : [] };
}
