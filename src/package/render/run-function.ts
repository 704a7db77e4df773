/** One function on a list of resources: what it gets, what is checked, how its answer is merged back. */
import type { Refusal } from '../../error.ts';
import { isMap } from '../plain-values.ts';
import { annotationOf, ID, indexOf, LEGACY_ID, PACKAGE_PATH, pathOf, setPlace } from './bookkeeping.ts';
import type { Place } from './bookkeeping.ts';
import { copyValue } from './field-notes.ts';
import { resultsFault, sizeFault, spendOn } from './function-limits.ts';
import type { FunctionOutput, FunctionRuntime, FunctionSpec } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';
import { absentField, cleanPath, missingField } from './package-sources.ts';
import { isSelected } from './select.ts';
import type { WorkBudget } from './work-budget.ts';

export interface StepInput {
  readonly spec: FunctionSpec;
  /** The package whose pipeline runs it, '.' for the root. */
  readonly package: string;
  /** Wins over what the spec says. */
  readonly functionConfig?: KrmObject;
  readonly runtime: FunctionRuntime;
  readonly signal?: AbortSignal | undefined;
  readonly budget: WorkBudget;
  /** Definitions of custom resources from elsewhere. */
  readonly definitions?: readonly KrmObject[] | undefined;
  /** Which function of the render this is; makes identities unique. */
  readonly step: number;
  /** For validators: the answer's items are not looked at. */
  readonly discard?: boolean;
  /**
   * Nobody needs the items as they were: the function gets them instead of copies. Those of a function that fails are
   * then in whatever state it left them.
   */
  readonly consume?: boolean;
}

export interface StepOutput {
  readonly output: FunctionOutput;
  /** The resources afterwards; those from before where the function failed. */
  readonly items: readonly KrmObject[];
}

/** What a resource was before the function. */
interface Former {
  readonly id: string | undefined;
  readonly place: Place;
  readonly identity: string;
  /** The field for lack of which it was no resource already. */
  readonly absent: string | undefined;
  readonly kptfile: boolean;
}

/**
 * Runs a function on copies of the selected items and merges its answer back: an item with a known identity takes
 * its old one's place, a missing one is deleted, an item without identity is new.
 */
export async function runFunction(items: readonly KrmObject[], input: StepInput): Promise<StepOutput> {
  const { spec } = input;
  const beyond = spendOn(spec, items, input.budget);
  if (beyond !== undefined) return { output: beyond, items };
  const selecting = (spec.selectors ?? []).length > 0 || (spec.exclude ?? []).length > 0;
  const selected = selecting ? items.filter((item) => isSelected(item, spec)) : items;
  const functionConfig = input.functionConfig ?? configOf(spec, items, input.package);
  const formers = input.discard === true ? [] : selected.map(formerOf);
  const output = await input.runtime.run(
    spec,
    {
      items: input.consume === true ? selected : selected.map(copyValue),
      ...(functionConfig === undefined ? {} : { functionConfig: copyValue(functionConfig) }),
      ...(input.definitions === undefined ? {} : { definitions: input.definitions }),
      budget: input.budget,
    },
    input.signal,
  );
  const beside = resultsFault(output.results);
  if (beside !== undefined) return { output: failed({ ...output, results: [] }, beside), items };
  if (output.exitCode !== 0 || output.refused !== undefined) return { output, items };
  if (input.discard === true || output.items === undefined) return { output, items };
  const grown = sizeFault(output.items);
  if (grown !== undefined) return { output: failed(output, grown), items };
  const answer = identify(output.items, formers);
  const old = new Map(formers.map((former) => [former.id, former]));
  const dirs = new Set(formers.map(({ place }) => place.package));
  for (const item of items) if (selecting) dirs.add(annotationOf(item, PACKAGE_PATH) ?? '.');
  for (const [at, item] of answer.entries())
    adopt({ item, old: old.get(annotationOf(item, ID)), dirs, input, at });
  const fault = findFault(answer, formers, old);
  if (fault !== undefined) return { output: failed(output, fault), items };
  if (!selecting) return { output, items: answer };
  const returned = new Map(answer.map((item) => [annotationOf(item, ID), item]));
  const touched = new Map(selected.map((item, at) => [item, formers[at]?.id]));
  const merged = items.flatMap((item): KrmObject[] => {
    if (!touched.has(item)) return [item];
    const now = returned.get(touched.get(item));
    return now === undefined ? [] : [now];
  });
  return { output, items: [...merged, ...answer.filter((item) => !old.has(annotationOf(item, ID)))] };
}

