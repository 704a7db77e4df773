import { PLAN } from './channel-verbs.ts';
import type { AnywhereCommand } from './command.ts';
import { readPackagePath } from './package-name.ts';

export const plan: AnywhereCommand = {
  ...PLAN,
  minimumRole: 'read',
  mayAlso: ['author'],
  contexts: 'pull-or-issue',
  guard: 'none',
  decide(_state, { positional: [named] }) {
    if (named === undefined) return { kind: 'do', steps: [{ do: 'show-plan' }] };
    const path = readPackagePath(named);
    return typeof path === 'string' ? { kind: 'do', steps: [{ do: 'show-plan', package: path }] } : path;
  },
};
