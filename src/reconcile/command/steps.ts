import { formatRecord } from '../../command/approval-record.ts';
import { digestSeen } from '../../command/digest-seen.ts';
import type { Refusal } from '../../command/refusal.ts';
import type { BulkStep, Step } from '../../command/step.ts';
import { PorticoError } from '../../error.ts';
import { proposalJob, recheckJob, publicationJob, variantJob } from '../jobs.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { mergeAsAllowed } from '../publication/merge-as-allowed.ts';
import {
  isMergedForSomebody,
  publishRequestOf,
  recordPublishRequest,
} from '../publication/publish-request.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { checkedContents, digestAt } from '../review/approvals.ts';
import { whyNotMerged } from '../review/why-not-merged.ts';
/** The hands of the slash-commands: each step can be done again without harm. */
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';
import { mergeNotesText } from '../text/merge-notes.ts';
import { isDeletionStep, performDeletionStep, type DeletionStep } from './deletion-steps.ts';
import { isDraftStep, performDraftStep, type DraftStep } from './draft-steps.ts';
import { settleConflicts, type Settled } from './settle-conflicts.ts';

const DONE: StepOutcome = { kind: 'done' };

/** Does one step. `snapshot` is null in an issue, where no command asks for anything that needs it. */
export async function performStep({
  ports,
  access,
  snapshot,
  asked,
  step,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot | null;
  readonly asked: CommandRequest;
  readonly step: Exclude<Step, BulkStep>;
  readonly signal?: AbortSignal | undefined;
}): Promise<StepOutcome> {
  if (step.do === 'request-update') return requestUpdate(ports, access, asked, step);
  if (isDraftStep(step)) return performDraftStep({ ports, access, snapshot, asked, step, signal });
  if (isDeletionStep(step)) return performDeletionStep({ ports, access, asked, step, signal });
  if (snapshot === null) throw new PorticoError('NO_PROPOSAL', `${step.do} in an issue`, { blame: 'bug' });
  return performInPull({ ports, access, snapshot, asked, step, signal });
}

async function performInPull({
  ports,
  access,
  snapshot,
  asked,
  step,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly asked: CommandRequest;
  readonly step: Exclude<Step, BulkStep | DeletionStep | DraftStep | { do: 'request-update' }>;
  readonly signal: AbortSignal | undefined;
}): Promise<StepOutcome> {
  const { pull } = snapshot;
  switch (step.do) {
    case 'mark-ready':
      if (pull.draft) await access.forge.markReady(pull.nodeId, signal);
      return look(ports, access, snapshot, `[#${pull.number}](${pull.htmlUrl}) is ready for review.`);
    case 'convert-to-draft':
      // The record of the rejection says what happened.
      if (!pull.draft) await access.forge.convertToDraft(pull.nodeId, signal);
      return look(ports, access, snapshot);
    case 'render':
      return renderAgain(ports, access, snapshot, asked);
    case 'record-approval': {
      const seen = digestSeen(await checkedContents(access, step.head, signal), asked.at);
      if (seen !== step.digest) return unseen(seen);
      await record({
        ports,
        access,
        snapshot,
        asked,
        said: { kind: 'approval', digest: step.digest, head: step.head },
        why: undefined,
        signal,
      });
      // The record says what happened.
      return look(ports, access, snapshot);
    }
    case 'record-rejection':
      await record({
        ports,
        access,
        snapshot,
        asked,
        said: { kind: 'rejection', digest: '', head: step.head },
        why: step.why,
        signal,
      });
      return look(ports, access, snapshot);
    case 'settle-conflicts': {
      const settled = await settleConflicts({ ports, access, snapshot, asked, step, signal });
      if ('kind' in settled) return refusedBy(settled);
      return look(ports, access, snapshot, settledText(snapshot, step, settled));
    }
    case 'merge':
      return merge({ ports, access, snapshot, asked, step, signal });
  }
}

function refusedBy({ message, hint }: Refusal): StepOutcome {
  return { kind: 'refused', message, hint };
}

/** An approval is for what its giver could see when it was written. */
function unseen(seen: string | undefined): StepOutcome {
  const message =
    seen === undefined
      ? 'The checks of this content were not done when you wrote that.'
      : 'The content has changed since you wrote that.';
  return { kind: 'refused', message, hint: 'Look at it as it is now, then approve it in a new comment.' };
}

/** True when this very command has merged the proposal already, and only its end was lost. */
export async function mergedBefore({
  ports,
  access,
  snapshot: { pull, facts },
  asked,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly access: Pick<RepositoryAccess, 'git' | 'forge'>;
  readonly snapshot: Pick<ProposalSnapshot, 'pull' | 'facts'>;
  readonly asked: Pick<CommandRequest, 'id'>;
  readonly signal?: AbortSignal | undefined;
}): Promise<boolean> {
  if (!pull.merged || !isMergedForSomebody(ports, pull.mergedBy) || pull.mergeCommitSha === null)
    return false;
  const oid = await access.git.resolve(pull.mergeCommitSha, signal);
  if (oid === null) return false;
  const commit = await access.git.commit(oid, signal);
  return (await publishRequestOf({ ports, access, facts, commit, pull, signal })).requestedIn === asked.id;
}

/** The proposal is looked at again: its comment and checks follow. */
async function look(
  ports: Ports,
  { ref }: RepositoryAccess,
  { pull }: ProposalSnapshot,
  reply?: string,
): Promise<StepOutcome> {
  await ports.enqueue(proposalJob(ref, pull.number));
  return reply === undefined ? DONE : { kind: 'done', reply };
}