function formerOf(item: KrmObject): Former {
  const place = placeOf(item);
  return {
    id: annotationOf(item, ID),
    place,
    identity: identityOf(item),
    absent: absentField(item),
    kptfile: isKptfile(item, place.path),
  };
}

/** The functionConfig that a Kptfile's entry asks for; a config file is read as earlier functions have left it. */
function configOf(spec: FunctionSpec, items: readonly KrmObject[], dir: string): KrmObject | undefined {
  if (spec.configPath !== undefined) {
    const path = cleanPath(spec.configPath);
    return items.find((item) => pathOf(item) === path && annotationOf(item, PACKAGE_PATH) === dir);
  }
  return configMapOf(spec);
}

/** The ConfigMap that kpt makes of `configMap`. */
export function configMapOf(spec: FunctionSpec): KrmObject | undefined {
  if (spec.configMap === undefined || Object.keys(spec.configMap).length === 0) return undefined;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'function-input' },
    data: { ...spec.configMap },
  };
}

/** Items that lost their identity on the way get it back where type and name still say who they are. */
function identify(answer: readonly KrmObject[], formers: readonly Former[]): KrmObject[] {
  const known = new Map(formers.map((former) => [former.id, former]));
  const seen = new Set<string>();
  const lost: KrmObject[] = [];
  for (const item of answer) {
    const own = annotationOf(item, ID);
    const id = own ?? annotationOf(item, LEGACY_ID);
    const former = known.get(id);
    if (id === undefined || former === undefined || seen.has(id)) {
      lost.push(item);
      continue;
    }
    seen.add(id);
    if (own === undefined) setPlace(item, placeIn(item, former), id);
  }
  if (lost.length === 0) return [...answer];
  const missing = Map.groupBy(
    formers.filter(({ id }) => !seen.has(id ?? '')),
    ({ identity }) => identity,
  );
  for (const item of lost) {
    const identity = identityOf(item);
    const candidates = missing.get(identity) ?? [];
    const wanted = pathOf(item);
    const match = candidates.find(({ place }) => wanted === undefined || place.path === wanted);
    if (match === undefined) forget(item);
    else {
      missing.set(
        identity,
        candidates.filter((candidate) => candidate !== match),
      );
      setPlace(item, placeIn(item, match), match.id);
    }
  }
  return [...answer];
}

/** Where an item wants to be, and where it was for what it does not say. */
function placeIn(item: KrmObject, { place }: Former): Place {
  return { ...place, path: pathOf(item) ?? place.path, index: indexOf(item) ?? place.index };
}

function identityOf(item: KrmObject): string {
  const metadata = isMap(item['metadata']) ? item['metadata'] : {};
  const parts = [item['apiVersion'], item['kind'], metadata['namespace'] ?? '', metadata['name']];
  return parts.map(String).join('\n');
}

/** A copy of another resource is new: it may not keep the other's identity. */
function forget(item: KrmObject): void {
  const metadata = item['metadata'];
  const annotations = isMap(metadata) ? metadata['annotations'] : undefined;
  if (!isMap(annotations)) return;
  delete annotations[ID];
  delete annotations[LEGACY_ID];
}

function placeOf(item: KrmObject): Place {
  return { package: annotationOf(item, PACKAGE_PATH) ?? '.', path: pathOf(item) ?? '', index: indexOf(item) };
}

