import { approve } from './approve.ts';
import { authorize } from './authorize.ts';
import type { AnywhereCommand } from './command.ts';
import { newDraft, packageHere } from './draft-here.ts';
import { isIssue, isMergedPull } from './fits.ts';
import { readPackageAtRevision, revisionOf } from './package-name.ts';
import { refuse } from './refusal.ts';

export const rollback: AnywhereCommand = {
  name: 'rollback',
  usage: 'rollback <package>@<revision> [--workspace=<name>] [--anyway]',
  summary: 'Open a draft that restores an earlier revision; when published, it becomes the next revision.',
  examples: [
    { line: '/portico rollback web@v7', does: 'opens a draft with the content of v7' },
    {
      line: '/portico rollback web@v7 --anyway',
      does: 'does so even if v7 fails the current guardrails; for people who may approve',
    },
  ],
  accepts: { positional: 1, options: { workspace: 'value', anyway: 'flag' } },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  fits: (state) => isIssue(state) || isMergedPull(state),
  decide(state, { positional: [named], options }) {
    if (named === undefined) {
      return refuse('no-revision', 'the revision is missing', 'Write /portico rollback web@v7.');
    }
    const anyway = options.has('anyway');
    if (anyway) {
      const allowed = authorize(state.config, approve, state.caller);
      if (allowed.kind === 'refuse') {
        return refuse(
          'anyway-not-permitted',
          `--anyway is for people who may approve: ${allowed.message}`,
          allowed.hint,
        );
      }
      if (allowed.kind === 'ignore') return refuse('anyway-not-permitted', 'bots may not', 'Ask a person.');
    }
    // `v7` alone is enough where a pull request says which package.
    const revision = revisionOf(named);
    const path =
      revision === undefined || state.place.kind === 'issue' ? undefined : packageHere(state, undefined);
    if (typeof path === 'object') return path;
    const at =
      revision === undefined || path === undefined ? readPackageAtRevision(named) : { path, revision };
    if ('kind' in at) return at;
    return newDraft(at.path, options.get('workspace'), { kind: 'rollback', revision: at.revision, anyway });
  },
};
