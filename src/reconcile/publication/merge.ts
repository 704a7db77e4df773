/** How a proposal is merged: by the command `publish`, and by what merges without a command. */
import type { Step } from '../../command/step.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import type { MergeAnswer } from '../forge/merging.ts';
import { publicationJob } from '../jobs.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { digestAt } from '../review/approvals.ts';
import { whyNotMerged } from '../review/why-not-merged.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { commitLink, foreignSentence } from '../text/markdown-blocks.ts';
import { mergeMessage, type MergeRequestTrailers } from './merge-message.ts';
import { isMergedForSomebody, publishRequestOf, recordPublishRequest } from './publish-request.ts';

/** What the step `merge` is done with. */
export interface MergeCommand {
  readonly ports: Pick<Ports, 'app' | 'seals' | 'enqueue'>;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly asked: CommandRequest;
  readonly step: Extract<Step, { do: 'merge' }>;
  readonly signal?: AbortSignal | undefined;
}

/** Merges exactly what was checked: the forge is told the commit, and the check at it must speak of this content. */
export async function mergeOnCommand({
  ports,
  access,
  snapshot,
  asked,
  step,
  signal,
}: MergeCommand): Promise<StepOutcome> {
  const { pull } = snapshot;
  let merged = pull.mergeCommitSha;
  if (!pull.merged) {
    const isStillValid = async (s?: AbortSignal): Promise<boolean> =>
      (await digestAt(access, step.sha, s)) === step.digest;
    if (!(await isStillValid(signal))) return moved(step.sha, pull.headSha);
    const request = {
      requestedBy: asked.login,
      requestedIn: asked.id,
      ...(step.bump && { bump: step.bump }),
      ...(step.approvedElsewhere && { approvedElsewhere: step.approvedElsewhere }),
    };
    const checked = { sha: step.sha, isStillValid };
    const answer = await mergeAsAllowed({ ports, access, signal }, snapshot, checked, request);
    if (!answer.ok) {
      const { reason, message } = answer;
      if (reason === 'moved') return moved(step.sha, pull.headSha);
      if (reason !== 'queue') return { kind: 'refused', ...whyNotMerged({ reason, message }, snapshot) };
      await recordPublishRequest({ ports, access, signal }, snapshot.facts, pull, {
        ...request,
        head: step.sha,
      });
      return enterQueue(access, snapshot, step, signal);
    }
    merged = answer.sha;
  }
  await ports.enqueue(publicationJob(access.ref));
  return { kind: 'done', reply: mergedText(snapshot, merged) };
}

/** What `publish` has done; the same where it is asked again, because the end of it was lost. */
export function mergedText(
  { facts, packages }: Pick<ProposalSnapshot, 'facts' | 'packages'>,
  commit: string | null,
): string {
  const what = packages.some(({ trees }) => trees.head !== null)
    ? '; its revision will be published shortly'
    : '';
  return `Merged${commit === null ? '' : ` as ${commitLink(facts.htmlUrl, commit)}`}${what}.`;
}

/** The branch takes what comes through its merge queue: what the queue merges is tagged like any other merge. */
async function enterQueue(
  { forge }: RepositoryAccess,
  snapshot: ProposalSnapshot,
  step: MergeCommand['step'],
  signal: AbortSignal | undefined,
): Promise<StepOutcome> {
  const { pull } = snapshot;
  const answer = await forge.enqueuePull(pull.nodeId, step.sha, signal);
  if (answer.ok) {
    const reply = `Added to the merge queue of \`${pull.baseRef}\`. Portico tags what the queue merges.`;
    return { kind: 'done', reply };
  }
  const { reason, message } = answer;
  if (reason === 'moved') return moved(step.sha, pull.headSha);
  if (reason === 'forbidden') return { kind: 'refused', ...whyNotMerged({ reason, message }, snapshot) };
  return {
    kind: 'refused',
    message: `The merge queue refused it: ${foreignSentence(message)}`,
    hint: 'These are rules of the branch, which Portico never bypasses. Satisfy them, then try again.',
  };
}

