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
  summary: 'Propose to delete a package; in an issue, propose to retire one of its revisions.',
  examples: [
    { line: '/portico delete web', does: 'opens a proposal that deletes the package; its tags stay' },
    {
      line: '/portico delete web/cache',
      does: 'in a pull request that changes web, deletes its subpackage cache',
    },
    {
      line: '/portico delete web@v3',
      does: 'in an issue, proposes to delete the tag and the release of v3; /portico approve there does so',
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
    const usage = 'Write /portico delete followed by a package or by package@v3.';
    if (name === undefined) return refuse('bad-argument', 'the package is missing', usage);
    const both = parsePackageAtRevision(name);
    if (both === undefined) {
      if (packagePathProblem(name) !== undefined || name.includes('@')) {
        return refuse('bad-argument', `${shown(name)} is neither a package nor a revision`, usage);
      }
      return (
        removeSubpackage(state, name) ?? { kind: 'do', steps: [{ do: 'propose-deletion', package: name }] }
      );
    }
    if (place.kind === 'pull') {
      const hint = 'Run it in an issue, where it can be discussed and approved.';
      return refuse('wrong-place', 'revisions are retired in issues, and this is a pull request', hint);
    }
    const { path, revision } = both;
    return {
      kind: 'do',
      steps: [{ do: 'request-retirement', package: path, revision, login: caller.login }],
    };
  },
};
