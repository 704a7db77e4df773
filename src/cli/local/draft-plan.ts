/** The decisions of `/portico init`, `clone`, `copy`, `edit` and `rollback`, for the command line. */
import { draftBranchOf, draftProblem, type DraftGround } from '../../command/draft-problem.ts';
import type { DraftSource } from '../../command/draft-request.ts';
import { readPackageAtRevision, readPackagePath, readWorkspace } from '../../command/package-name.ts';
import type { Refusal } from '../../command/refusal.ts';
import { PorticoError } from '../../error.ts';

export type DraftKind = Exclude<DraftSource['kind'], 'rebase'>;

export interface DraftPlan {
  readonly kind: DraftKind;
  /** Below the registered directory. */
  readonly path: string;
  readonly workspace?: string;
  /** Set for copy and rollback. */
  readonly revision?: string;
}

/** Reads what a draft is to be. Throws `DRAFT_REFUSED`, with the words that a comment would be answered with. */
export function planDraft(kind: DraftKind, named: string, workspace: string | undefined): DraftPlan {
  const name = accepted(readWorkspace(workspace));
  const rest = name === undefined ? {} : { workspace: name };
  if (kind !== 'copy' && kind !== 'rollback')
    return { kind, path: accepted(readPackagePath(named)), ...rest };
  const at = readPackageAtRevision(named);
  if ('kind' in at) throw refusedError(at);
  return { kind, ...at, ...rest };
}

/** The branch that the draft gets. Throws `DRAFT_REFUSED` where there is no room for it. */
export function plannedBranch(
  { kind }: DraftPlan,
  inRepository: string,
  workspace: string,
  ground: DraftGround,
): string {
  const branch = accepted(draftBranchOf(inRepository, workspace));
  const problem = draftProblem(inRepository, branch, { kind }, ground);
  if (problem !== undefined) throw refusedError(problem);
  return branch;
}

function accepted(value: string | Refusal): string;
function accepted(value: string | Refusal | undefined): string | undefined;
function accepted(value: string | Refusal | undefined): string | undefined {
  if (typeof value === 'object') throw refusedError(value);
  return value;
}

/** The commands of comments are the verbs of `portico draft` here. */
function refusedError({ message, hint }: Refusal): PorticoError {
  return new PorticoError('DRAFT_REFUSED', message.replace(/\.$/, ''), {
    blame: 'user',
    hint: hint.replaceAll('/portico ', 'portico draft '),
  });
}
