/** Slash-commands: from a comment or review to what was done about it. */
import { decideCommand, decideComment, ended, isRationed } from '../../command/decide.ts';
import { elsewhereRequest } from '../../command/elsewhere.ts';
import type { CommandLine } from '../../command/parse.ts';
import type { Step } from '../../command/step.ts';
import { COMMAND_NAMES, doesMerge } from '../../command/table.ts';
import { PorticoError } from '../../error.ts';
import { joined } from '../../text/joined.ts';
import { DONE, nothing, type Answer, type Reconciler } from '../answer.ts';
import type { CommentSource } from '../comment-source.ts';
import type { CommentTarget } from '../job.ts';
import { publicationJob } from '../jobs.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import type { ProposalReconciler } from '../proposal/proposal.ts';
import { mergedBefore, mergedText } from '../publication/merge.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { type CommandRequest, type StepOutcome } from '../step-outcome.ts';
import { catchUserError } from '../text/why-refused.ts';
import { createAnsweredComments } from './answered.ts';
import { logCommand } from './audit.ts';
import { isBulkStep, performBulkStep } from './bulk-run.ts';
import {
  acknowledge,
  answer,
  react,
  readCommentSource,
  wasAnswered,
  type CommandOutcome,
} from './comment-reply.ts';
import { earlierCommands } from './earlier.ts';
import { runElsewhere } from './elsewhere.ts';
import { loadPlaceFor } from './place.ts';
import { createReplyShare } from './reply-share.ts';
import { performStep } from './steps.ts';
import { newAuthor, voidedApprovals } from './voided-approvals.ts';

/**
 * Carries out the commands of one comment, once: the reaction that ends it says that it was answered. Only a new
 * comment by a person is obeyed, never an edited one, which is told, and never a bot's. `look` brings a proposal's checks up to date.
 */
export function createCommentReconciler(ports: Ports, look: ProposalReconciler): Reconciler<'comment'> {
  const answered = ports.memories.of(createAnsweredComments);
  const replies = createReplyShare(ports);
  const carryOut = async ({
    access,
    target,
    source,
    signal,
  }: {
    readonly access: RepositoryAccess;
    readonly target: CommentTarget;
    readonly source: CommentSource | null;
    readonly signal: AbortSignal | undefined;
  }): Promise<Answer> => {
    if (source === null) return nothing('absent');
    const decided = decideComment(source);
    if (decided.do === 'nothing') return nothing('no-command');
    if (!(await isRegistered(ports, access, signal))) return nothing('not-registered');
    if (await wasAnswered({ ports, access, signal }, target.number, source)) {
      await acknowledge(access, source, false, signal);
      answered.add(target);
      return nothing('answered');
    }
    await acknowledge(access, source, true, signal);
    const outcomes =
      decided.do === 'refuse'
        ? [{ outcome: 'refused' as const, text: decided.text }]
        : await runCommands({ ports, access, look, target, source, signal }, decided.commands);
    if (!isRationed(source) || (await replies.take(access, source.author, signal))) {
      await answer({ access, number: target.number, source, outcomes, signal });
    } else {
      await react(access, source, outcomes, signal);
    }
    count(ports, outcomes);
    if (outcomes.length > 0) answered.add(target);
    return DONE;
  };
  return async (target, signal) => {
    if (answered.has(target)) return nothing('answered');
    const access = await ports.open(target.repository, signal);
    const source = await readCommentSource(access, target, signal);
    if (source === null || decideComment(source).do === 'nothing') {
      return carryOut({ access, target, source, signal });
    }
    // Their own jobs find them answered.
    for (const earlier of await earlierCommands({ ports, access, signal }, target, source, answered)) {
      const before = await readCommentSource(access, earlier, signal);
      await carryOut({ access, target: earlier, source: before, signal });
    }
    return carryOut({ access, target, source, signal });
  };
}

/** Whoever may comment chooses the words: only names of commands become names of what is counted. */
function count({ metrics }: Pick<Ports, 'metrics'>, outcomes: readonly CommandOutcome[]): void {
  for (const { line: { verb = '' } = {}, outcome } of outcomes) {
    metrics?.command(COMMAND_NAMES.includes(verb) ? verb : 'unknown', outcome);
  }
}

/** The index knows at once; only for a repository that it does not hold is git asked. */
async function isRegistered(
  ports: Ports,
  access: RepositoryAccess,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (ports.catalog.get(access.ref.id) !== undefined) return true;
  return (await openRegistered(access, {}, signal)).kind === 'registered';
}

