import type { CommandState } from './command-state.ts';
import type { AnywhereCommand } from './command.ts';
import { packagesHere } from './draft-here.ts';
import { isOpenUpdate } from './fits.ts';
import { readPackagePath } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';

export const pause: AnywhereCommand = {
  name: 'pause',
  usage: 'pause [<package>]',
  summary: 'Stop the updates of a package from its upstream until they are resumed.',
  examples: [
    { line: '/portico pause', does: 'pauses the package of this pull request' },
    { line: '/portico pause apps/db', does: 'pauses apps/db; only /portico update still moves it' },
  ],
  accepts: { positional: 1 },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  fits: isOpenUpdate,
  decide(state, { positional: [named] }) {
    const packages = named === undefined ? packagesHere(state) : chosen(named, state);
    if ('kind' in packages) return packages;
    if (packages.length === 0) return whichPackage('pause');
    const { login } = state.caller;
    return { kind: 'do', steps: packages.map((path) => ({ do: 'pause-updates', package: path, login })) };
  },
};

export const resume: AnywhereCommand = {
  ...pause,
  name: 'resume',
  fits: () => false,
  usage: 'resume [<package>]',
  summary: 'Let the updates of a paused package come again.',
  examples: [{ line: '/portico resume apps/db', does: 'updates apps/db again, at once where one is due' }],
  decide(state, { positional: [named] }) {
    const packages = named === undefined ? packagesHere(state) : chosen(named, state);
    if ('kind' in packages) return packages;
    if (packages.length === 0) return whichPackage('resume');
    return { kind: 'do', steps: packages.map((path) => ({ do: 'resume-updates', package: path })) };
  },
};

function chosen(named: string, _state: CommandState): string[] | Refusal {
  const path = readPackagePath(named);
  return typeof path === 'string' ? [path] : path;
}

function whichPackage(verb: string): Refusal {
  return refuse('which-package', 'no package is named', `Write /portico ${verb} apps/db.`);
}
