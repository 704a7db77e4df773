import { parsePackageAtRevision } from '../revision/package-at-revision.ts';
import { packagePathProblem } from '../revision/ref-name.ts';
import { shown } from './arguments.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { removeSubpackage } from './draft-here.ts';
import { isIssue } from './fits.ts';
import { refuse } from './refusal.ts';

export const remove: AnywhereCommand = {
  name: 'delete',
  usage: 'delete <package>[@<revision>]',
  summary: 'Propose to remove a package, or, in an issue, to retire one of its revisions.',
  examples: [
    { line: '/portico delete web', does: 'opens a proposal that removes the package; its tags stay' },
    {
      line: '/portico delete web/cache',
      does: 'in a pull request that changes web, removes its subpackage there',
    },
    {
      line: '/portico delete web@v3',
      does: 'asks, in an issue, to take the tag and the release away; /portico approve there does it',
    },
  ],
  accepts: { positional: 1 },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  fits: isIssue,
  decide(state, { positional: [name] }): Decision {
    const { place, caller } = state;
    const usage = 'Write /portico delete and a package, or package@v3.';
    if (name === undefined) return refuse('bad-argument', 'a package is needed', usage);
    const both = parsePackageAtRevision(name);
    if (both === undefined) {
      if (packagePathProblem(name) !== undefined || name.includes('@')) {
        return refuse('bad-argument', `${shown(name)} names no package and no revision`, usage);
      }
      return (
        removeSubpackage(state, name) ?? { kind: 'do', steps: [{ do: 'propose-deletion', package: name }] }
      );
    }
    if (place.kind === 'pull') {
      const hint = 'Say it in an issue: there it is discussed and approved.';
      return refuse('wrong-place', 'a revision is retired in an issue, and this is a pull request', hint);
    }
    const { path, revision } = both;
    return {
      kind: 'do',
      steps: [{ do: 'request-retirement', package: path, revision, login: caller.login }],
    };
  },
};