/** Completes the bookkeeping of an item that a function gave back. */
function adopt({
  item,
  old,
  dirs,
  input,
  at,
}: {
  readonly item: KrmObject;
  readonly old: Former | undefined;
  readonly dirs: ReadonlySet<string>;
  readonly input: StepInput;
  readonly at: number;
}): void {
  const owner = old === undefined ? annotationOf(item, PACKAGE_PATH) : old.place.package;
  // A new resource may say which of the packages it belongs to, but it may not invent one.
  const dir = owner !== undefined && dirs.has(owner) ? owner : input.package;
  const before = old?.place;
  const written = changedOf(item, before?.path, 'path') ?? pathOf(item) ?? before?.path ?? defaultPath(item);
  // The newest kpt takes an absolute path as one below the package.
  const path = written.replace(/^\/+/, '');
  const index = changedOf(item, before?.index === undefined ? undefined : String(before.index), 'index');
  const number =
    index === undefined || !/^\d{1,9}$/.test(index) ? (indexOf(item) ?? before?.index) : Number(index);
  const id = old?.id ?? annotationOf(item, ID) ?? `new-${input.step}-${at}`;
  setPlace(item, { package: dir, path, index: number }, id);
}

/** A function may set the present annotation or the legacy one: the one that it changed counts. */
function changedOf(item: KrmObject, before: string | undefined, part: 'path' | 'index'): string | undefined {
  const now = annotationOf(item, `internal.config.kubernetes.io/${part}`);
  const legacy = annotationOf(item, `config.kubernetes.io/${part}`);
  if (now !== undefined && now !== before) return now;
  return legacy !== undefined && legacy !== before ? legacy : undefined;
}

/** Where kpt puts a new resource: `<namespace>/<kind>_<name>.yaml`. */
export function defaultPath(item: KrmObject): string {
  const metadata = isMap(item['metadata']) ? item['metadata'] : {};
  const file = `${String(item['kind']).toLowerCase()}_${typeof metadata['name'] === 'string' ? metadata['name'] : ''}.yaml`;
  const namespace = metadata['namespace'];
  return typeof namespace === 'string' && namespace !== '' ? `${namespace}/${file}` : file;
}

function findFault(
  answer: readonly KrmObject[],
  formers: readonly Former[],
  old: ReadonlyMap<string | undefined, Former>,
): Refusal | undefined {
  const places = new Set<string>();
  for (const item of answer) {
    const path = pathOf(item) ?? '';
    const field = missingField(item, path);
    const before = old.get(annotationOf(item, ID));
    // What was no resource before the function is not the function's fault.
    if (field !== undefined && before?.absent !== field) {
      const message = `The function returned a resource without \`${field}\` (${path}).`;
      return { code: 'FUNCTION_NOT_A_RESOURCE', message, hint: 'Fix the function.' };
    }
    const clean = cleanPath(path);
    if (clean.split('/').includes('..') || clean === '') {
      const message = `The function must not modify resources outside of the package: a resource has the path ${path}.`;
      return { code: 'FUNCTION_PATH_OUTSIDE', message, hint: 'The function must write below the package.' };
    }
    const index = indexOf(item);
    const place = `${annotationOf(item, PACKAGE_PATH) ?? '.'}\n${clean}\n${index}`;
    if (index !== undefined && places.has(place)) {
      const message = `The function returned two resources for position ${index} of ${path}.`;
      return {
        code: 'FUNCTION_PLACE_TAKEN',
        message,
        hint: 'Let the function leave the index annotation out.',
      };
    }
    places.add(place);
  }
  const kept = new Set(answer.map((item) => annotationOf(item, ID)));
  const dropped = formers.find((former) => former.kptfile && !kept.has(former.id));
  if (dropped === undefined) return undefined;
  return {
    code: 'FUNCTION_DROPPED_KPTFILE',
    message: `The function removed the Kptfile of ${dropped.place.package === '.' ? 'this package' : `package ${dropped.place.package}`}.`,
    hint: 'Exclude it with `exclude: [{ kind: Kptfile }]`, or fix the function.',
  };
}

function isKptfile(item: KrmObject, path: string): boolean {
  return item['kind'] === 'Kptfile' && /(?:^|\/)Kptfile$/.test(path);
}

function failed(output: FunctionOutput, fault: Refusal): FunctionOutput {
  const { items: _items, ...rest } = output;
  return {
    ...rest,
    exitCode: 1,
    results: [
      ...output.results,
      { message: `${fault.message} ${fault.hint}`, severity: 'error', tags: { code: fault.code } },
    ],
  };
}
