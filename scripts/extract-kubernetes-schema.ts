/**
 * Writes src/function/schema/kubernetes.txt: the fields and types of Kubernetes' own resources, taken from the model
 * maps and type declarations of @kubernetes/client-node. Run it for a new version of Kubernetes:
 *
 *   npm pack @kubernetes/client-node@2.0.1   (unpack it), then
 *   node scripts/extract-kubernetes-schema.ts PACKAGE_DIR
 *
 * The declarations tell fields, types and what is required. They do not tell which strings are quantities: those are
 * listed here.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const TARGET = new URL('../src/function/schema/kubernetes.txt', import.meta.url);

/** Fields of type resource.Quantity, by model without its version (k8s.io/api). */
const QUANTITIES: Readonly<Record<string, readonly string[]>> = {
  CSIStorageCapacity: ['capacity', 'maximumVolumeSize'],
  CapacityRequestPolicy: ['default', 'validValues'],
  CapacityRequestPolicyRange: ['max', 'min', 'step'],
  CapacityRequirements: ['requests'],
  ContainerStatus: ['allocatedResources'],
  Counter: ['value'],
  DeviceCapacity: ['value'],
  DeviceRequestAllocationResult: ['consumedCapacity'],
  EmptyDirVolumeSource: ['sizeLimit'],
  HPAScalingRules: ['tolerance'],
  LimitRangeItem: ['default', 'defaultRequest', 'max', 'maxLimitRequestRatio', 'min'],
  MetricTarget: ['averageValue', 'value'],
  MetricValueStatus: ['averageValue', 'value'],
  NodeAllocatableResourceClaimStatus: ['resources'],
  NodeAllocatableResourceMapping: ['allocationMultiplier'],
  NodeStatus: ['allocatable', 'capacity'],
  Overhead: ['podFixed'],
  PersistentVolumeClaimStatus: ['allocatedResources', 'capacity'],
  PersistentVolumeSpec: ['capacity'],
  PodSpec: ['overhead'],
  PodStatus: ['allocatedResources'],
  ResourceFieldSelector: ['divisor'],
  ResourceQuotaSpec: ['hard'],
  ResourceQuotaStatus: ['hard', 'used'],
  ResourceRequirements: ['limits', 'requests'],
  VolumeResourceRequirements: ['limits', 'requests'],
};

interface Attribute {
  readonly name: string;
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

interface Model {
  /** Field name → type, in the notation of the written file. */
  readonly fields: ReadonlyMap<string, string>;
  readonly models: readonly string[];
}

const [packageDir] = process.argv.slice(2);
if (packageDir === undefined) {
  process.stderr.write('usage: extract-kubernetes-schema.ts PACKAGE_DIR\n');
  process.exit(64);
}

const text = extract(packageDir);
writeFileSync(TARGET, text);
process.stdout.write(`${TARGET.pathname}: ${Math.round(Buffer.byteLength(text) / 1024)} KiB\n`);

function extract(root: string): string {
  const gen = join(root, 'dist/gen');
  const kinds = readKinds(gen);
  const models = new Map<string, Model>();
  const waiting = kinds.map(({ model }) => model);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (models.has(name)) continue;
    const model = readModel(gen, name);
    models.set(name, model);
    waiting.push(...model.models);
  }
  for (const [name, fields] of Object.entries(QUANTITIES)) checkQuantities(models, name, fields);
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const api = /OpenAPI spec version: (\S+)/.exec(readFileSync(join(gen, 'models/V1Pod.d.ts'), 'utf8'))?.[1];
  return [
    `# Kubernetes' API ${api}: kinds, fields and types. Written by scripts/extract-kubernetes-schema.ts`,
    `# from @kubernetes/client-node ${version}. Copyright The Kubernetes Authors, Apache-2.0; see NOTICE.md.`,
    ...kinds.map(({ apiVersion, kind, model }) => `kind ${apiVersion} ${kind} ${model}`),
    ...[...models]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { fields }]) =>
        ['model', name, ...[...fields].map(([field, type]) => `${field}:${type}`)].join(' '),
      ),
    '',
  ].join('\n');
}

interface Kind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly model: string;
}

