/** The order in which packages are rendered, and what each of their functions sees. */
import { upTo } from '../../text/ends.ts';
import { isMap } from '../plain-values.ts';
import { annotationOf, ID, PACKAGE_PATH, pathOf, setPlace } from './bookkeeping.ts';
import { copyValue, sameValue } from './field-notes.ts';
import type { FunctionRuntime, FunctionSpec } from './function-runtime.ts';
import type { HiddenFile } from './hidden-resources.ts';
import type { KrmObject } from './krm-object.ts';
import { isReferenced } from './load-package.ts';
import type { LoadedPackage } from './load-package.ts';
import { byPath, cleanPath } from './package-sources.ts';
import type { SourceDocument } from './read-resources.ts';
import type { FunctionRun } from './render-types.ts';
import { runFunction } from './run-function.ts';
import type { WorkBudget } from './work-budget.ts';

/** State of one render: what ran, and by which identity each document goes. */
export interface Hydration {
  readonly runtime: FunctionRuntime;
  readonly signal: AbortSignal | undefined;
  readonly budget: WorkBudget;
  readonly onStep: ((step: { readonly package: string; readonly function: string }) => void) | undefined;
  readonly runs: FunctionRun[];
  readonly sources: Map<string, SourceDocument>;
  /** The outcome is kept also where a function fails, so that functions may not work on the only copy. */
  readonly saves?: boolean;
  /** Runs whose function changed data; kept where it is asked for. */
  readonly changing?: Set<FunctionRun>;
  /** Files that only validating guardrails see. */
  readonly hidden?: readonly HiddenFile[];
  /** Set by the first function that failed; nothing runs after it. */
  failed: FunctionRun | undefined;
}

/**
 * Runs the pipelines of a tree of packages and gives all resources, as the newest kpt orders them: a package's
 * subpackages first, then its own pipeline on its own resources followed by theirs.
 */
export async function hydrate(root: LoadedPackage, state: Hydration): Promise<readonly KrmObject[]> {
  const wide = annotationOf(root.kptfile.value, 'kpt.dev/bfs-rendering')?.toLowerCase() === 'true';
  return wide ? hydrateDown(root, state) : hydrateUp(root, state);
}

async function hydrateUp(loaded: LoadedPackage, state: Hydration): Promise<readonly KrmObject[]> {
  const below: KrmObject[] = [];
  for (const child of loaded.subpackages) below.push(...(await hydrateUp(child, state)));
  return runPipeline(loaded, [...ownItems(loaded, state), ...below], state);
}

/** Breadth first: a package's pipeline sees its own resources and all below, before the packages below run. */
async function hydrateDown(root: LoadedPackage, state: Hydration): Promise<readonly KrmObject[]> {
  const order: LoadedPackage[] = [root];
  for (const loaded of order) order.push(...loaded.subpackages);
  const items = new Map(order.map((loaded) => [loaded.dir, ownItems(loaded, state)]));
  for (const loaded of order) {
    const scope = order.filter(({ dir }) => dir === loaded.dir || isBelow(dir, loaded.dir));
    const seen = scope.flatMap(({ dir }) => items.get(dir) ?? []);
    const after = Map.groupBy(
      await runPipeline(loaded, seen, state),
      (item) => annotationOf(item, PACKAGE_PATH) ?? '.',
    );
    for (const { dir } of scope) items.set(dir, after.get(dir) ?? []);
  }
  return order.flatMap(({ dir }) => items.get(dir) ?? []);
}

function isBelow(dir: string, above: string): boolean {
  return above === '.' || dir.startsWith(`${above}/`);
}

/** The package's resources with their bookkeeping: the Kptfile and all files in path order. */
function ownItems(loaded: LoadedPackage, state: Hydration): KrmObject[] {
  return loaded.documents
    .toSorted((a, b) => byPath(a.file, b.file) || a.index - b.index)
    .map((document) => {
      const id = String(state.sources.size + 1);
      state.sources.set(id, document);
      const item = copyValue(document.value);
      const path = loaded.dir === '.' ? document.file : document.file.slice(loaded.dir.length + 1);
      setPlace(item, { package: loaded.dir, path, index: document.index }, id);
      return item;
    });
}

