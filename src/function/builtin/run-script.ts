/** starlark v0.4, v0.5 (krm-functions-catalog functions/go/starlark): a script of the package changes its resources. */
import { PorticoError } from '../../error.ts';
import { isMap, groupOf } from '../../package/plain-values.ts';
import { textOf } from '../../package/render/field-notes.ts';
import type { KrmObject } from '../../package/render/krm-object.ts';
import { Budget, LIMITS } from '../starlark/budget.ts';
import type { Limits } from '../starlark/budget.ts';
import { fromKrm, toKrmItems } from '../starlark/krm-values.ts';
import { loadLibrary } from '../starlark/library/library.ts';
import { runScript } from '../starlark/run.ts';
import { Dict, List, Module } from '../starlark/value.ts';
import type { Value } from '../starlark/value.ts';
import { apiVersionOf, configMapData, failure, kindOf, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

/** Runs the functionConfig's `source` over `ctx.resource_list`. A script that fails gives one error result. */
export function starlark(input: BuiltinInput): BuiltinOutput {
  const source = sourceOf(input.functionConfig);
  if (typeof source !== 'string') return failure([{ message: source.problem, severity: 'error' }]);
  const resources = new Dict();
  resources.set('apiVersion', 'config.kubernetes.io/v1');
  resources.set('kind', 'ResourceList');
  resources.set('items', new List(input.items.map((item) => fromKrm(item))));
  if (input.functionConfig !== undefined) resources.set('functionConfig', fromKrm(input.functionConfig));
  const name = nameOf(input.functionConfig ?? {});
  const { budget } = input;
  const limits: Limits = {
    ...LIMITS,
    steps: Math.min(LIMITS.steps, budget.left('scriptSteps')),
    bytes: Math.min(LIMITS.bytes, budget.left('scriptBytes')),
  };
  const run = runScript(name, source, {
    limits,
    globals: new Map([['ctx', contextOf(resources)]]),
    load: loadLibrary,
  });
  // A script that met what the others had left is told of the limit of them all.
  budget.spend('scriptSteps', run.budget.steps + Math.ceil(source.length / 8));
  budget.spend('scriptBytes', run.budget.bytes);
  if (run.error !== undefined)
    return failed(run.error, [run.output, run.backtrace === undefined ? '' : `${run.backtrace}\n`].join(''));
  try {
    // What the script used up is not counted against what it leaves.
    const items = toKrmItems(resources.get('items'), new Budget(LIMITS));
    return { items, results: [], ...(run.output === '' ? {} : { stderr: run.output.trimEnd() }) };
  } catch (error) {
    if (error instanceof PorticoError) return failed(error.message, run.output);
    throw error;
  }
}

function failed(message: string, log: string): BuiltinOutput {
  const stderr = `${log}failed to evaluate function: error: function failure`;
  return failure([{ message, severity: 'error' }], stderr);
}

/** The script, or what is wrong with the configuration. */
function sourceOf(config: KrmObject | undefined): string | { readonly problem: string } {
  if (config === undefined) return { problem: '`functionConfig` must be a `StarlarkRun` or a `ConfigMap`' };
  const data = configMapData(config);
  const run = kindOf(config) === 'StarlarkRun' && groupOf(apiVersionOf(config)) === 'fn.kpt.dev';
  if (data === undefined && !run) {
    const problem = `\`functionConfig\` must be a \`StarlarkRun\` of fn.kpt.dev or a \`ConfigMap\` of v1, not ${kindOf(config)} of ${apiVersionOf(config)}`;
    return { problem };
  }
  const given = data === undefined ? config : isMap(config['data']) ? config['data'] : {};
  const source = textOf(given, 'source') ?? '';
  return source === '' ? { problem: '`source` must not be empty' } : source;
}

/** What a script finds as `ctx`. */
function contextOf(resources: Dict): Value {
  const members = new Map<string, Value>([
    ['resource_list', resources],
    // Nothing of the process is for scripts to see.
    ['environment', new Dict()],
  ]);
  return new Module('ctx', members, 'struct', 'it would make a render depend on more than the package');
}
