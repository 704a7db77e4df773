/** kubeconform v0.1 (krm-functions-catalog functions/go/kubeconform), with a schema of its own instead of files. */
import { isOnlyList, listItems } from '../../package/list-items.ts';
import { isMap, groupOf } from '../../package/plain-values.ts';
import { indexOf, pathOf } from '../../package/render/bookkeeping.ts';
import { getField, textOf } from '../../package/render/field-notes.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { shortenValue } from '../../text/cut-text.ts';
import { customResourceSchemas } from '../schema/custom-resource-schema.ts';
import { kubernetesSchema } from '../schema/kubernetes-schema.ts';
import type { SchemaOf } from '../schema/schema.ts';
import { validate } from '../schema/validate.ts';
import type { Budget, Complaint } from '../schema/validate.ts';
import { apiVersionOf, failure, isLocalConfig, kindOf, aboutOf, refOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

/** What one run may cost and say. */
const MAX_STEPS = 10_000_000;
const MAX_COMPLAINTS = 1_000;

/**
 * Checks every resource against the schema of its kind: Kubernetes' own, or that of a CustomResourceDefinition, of
 * `definitions` before those in the list, so that a package cannot loosen what it is held against. One error for each thing that is wrong; kinds without schema pass, as upstream lets them pass;
 * with `ignore_missing_schemas: "false"` each is a warning.
 */
export function kubeconform({ items, functionConfig = {}, definitions = [] }: BuiltinInput): BuiltinOutput {
  const location = foreignLocation(functionConfig);
  if (location !== undefined) return failure([location]);
  const skipped = new Set(listOf(functionConfig, 'skip_kinds'));
  const strict = /^(?:true|1)$/i.test(optionOf(functionConfig, 'strict'));
  const [configured, custom] = [definedElsewhere(definitions), customResourceSchemas(items)];
  const schemaOf: SchemaOf = (apiVersion, kind) =>
    skipped.has(kind) || skipped.has(`${apiVersion}/${kind}`)
      ? undefined
      : (kubernetesSchema(apiVersion, kind) ?? configured(apiVersion, kind) ?? custom(apiVersion, kind));
  const budget: Budget = { steps: MAX_STEPS, complaints: MAX_COMPLAINTS };
  const results = items.flatMap((item) =>
    complaintsOf(item, { schemaOf, strict, budget }).map((complaint) => resultOf(item, complaint)),
  );
  const stopped = stopOf(budget);
  if (stopped !== undefined) results.push({ message: stopped, severity: 'error' });
  if (results.length > 0) return failure(results);
  const isRequired = /^(?:false|0)$/i.test(optionOf(functionConfig, 'ignore_missing_schemas'));
  const unknown = isRequired ? items.filter((item) => isUnknown(item, { schemaOf, skipped })) : [];
  return { items, results: unknown.slice(0, MAX_COMPLAINTS).map(unknownResult) };
}

/** Definitions from elsewhere are the same list for many packages: what was read of them is kept as long as they are. */
const elsewhere = new WeakMap<readonly KrmObject[], SchemaOf>();

function definedElsewhere(definitions: readonly KrmObject[]): SchemaOf {
  const known = elsewhere.get(definitions) ?? customResourceSchemas(definitions);
  elsewhere.set(definitions, known);
  return known;
}

interface Check {
  readonly schemaOf: SchemaOf;
  readonly strict: boolean;
  readonly budget: Budget;
}

interface PlacedComplaint extends Complaint {
  /** The item of a list that it is about. */
  readonly subject?: ResultItem['resourceRef'];
}

/** A list's items are checked as resources of their own. */
function complaintsOf(item: KrmObject, check: Check): PlacedComplaint[] {
  const items = listItems(item);
  const own = items !== undefined && isOnlyList(item) ? [] : ownComplaints(item, check);
  const inner = (items ?? []).flatMap((one, at) => {
    const head = ['items', String(at)];
    return complaintsOf(one, check).map(({ message, subject = refOf(one), ...where }) => ({
      message,
      subject,
      path: [...head, ...where.path],
      ...(where.at && { at: [...head, ...where.at] }),
    }));
  });
  return [...own, ...inner];
}

function ownComplaints(item: KrmObject, { schemaOf, ...options }: Check): Complaint[] {
  const schema = schemaOf(apiVersionOf(item), kindOf(item));
  return schema === undefined ? [] : validate(schema, item, options);
}

/** Resources that no schema is known for, configuration of tools apart. */
function isUnknown(
  item: KrmObject,
  { schemaOf, skipped }: { readonly schemaOf: SchemaOf; readonly skipped: ReadonlySet<string> },
): boolean {
  const [apiVersion, kind] = [apiVersionOf(item), kindOf(item)];
  if (skipped.has(kind) || skipped.has(`${apiVersion}/${kind}`) || isLocalConfig(item)) return false;
  if (groupOf(apiVersion) === 'kpt.dev' || (apiVersion === 'v1' && kind === 'List')) return false;
  return schemaOf(apiVersion, kind) === undefined;
}

function unknownResult(item: KrmObject): ResultItem {
  const message = `no schema is known for ${kindOf(item)} of ${apiVersionOf(item)}: it was not checked`;
  return { message, severity: 'warning', ...aboutOf(item), field: { path: 'kind' } };
}

function resultOf(item: KrmObject, { message, path, at, subject }: PlacedComplaint): ResultItem {
  return {
    message,
    severity: 'error',
    ...aboutOf(item),
    ...(subject && { subject }),
    field: { path: path.join('.') },
    ...(at && placeOf(item, at)),
  };
}

/** Upstream names the map that has an unknown field; people want to be shown the field. */
function placeOf(item: KrmObject, at: readonly string[]): Pick<ResultItem, 'place'> {
  const path = pathOf(item);
  return path === undefined ? {} : { place: { path, index: indexOf(item) ?? 0, field: at.join('.') } };
}

function stopOf({ steps, complaints }: Budget): string | undefined {
  if (complaints < 0)
    return `Only the first ${MAX_COMPLAINTS} complaints are shown. Correct them and run it again.`;
  return steps < 0
    ? `The resources are too large to be checked in one run (${MAX_STEPS} steps). Split the package.`
    : undefined;
}

/** Places that mean the image's own schemas. */
const OWN_LOCATIONS = new Set(['default', '/jsonschema', 'file:///jsonschema']);

function foreignLocation(config: KrmObject): ResultItem | undefined {
  for (const option of ['schema_location', 'additional_schema_locations']) {
    const foreign = listOf(config, option).find((place) => !OWN_LOCATIONS.has(place));
    if (foreign === undefined) continue;
    const message =
      `${option} names ${JSON.stringify(shortenValue(foreign, 200))}, which cannot be read here: built-in functions have ` +
      'no network and no files. Remove it: the schemas of Kubernetes are built in, and those of custom resources ' +
      'come from the CustomResourceDefinitions in the package.';
    return { message, severity: 'error' };
  }
  return undefined;
}

function listOf(config: KrmObject, option: string): string[] {
  return optionOf(config, option)
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** An option stands at the root of the configuration, or in `data` of a ConfigMap. */
function optionOf(config: KrmObject, option: string): string {
  const data = getField(config, 'data');
  return textOf(config, option) ?? (isMap(data) ? textOf(data, option) : undefined) ?? '';
}