function moved(checked: string, now: string): StepOutcome {
  return {
    kind: 'refused',
    message: `The branch moved from ${checked.slice(0, 7)} to ${now.slice(0, 7)} in the meantime.`,
    hint: 'Review it again, then repeat the command.',
  };
}

/** True when this very command has merged the proposal already, and only its end was lost. */
export async function mergedBefore(
  { ports, access, signal }: RepositoryWork<'app' | 'seals', 'git' | 'forge'>,
  { pull, facts }: Pick<ProposalSnapshot, 'pull' | 'facts'>,
  asked: Pick<CommandRequest, 'id'>,
): Promise<boolean> {
  if (!pull.merged || !isMergedForSomebody(ports, pull.mergedBy) || pull.mergeCommitSha === null)
    return false;
  const oid = await access.git.resolve(pull.mergeCommitSha, signal);
  if (oid === null) return false;
  const commit = await access.git.commit(oid, signal);
  return (await publishRequestOf({ ports, access, signal }, facts, commit, pull)).requestedIn === asked.id;
}

export interface Merging extends Pick<ProposalSnapshot, 'facts' | 'pull'> {
  readonly config: RepositoryConfig;
  /** First line of the commit's message; without it, the forge's own. */
  readonly title?: string;
}

const METHODS = ['merge', 'squash', 'rebase'] as const;

/**
 * Merges by the method of the configuration, or by the first that the repository allows. What was asked for goes into
 * the commit's message; a rebase has none, so there it is recorded first. Where the forge needs a moment, it is asked again
 * while what was checked still stands.
 */
export async function mergeAsAllowed(
  { ports, access, signal }: RepositoryWork<'seals'>,
  { facts, pull, config, title }: Merging,
  {
    sha,
    isStillValid,
  }: {
    readonly sha: string;
    readonly isStillValid: (signal?: AbortSignal) => Promise<boolean>;
  },
  request: MergeRequestTrailers,
): Promise<MergeAnswer> {
  // Whoever may bypass the ruleset would merge past its queue (akuity/kargo#5405), so it is asked for first.
  if (await hasMergeQueue(access, pull.baseRef, signal)) {
    return { ok: false, reason: 'queue', message: 'the branch has a merge queue' };
  }
  const { mergeMethod } = config.publish;
  const methods = mergeMethod === undefined ? METHODS : [mergeMethod];
  let answer: MergeAnswer | undefined;
  for (const method of methods) {
    if (method === 'rebase') {
      await recordPublishRequest({ ports, access, signal }, facts, pull, { ...request, head: sha });
    }
    const place = { repository: facts.id, pull: pull.number, head: sha };
    const trailers = mergeMessage(request, place, ports.seals);
    const words =
      title === undefined ? { message: `${pull.title}\n\n${trailers}` } : { title, message: trailers };
    const message = method === 'rebase' ? {} : words;
    answer = await access.forge.mergePull(pull.number, { sha, method, isStillValid, ...message }, signal);
    if (answer.ok || !isOtherMethod(answer)) return answer;
  }
  return answer ?? { ok: false, reason: 'blocked', message: 'no method of merging is left' };
}

/** A forge that does not tell has none, or says so when it refuses. */
async function hasMergeQueue(
  { forge }: RepositoryAccess,
  branch: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    return (await forge.branchRules(branch, signal)).mergeQueue;
  } catch (error) {
    const untold = error instanceof PorticoError && UNTOLD.has(error.code);
    if (untold) return false;
    throw error;
  }
}

const UNTOLD: ReadonlySet<string> = new Set(['FORGE_NOT_FOUND', 'FORGE_FORBIDDEN']);

/** "Merge commits are not allowed on this repository", and a rule that asks for a linear history. */
function isOtherMethod(answer: Exclude<MergeAnswer, { ok: true }>): boolean {
  return (
    answer.reason === 'blocked' &&
    /(merges?|commits?) (are|is) not allowed|must not contain merge commits|linear history/i.test(
      answer.message,
    )
  );
}
