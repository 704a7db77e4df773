import { shown } from './arguments.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { newDraft } from './draft-here.ts';
import { isIssue, isMergedPull } from './fits.ts';
import { readPackageAtRevision, readPackagePath } from './package-name.ts';
import { refuse } from './refusal.ts';

export const copy: AnywhereCommand = {
  name: 'copy',
  usage: 'copy <package>[@<revision>] [--workspace=<name>]',
  summary: 'Open a draft of a package with the content of one of its revisions, or of the branch.',
  examples: [
    { line: '/portico copy web@v3 --workspace=hotfix', does: 'starts drafts/web/hotfix from v3' },
    { line: '/portico copy web', does: 'starts from the registered branch, like edit' },
  ],
  accepts: { positional: 1, options: { workspace: 'value' } },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  decide: (_state, { positional: [named], options }) => startFrom('copy', named, options.get('workspace')),
};

export const edit: AnywhereCommand = {
  ...copy,
  name: 'edit',
  usage: 'edit <package> [--workspace=<name>]',
  summary: 'Open a draft of a package as it is on the registered branch.',
  examples: [{ line: '/portico edit web', does: 'opens a draft pull request to push to' }],
  fits: (state) => isIssue(state) || isMergedPull(state),
  decide(_state, { positional: [named], options }) {
    if (named?.includes('@') === true) {
      const message = `${shown(named)} names a revision, but edit starts from the branch`;
      return refuse('unexpected-revision', message, 'To start from a revision, use /portico copy.');
    }
    return startFrom('edit', named, options.get('workspace'));
  },
};

function startFrom(
  verb: 'copy' | 'edit',
  named: string | undefined,
  workspace: string | true | undefined,
): Decision {
  if (named === undefined) {
    const example = verb === 'copy' ? 'web@v3' : 'web';
    return refuse('no-package', 'the package is missing', `Write /portico ${verb} ${example}.`);
  }
  if (!named.includes('@')) {
    const path = readPackagePath(named);
    return typeof path === 'string' ? newDraft(path, workspace, { kind: 'edit' }) : path;
  }
  const at = readPackageAtRevision(named);
  return 'kind' in at ? at : newDraft(at.path, workspace, { kind: 'copy', revision: at.revision });
}