function settledText(
  { facts }: ProposalSnapshot,
  { numbers, side }: Extract<Step, { do: 'settle-conflicts' }>,
  { commit, notes }: Settled,
): string {
  if (commit === null) return 'There is no open conflict left to settle.';
  const which = numbers.length === 1 ? `Conflict ${numbers.join()} is` : `${numbers.length} conflicts are`;
  const done = `${which} settled with the value of ${side} in ${commitLink(facts, commit)}.`;
  return [done, mergeNotesText(notes)].filter((part) => part !== '').join('\n\n');
}

function commitLink({ htmlUrl }: ProposalSnapshot['facts'], commit: string): string {
  return `[\`${commit.slice(0, 7)}\`](${htmlUrl}/commit/${commit})`;
}

/** What met a limit before is done once more, unless only its author asks, who may be a stranger. */
async function renderAgain(
  ports: Ports,
  { ref }: RepositoryAccess,
  { pull, writable }: ProposalSnapshot,
  { login }: CommandRequest,
): Promise<StepOutcome> {
  const mayAskAnew = writable || login.toLowerCase() !== pull.author.toLowerCase();
  await ports.enqueue(mayAskAnew ? recheckJob(ref, pull.number, {}) : proposalJob(ref, pull.number));
  return {
    kind: 'done',
    reply: `It is rendered again; its [checks](${pull.htmlUrl}/checks) tell the result.`,
  };
}

async function record({
  ports,
  access: { forge },
  snapshot: { facts, pull },
  asked,
  said,
  why,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly asked: CommandRequest;
  readonly said: { readonly kind: 'approval' | 'rejection'; readonly digest: string; readonly head: string };
  readonly why: string | undefined;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const text = formatRecord(
    {
      ...said,
      repository: String(facts.id),
      pull: pull.number,
      login: asked.login,
      accountId: asked.accountId,
      commentId: asked.id,
      at: asked.at,
    },
    ports.seals,
    why,
  );
  await forge.upsertSticky(pull.number, `<!-- portico:record ${asked.id} -->`, text, signal);
}

/** Merges exactly what was checked: the forge is told the commit, and the check at it must speak of this content. */
async function merge({
  ports,
  access,
  snapshot,
  asked,
  step,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot;
  readonly asked: CommandRequest;
  readonly step: Extract<Step, { do: 'merge' }>;
  readonly signal: AbortSignal | undefined;
}): Promise<StepOutcome> {
  const { pull } = snapshot;
  let merged = pull.mergeCommitSha;
  if (!pull.merged) {
    const stillStands = async (s?: AbortSignal): Promise<boolean> =>
      (await digestAt(ports, access, step.sha, s)) === step.digest;
    if (!(await stillStands(signal))) return moved(step.sha, pull.headSha);
    const request = {
      requestedBy: asked.login,
      requestedIn: asked.id,
      ...(step.bump && { bump: step.bump }),
    };
    const checked = { sha: step.sha, stillStands };
    const answer = await mergeAsAllowed({ ports, access, merging: snapshot, checked, request, signal });
    if (!answer.ok) {
      const { reason, message } = answer;
      if (reason === 'moved') return moved(step.sha, pull.headSha);
      if (reason !== 'queue') return { kind: 'refused', ...whyNotMerged({ reason, message }, snapshot) };
      await recordPublishRequest({
        ports,
        access,
        facts: snapshot.facts,
        pull,
        request: { ...request, head: step.sha },
        signal,
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
  const what = packages.some(({ trees }) => trees.head !== null) ? '; its revision follows' : '';
  return `Merged${commit === null ? '' : ` as ${commitLink(facts, commit)}`}${what}.`;
}

/** The branch takes what comes through its merge queue: what the queue merges is tagged like any other merge. */
async function enterQueue(
  { forge }: RepositoryAccess,
  snapshot: ProposalSnapshot,
  step: Extract<Step, { do: 'merge' }>,
  signal: AbortSignal | undefined,
): Promise<StepOutcome> {
  const { pull } = snapshot;
  const answer = await forge.enqueuePull(pull.nodeId, step.sha, signal);
  if (answer.ok) {
    const reply = `It waits in the merge queue of \`${pull.baseRef}\`. What the queue merges is tagged.`;
    return { kind: 'done', reply };
  }
  const { reason, message } = answer;
  if (reason === 'moved') return moved(step.sha, pull.headSha);
  if (reason === 'forbidden') return { kind: 'refused', ...whyNotMerged({ reason, message }, snapshot) };
  return {
    kind: 'refused',
    message: `The merge queue does not take it: ${foreignSentence(message)}`,
    hint: 'These are rules of the branch, which Portico never passes by: satisfy them, then ask again.',
  };
}

function moved(checked: string, now: string): StepOutcome {
  return {
    kind: 'refused',
    message: `The branch moved from ${checked.slice(0, 7)} to ${now.slice(0, 7)} in the meantime.`,
    hint: 'Look at it again, then repeat the command.',
  };
}

async function requestUpdate(
  ports: Ports,
  { ref }: RepositoryAccess,
  { number, login, accountId }: CommandRequest,
  step: Extract<Step, { do: 'request-update' }>,
): Promise<StepOutcome> {
  await ports.enqueue(
    variantJob(ref, step.package, { to: step.to, askedIn: number, askedBy: login, askedById: accountId }),
  );
  return DONE;
}
