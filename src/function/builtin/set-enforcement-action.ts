/** set-enforcement-action v0.1 (krm-functions-catalog functions/go/set-enforcement-action). */
import { ensureMap } from '../../package/render/bookkeeping.ts';
import type { ResultItem } from '../../package/render/function-runtime.ts';
import type { BuiltinFunction } from './builtin-function.ts';
import { apiVersionOf, configMapData, pathOnly, frameworkFailure, nameOf } from './krm.ts';
import type { BuiltinInput, BuiltinOutput } from './krm.ts';

export const setEnforcementAction: BuiltinFunction = {
  name: 'set-enforcement-action',
  versions: [{ major: 0, minor: 1, patch: 9, run }],
  type: 'mutator',
  summary: 'sets the enforcement action of Gatekeeper constraints',
  config: ['ConfigMap'],
  fields: 'spec.enforcementAction',
  idempotent: 'yes',
};

/** Sets `spec.enforcementAction` of policy constraints. Results: how many, and each name. */
function run(input: BuiltinInput): BuiltinOutput {
  const data = configMapData(input.functionConfig) ?? {};
  const action = data['enforcementAction'];
  if (Object.keys(data).length !== 1 || action === undefined) {
    return frameworkFailure(
      'failed to configure function: exactly one key `enforcementAction` must be given',
    );
  }
  if (!['deny', 'warn', 'dryrun'].includes(action)) {
    return frameworkFailure(
      'failed to configure function: expected values for enforcementAction are [deny] or [warn] or [dryrun]',
    );
  }
  const policies = input.items.filter((item) => apiVersionOf(item) === 'constraints.gatekeeper.sh/v1beta1');
  for (const policy of policies) ensureMap(policy, 'spec')['enforcementAction'] = action;
  const message = `Number of policies set to [${action}]: ${policies.length}`;
  const names = policies.map((item): ResultItem => ({
    message: `Policy name: [${nameOf(item)}]`,
    severity: 'info',
    ...pathOnly(item),
  }));
  return { items: input.items, results: [{ message, severity: 'info' }, ...names] };
}
