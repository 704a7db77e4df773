import type { CommandState } from './command-state.ts';
import type { AnywhereCommand } from './command.ts';
import { packagesHere } from './draft-here.ts';
import { isOpenUpdate } from './fits.ts';
import { readPackagePath } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';

export const pause: AnywhereCommand = {
  name: 'pause',
  usage: 'pause [[<repository>:]<package>]',
  summary: 'Stop upstream updates of a package until they are resumed.',
  examples: [
    { line: '/portico pause', does: 'pauses the package of this pull request' },
    { line: '/portico pause apps/db', does: 'pauses apps/db; only /portico update still updates it' },
    {
      line: '/portico pause acme/edge-7:web',
      does: 'pauses web in the repository acme/edge-7, with the rights that you have there',
    },
  ],
  accepts: { positional: 1 },
  minimumRole: 'write',
  mayAlso: [],
  reachesElsewhere: true,
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
  usage: 'resume [[<repository>:]<package>]',
  summary: 'Resume upstream updates of a paused package.',
  examples: [
    { line: '/portico resume apps/db', does: 'resumes updates of apps/db; a due update comes at once' },
    { line: '/portico resume acme/edge-7:web', does: 'resumes updates of web in the repository acme/edge-7' },
  ],
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
  return refuse('which-package', 'the package is missing', `Write /portico ${verb} apps/db.`);
}