/** The comment that is being answered, and what it takes. */
interface Answering extends RepositoryWork {
  readonly look: ProposalReconciler;
  readonly target: CommentTarget;
  readonly source: CommentSource;
}

/** Runs the commands in order and stops at the first that is not done. */
async function runCommands(
  comment: Answering,
  commands: readonly CommandLine[],
): Promise<readonly CommandOutcome[]> {
  const outcomes: CommandOutcome[] = [];
  for (const [at, line] of commands.entries()) {
    const outcome = await runCommand(comment, line, commands.length - at - 1);
    if (outcome === null) break;
    outcomes.push(outcome);
    if (outcome.outcome !== 'done') break;
  }
  return outcomes;
}

/** `left`: how many commands are behind it. Null: Portico has no business here, and says nothing. */
async function runCommand(
  comment: Answering,
  line: CommandLine,
  left: number,
): Promise<CommandOutcome | null> {
  const { ports, access, target, source, signal } = comment;
  const { verb } = line;
  const request = elsewhereRequest(line, access.ref);
  if (request !== undefined) {
    const { owner, name } = access.ref;
    if (request.repository.toLowerCase() === `${owner}/${name}`.toLowerCase())
      return runCommand(comment, { ...line, rest: request.rest }, left);
    const asked = requestOf(source, target, line);
    const outcome = await runElsewhere({ ports, access, source, asked, line, request, signal });
    if (outcome === null || outcome.outcome === 'done') return outcome;
    return { ...outcome, text: ended({ message: outcome.text ?? '', hint: '' }, left) };
  }
  const place = await catchUserError(
    () => loadPlaceFor({ verb, ...comment }),
    (why) => why,
  );
  if (place === null) return null;
  if (typeof place === 'string') return { line, outcome: 'failed', text: place };
  const { state, snapshot } = place;
  const asking = { ...source, number: target.number };
  if (
    doesMerge(verb) &&
    snapshot !== null &&
    (await mergedBefore({ ports, access, signal }, snapshot, source))
  ) {
    await ports.enqueue(publicationJob(access.ref));
    logCommand({ ports, access, asking, verb, outcome: 'done', state });
    return { line, outcome: 'done', text: mergedText(snapshot, snapshot.pull.mergeCommitSha) };
  }
  const decision = decideCommand(line, state);
  if (decision.kind === 'ignore') return null;
  if (decision.kind === 'refuse') {
    logCommand({ ports, access, asking, verb, outcome: 'refused', code: decision.code, state });
    return { line, outcome: 'refused', text: ended(decision, left) };
  }
  const outcome = await performAll(comment, snapshot, line, decision.steps);
  logCommand({ ports, access, asking, verb, outcome: outcome.kind, state });
  if (outcome.kind !== 'done') return { line, outcome: outcome.kind, text: ended(outcome, left) };
  const voided = await voidedApprovals(access.git, place, decision.steps, signal);
  const caller = { login: source.author, id: source.authorId };
  const authored = await newAuthor({ ports, access, signal }, place, caller, decision.steps);
  const text = joined([decision.reply ?? '', outcome.reply ?? '', joined([voided, authored], ' ')]);
  return { line, outcome: 'done', ...(text !== '' && { text }) };
}

function requestOf(
  { id, author: login, authorId: accountId, createdAt: at }: CommentSource,
  { number }: CommentTarget,
  { index }: CommandLine,
): CommandRequest {
  return { id, login, accountId, at, number, index };
}

async function performAll(
  { ports, access, look, target, source, signal }: Answering,
  snapshot: ProposalSnapshot | null,
  line: CommandLine,
  steps: readonly Step[],
): Promise<StepOutcome> {
  const asked = requestOf(source, target, line);
  const replies: string[] = [];
  for (const step of steps) {
    try {
      const outcome = isBulkStep(step)
        ? await performBulkStep({ ports, access, look, source, asked, step, signal })
        : await performStep({ ports, access, snapshot, asked, step, signal });
      if (outcome.kind !== 'done') return outcome;
      if (outcome.reply !== undefined) replies.push(outcome.reply);
    } catch (error) {
      // What the forge cannot do now it may do later: the job runs again. What the person must mend is an answer.
      if (!(error instanceof PorticoError) || error.blame !== 'user') throw error;
      return { kind: 'failed', message: error.message, hint: error.hint ?? '' };
    }
  }
  return { kind: 'done', reply: replies.join('\n\n') };
}