async function runPipeline(
  loaded: LoadedPackage,
  input: readonly KrmObject[],
  state: Hydration,
): Promise<readonly KrmObject[]> {
  let items = input;
  for (const spec of loaded.pipeline.mutators)
    items = await runOne({ loaded, spec, type: 'mutator', items, state });
  for (const spec of loaded.pipeline.validators)
    await runOne({ loaded, spec, type: 'validator', items, state });
  return items;
}

/** Runs one function unless one failed before; validators get copies, and what they return is dropped. */
async function runOne({
  loaded,
  spec,
  type,
  items,
  state,
}: {
  readonly loaded: LoadedPackage;
  readonly spec: FunctionSpec;
  readonly type: FunctionRun['type'];
  readonly items: readonly KrmObject[];
  readonly state: Hydration;
}): Promise<readonly KrmObject[]> {
  if (state.failed !== undefined) return items;
  const { dir } = loaded;
  state.signal?.throwIfAborted();
  const name = functionName(spec);
  state.onStep?.({ package: dir, function: name });
  const functionConfig =
    spec.configRef === undefined
      ? lostConfig(dir, spec, items, state)
      : referenced(loaded, spec, items, state);
  const { output, items: after } = await runFunction(items, {
    spec,
    package: dir,
    ...(functionConfig === undefined ? {} : { functionConfig }),
    runtime: state.runtime,
    signal: state.signal,
    budget: state.budget,
    step: state.runs.length,
    discard: type === 'validator',
    consume: type === 'mutator' && state.saves !== true && state.changing === undefined,
  });
  const run = runOf(dir, spec, type, output);
  state.runs.push(run);
  const errors = type === 'validator' && run.results.some((result) => result.severity === 'error');
  if (run.exitCode !== 0 || errors) state.failed = run;
  if (type === 'validator') return items;
  const { changing } = state;
  if (
    changing !== undefined &&
    !(after.length === items.length && after.every((item, at) => sameValue(item, items[at])))
  )
    changing.add(run);
  return after;
}

/** A config file that an earlier function removed is used as the package has it. */
function lostConfig(
  dir: string,
  { configPath }: FunctionSpec,
  items: readonly KrmObject[],
  state: Hydration,
): KrmObject | undefined {
  if (configPath === undefined) return undefined;
  const path = cleanPath(configPath);
  if (items.some((item) => pathOf(item) === path && annotationOf(item, PACKAGE_PATH) === dir))
    return undefined;
  const file = dir === '.' ? path : `${dir}/${path}`;
  return [...state.sources.values()].find((document) => document.file === file)?.value;
}

/** The resource that `configRef` names, as earlier functions have left it, or as the package has it. */
function referenced(
  { documents }: LoadedPackage,
  { configRef }: FunctionSpec,
  items: readonly KrmObject[],
  { sources }: Hydration,
): KrmObject | undefined {
  const document = documents.find((one) => isReferenced(one, configRef));
  const id = [...sources].find(([, one]) => one === document)?.[0];
  return items.find((item) => annotationOf(item, ID) === id) ?? document?.value;
}

/** What is kept of a run. */
export function runOf(
  dir: string,
  spec: FunctionSpec,
  type: FunctionRun['type'],
  output: { readonly exitCode: number } & Pick<FunctionRun, 'results' | 'stderr' | 'unconfined' | 'refused'>,
): FunctionRun {
  const { exitCode, results, stderr, unconfined, refused } = output;
  return {
    package: dir,
    function: functionName(spec),
    spec,
    type,
    exitCode: exitCode === 0 && refused !== undefined ? 1 : exitCode,
    results,
    ...(stderr === undefined || stderr === '' ? {} : { stderr }),
    ...(unconfined === undefined ? {} : { unconfined }),
    ...(refused === undefined ? {} : { refused }),
  };
}

/** Short name: the image without its registry, with its tag or the digest that overrules it; or the program. */
function functionName(spec: FunctionSpec): string {
  if (spec.image === undefined) return spec.exec ?? spec.name ?? '';
  const last = spec.image.split('/').at(-1) ?? spec.image;
  return spec.tag === undefined || last.includes('@') ? last : `${upTo(last, ':@')}:${spec.tag}`;
}

/** True for a Kptfile that wants its render's partial outcome written. */
export function savesOnFailure(root: LoadedPackage): boolean {
  const metadata = root.kptfile.value['metadata'];
  const annotations = isMap(metadata) ? metadata['annotations'] : undefined;
  return isMap(annotations) && String(annotations['kpt.dev/save-on-render-failure']).toLowerCase() === 'true';
}
