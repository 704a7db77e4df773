import type { PackageFiles } from '../package.ts';
import { isMap } from '../plain-values.ts';
import { setPlace } from './bookkeeping.ts';
import { copyValue } from './field-notes.ts';
import type { FunctionRuntime, FunctionSpec } from './function-runtime.ts';
import { runOf } from './hydrate.ts';
import type { Hydration } from './hydrate.ts';
import type { KrmObject } from './krm-object.ts';
import { cleanPath, notResource, packageDirs, problemOf, readSources } from './package-sources.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';
import type { RenderResult } from './render-types.ts';
import { finish } from './render.ts';
import { runFunction } from './run-function.ts';
import { WorkBudget } from './work-budget.ts';

export interface EvalInput {
  readonly files: PackageFiles;
  readonly runtime: FunctionRuntime;
  /** The function with its selectors and excludes; `configMap` becomes a ConfigMap `function-input`. */
  readonly spec: FunctionSpec;
  /** The functionConfig itself, from a file; wins over `spec.configMap`. */
  readonly functionConfig?: KrmObject;
  /** The file of `functionConfig` where it is part of the package: the function does not see it, as with the newest kpt. */
  readonly configFile?: string;
  /** False leaves out Kptfiles and the files that they name as functionConfig; the newest kpt hands them over. */
  readonly includeMetaResources?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Runs one function on a directory, like `kpt fn eval`: no pipeline, subpackages' resources included, a Kptfile not
 * needed. Never throws for what is in the files. Throws the signal's reason when it is aborted.
 */
export async function evalFunction(input: EvalInput): Promise<RenderResult> {
  const { files, runtime, spec, signal } = input;
  signal?.throwIfAborted();
  const dirs = packageDirs(files);
  let sources: ReadonlyMap<string, SourceFile>;
  try {
    sources = readSources(files, dirs.includes('.') ? dirs : ['.', ...dirs]);
  } catch (error) {
    return { ok: false, files, changed: [], runs: [], findings: [], problem: problemOf(error) };
  }
  const state: Hydration = {
    runtime,
    signal,
    budget: new WorkBudget(),
    onStep: undefined,
    runs: [],
    sources: new Map(),
    failed: undefined,
  };
  const hidden = input.includeMetaResources === false ? metaFiles(sources) : new Set<string>();
  if (input.configFile !== undefined) hidden.add(input.configFile);
  const given: KrmObject[] = [];
  const rest: KrmObject[] = [];
  for (const document of [...sources.values()].flatMap((source) => source.documents)) {
    const problem = notResource(document);
    if (problem !== undefined) return { ok: false, files, changed: [], runs: [], findings: [], problem };
    (hidden.has(document.file) ? rest : given).push(itemOf(document, state));
  }
  const functionConfig = input.functionConfig ?? inputConfig(spec);
  const { output, items: after } = await runFunction(given, {
    spec,
    package: '.',
    functionConfig,
    runtime,
    signal,
    budget: state.budget,
    step: 0,
    consume: true,
  });
  const run = runOf('.', spec, 'mutator', output);
  state.runs.push(run);
  const ok = run.exitCode === 0;
  if (!ok) state.failed = run;
  return finish({ input: { files }, sources, items: [...rest, ...after], state, ok, keep: ok });
}

function itemOf(document: SourceDocument, state: Hydration): KrmObject {
  const id = String(state.sources.size + 1);
  state.sources.set(id, document);
  const item = copyValue(document.value);
  setPlace(item, { package: '.', path: document.file, index: document.index }, id);
  return item;
}

/** Kptfiles, and the functionConfigs that they name. */
function metaFiles(sources: ReadonlyMap<string, SourceFile>): Set<string> {
  const hidden = new Set<string>();
  for (const [path, { documents }] of sources) {
    if (path !== 'Kptfile' && !path.endsWith('/Kptfile')) continue;
    hidden.add(path);
    const pipeline = documents[0]?.value['pipeline'];
    if (!isMap(pipeline)) continue;
    for (const entry of [pipeline['mutators'], pipeline['validators']].flat()) {
      const config = isMap(entry) ? entry['configPath'] : undefined;
      if (typeof config === 'string') hidden.add(cleanPath(`${path.slice(0, -'Kptfile'.length)}${config}`));
    }
  }
  return hidden;
}

/** Without a functionConfig, kpt gives an empty ConfigMap. */
function inputConfig(spec: FunctionSpec): KrmObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'function-input' },
    data: { ...spec.configMap },
  };
}
