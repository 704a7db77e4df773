import type { BuiltinFunction } from './builtin-function.ts';
import type { Builtin } from './krm.ts';

/** Loaded when a package asks for it: most of a short run is loading code. */
const run: Builtin = async (input) => (await import('./run-script.ts')).starlark(input);

export const starlark: BuiltinFunction = {
  name: 'starlark',
  versions: [
    { major: 0, minor: 3, patch: 9, run },
    { major: 0, minor: 4, patch: 9, run },
    { major: 0, minor: 5, patch: 9, run },
  ],
  type: 'mutator or validator',
  summary: 'runs a script of the package on its resources (below)',
  config: ['StarlarkRun', 'ConfigMap'],
  fields: 'what the script changes',
  idempotent: 'as the script is',
};
