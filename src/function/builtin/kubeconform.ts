import type { BuiltinFunction } from './builtin-function.ts';
import type { Builtin } from './krm.ts';

/** Loaded when a package asks for it: most of a short run is loading code. */
const run: Builtin = async (input) => (await import('./check-schemas.ts')).kubeconform(input);

export const kubeconform: BuiltinFunction = {
  name: 'kubeconform',
  versions: [{ major: 0, minor: 1, patch: 9, run }],
  type: 'validator',
  summary: 'validates resources against the schemas of their kinds (below)',
  config: ['none', 'ConfigMap'],
  fields: 'none',
  idempotent: 'yes',
};
