/** Config injection: values of inventory objects into the resources that ask for them, and what came of it. */
import { compareText } from '../../text/compare-text.ts';
import type { Condition } from '../kptfile-types.ts';
import type { PackageFile, PackageFiles } from '../package.ts';
import { editYaml, readYaml, type YamlEdit, type YamlValue } from '../yaml/edit.ts';
import { asMap, INJECTED_ANNOTATION, injectionPoints, type InjectionPoint } from './injection-points.ts';
import type { Edited } from './package-context.ts';
import { namespaceOf, type Injector, type InventoryObject } from './variant-types.ts';

/**
 * The package with `spec` (of a core ConfigMap `data`) of the chosen object in every injection point, the condition of
 * each in the Kptfile at the top, and a readiness gate for each required one. The first injector that fits a point and names an
 * object of its kind in the namespace decides. Gates that stand stay. A required point without an object is no error:
 * its condition is False.
 */
export function injected(
  files: PackageFiles,
  injectors: readonly Injector[],
  inventory: readonly InventoryObject[],
  namespace: string,
): Edited<PackageFiles> {
  const found = injectionPoints(files);
  if (!found.ok) return found;
  if (found.points.length === 0) return { ok: true, value: files };
  const edits = new Map<string, YamlEdit[]>();
  const conditions: Condition[] = [];
  for (const point of found.points) {
    const chosen = choose(point, injectors, inventory, namespace);
    if (typeof chosen === 'string') {
      const [reason, message] = ['NoResourceSelected', chosen];
      conditions.push({ type: point.conditionType, status: 'False', message, reason });
      continue;
    }
    const { name } = chosen.object.metadata;
    const message = `injected resource "${name}" from cluster`;
    conditions.push({ type: point.conditionType, status: 'True', message, reason: 'ConfigInjected' });
    const own = edits.get(point.file) ?? [];
    edits.set(point.file, [...own, ...injection(point, chosen, name)]);
  }
  const changed = new Map(files);
  for (const [path, list] of edits) replace(changed, path, (text) => editYaml(text, list));
  const gates = found.points.filter(({ required }) => required).map(({ conditionType }) => conditionType);
  replace(changed, 'Kptfile', (text) => withOutcome(text, conditions, gates));
  return { ok: true, value: changed };
}

interface Chosen {
  readonly object: InventoryObject;
  readonly field: string;
  readonly value: YamlValue;
}

/** The object for a point, or why there is none. */
function choose(
  point: InjectionPoint,
  injectors: readonly Injector[],
  inventory: readonly InventoryObject[],
  namespace: string,
): Chosen | string {
  if (injectors.length === 0) return 'no injectors defined';
  const candidates = inventory.filter(
    ({ apiVersion, kind, metadata }) =>
      apiVersion === point.apiVersion &&
      kind === point.kind &&
      namespaceOf(metadata, namespace) === namespace,
  );
  if (candidates.length === 0) return `no in-cluster resources of type ${point.apiVersion}.${point.kind}`;
  const [group, version] = groupVersion(point.apiVersion);
  const fitting = injectors.filter(
    (injector) =>
      (injector.group ?? group) === group &&
      (injector.version ?? version) === version &&
      (injector.kind ?? point.kind) === point.kind,
  );
  for (const { name } of fitting) {
    const object = candidates.find(({ metadata }) => metadata.name === name);
    if (object === undefined) continue;
    const field = group === '' && point.kind === 'ConfigMap' ? 'data' : 'spec';
    const value = object.value[field];
    return value === undefined || value === null
      ? `field "${field}" not found in resource "${name}"`
      : { object, field, value };
  }
  return 'no resource matched any injection selector for this injection point';
}

function groupVersion(apiVersion: string): [group: string, version: string] {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}

function injection({ document }: InjectionPoint, { field, value }: Chosen, name: string): YamlEdit[] {
  return [
    { op: 'set', document, path: [field], value },
    { op: 'set', document, path: ['metadata', 'annotations', INJECTED_ANNOTATION], value: name },
  ];
}

function replace(files: Map<string, PackageFile>, path: string, edit: (text: string) => string): void {
  const file = files.get(path);
  if (file === undefined) return;
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(file.bytes);
  const after = edit(before);
  if (after !== before) files.set(path, { mode: file.mode, bytes: new TextEncoder().encode(after) });
}

/** Conditions and gates in the compareText of their types, as Porch sorts them. */
function withOutcome(kptfile: string, conditions: readonly Condition[], gates: readonly string[]): string {
  const root = asMap(readYaml(kptfile)[0]);
  const ours = new Map(conditions.map((condition) => [condition.type, condition]));
  const known = listAt(asMap(root?.['status'])?.['conditions']);
  const stay = known.filter((one) => !ours.has(typeOf(one, 'type')));
  const all = [...stay, ...[...ours.values()].map((one) => ({ ...one }))];
  const sortedConditions = all.toSorted((a, b) => compareText(typeOf(a, 'type'), typeOf(b, 'type')));
  const gatesThere = listAt(asMap(root?.['info'])?.['readinessGates']);
  const named = new Set(gatesThere.map((one) => typeOf(one, 'conditionType')));
  const present = gatesThere.filter(
    (one, at) =>
      gatesThere.findIndex((other) => typeOf(other, 'conditionType') === typeOf(one, 'conditionType')) === at,
  );
  const added = gates.filter((gate) => !named.has(gate)).map((conditionType) => ({ conditionType }));
  const sortedGates = [...present, ...added].toSorted((a, b) =>
    compareText(typeOf(a, 'conditionType'), typeOf(b, 'conditionType')),
  );
  return editYaml(kptfile, [
    ...(sortedGates.length === 0 ? [] : [setTo(['info', 'readinessGates'], sortedGates)]),
    setTo(['status', 'conditions'], sortedConditions),
  ]);
}

function setTo(path: readonly string[], value: YamlValue): YamlEdit {
  return { op: 'set', document: 0, path, value };
}

function listAt(value: YamlValue | undefined): readonly YamlValue[] {
  return Array.isArray(value) ? (value as readonly YamlValue[]) : [];
}

function typeOf(value: YamlValue, field: string): string {
  const type = asMap(value)?.[field];
  return typeof type === 'string' ? type : '';
}