/** The kinds that can be created, and their lists, from the calls that the package still exports. */
function readKinds(gen: string): Kind[] {
  const exported = new Set(
    [...readFileSync(join(gen, 'index.js'), 'utf8').matchAll(/ as (\w+Api)\b/g)].map((match) => match[1]),
  );
  const found = new Map<string, Kind>();
  for (const file of readdirSync(join(gen, 'apis'))) {
    if (!file.endsWith('Api.js') || !exported.has(file.slice(0, -'.js'.length))) continue;
    const text = readFileSync(join(gen, 'apis', file), 'utf8');
    const lists = new Set([...text.matchAll(/"(\w+List)", ""/g)].map((match) => match[1]));
    for (const call of text.split("const localVarPath = '").slice(1)) {
      const path = call.slice(0, call.indexOf("'"));
      const model = /serialize\(body, "(\w+)"/.exec(call)?.[1];
      if (model === undefined || !call.includes('HttpMethod.POST)')) continue;
      const place = /^\/(?:api|apis\/([^/{]+))\/([^/{]+)\/(?:namespaces\/\{namespace\}\/)?[^/]+$/.exec(path);
      if (place === null) continue;
      const apiVersion = place[1] === undefined ? String(place[2]) : `${place[1]}/${place[2]}`;
      for (const name of lists.has(`${model}List`) ? [model, `${model}List`] : [model]) {
        const kind = shortName(name);
        found.set(`${apiVersion} ${kind}`, { apiVersion, kind, model: name });
      }
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}

function shortName(model: string): string {
  return model.replace(/^[A-Za-z]*?V\d+(?:(?:alpha|beta)\d+)?(?=[A-Z])/, '');
}

function readModel(gen: string, name: string): Model {
  const script = readFileSync(join(gen, `models/${name}.js`), 'utf8');
  const declarations = readFileSync(join(gen, `models/${name}.d.ts`), 'utf8');
  const map = /attributeTypeMap = (\[[^]*?\n\]);/.exec(script)?.[1];
  if (map === undefined) throw new Error(`${name} has no map of its fields`);
  const models: string[] = [];
  const fields = new Map<string, string>();
  for (const attribute of JSON.parse(map) as Attribute[]) {
    const declared = new RegExp(`^ {4}'${attribute.name.replaceAll('$', String.raw`\$`)}'(\\??):`, 'm').exec(
      declarations,
    );
    if (declared === null) throw new Error(`${name}.${attribute.name} is not declared`);
    const type = typeOf(name, attribute, models);
    fields.set(attribute.baseName, declared[1] === '' ? `${type}!` : type);
  }
  return { fields, models };
}

function typeOf(model: string, { baseName, type, format }: Attribute, models: string[]): string {
  const quantity = QUANTITIES[shortName(model)]?.includes(baseName) === true;
  const scalar = (name: string): string => {
    if (name === 'string') return quantity ? 'quantity' : 'string';
    if (name === 'number') return format === 'double' ? 'number' : 'integer';
    if (name === 'boolean') return 'boolean';
    if (name === 'Date' || name === 'V1MicroTime') return 'date';
    if (name === 'IntOrString') return 'int-or-string';
    // Beside JSON schemas, `any` stands for objects whose fields nobody knows (RawExtension, FieldsV1).
    if (name === 'any') return model === 'V1JSONSchemaProps' ? 'any' : 'object';
    if (!/^\w+$/.test(name)) throw new Error(`${model}.${baseName} has the unknown type ${name}`);
    models.push(name);
    return name;
  };
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) return `[${typeOf(model, { name: '', baseName, type: list, format }, models)}]`;
  const map = /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1];
  if (map !== undefined) return `{${typeOf(model, { name: '', baseName, type: map, format }, models)}}`;
  return scalar(type);
}

/** The table of quantities must fit the models, so that a renamed field is noticed. */
function checkQuantities(models: ReadonlyMap<string, Model>, name: string, wanted: readonly string[]): void {
  const same = [...models].filter(([model]) => shortName(model) === name);
  for (const field of wanted) {
    if (!same.some(([, { fields }]) => fields.get(field)?.includes('quantity') === true))
      throw new Error(`no ${name} has the quantity ${field}`);
  }
}
