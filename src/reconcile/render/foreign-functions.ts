/** Pure: with which functions a package is rendered. */
import type { FunctionRuntime } from '../../package/render/function-runtime.ts';
import type { LoadedGuardrails } from './guardrails.ts';

/** What runs may depend on who proposes. */
interface Origin {
  /** False for a proposal from a fork. */
  readonly writable?: boolean;
}

/** The runtime with the functions that the base branch allows; in a proposal from a fork they are refused by name. */
export function runtimeFor(
  runtime: FunctionRuntime,
  loaded: Pick<LoadedGuardrails, 'foreign'>,
  origin: Origin = {},
): FunctionRuntime {
  const { foreign } = loaded;
  if (!hasForeign(foreign) || runtime.withForeign === undefined) return runtime;
  if (!isDenied(loaded, origin)) return runtime.withForeign(foreign);
  const denied = 'the proposal comes from a fork, where only built-in functions run.';
  return runtime.withForeign({ ...foreign, denied });
}

/** True where functions are allowed, and not to this proposal: what it renders to is then something else. */
export function isDenied({ foreign }: Pick<LoadedGuardrails, 'foreign'>, { writable }: Origin): boolean {
  return hasForeign(foreign) && writable === false;
}

function hasForeign({ allowed, policies }: LoadedGuardrails['foreign']): boolean {
  return allowed.length > 0 || policies === true;
}
