/** Slash-commands: from a comment or review to what was done about it. */
import type { CommandState, Checks, PullPlace } from '../command/command-state.ts';
import { decideCommand } from '../command/decide.ts';
import { parseComment, type CommandLine } from '../command/parse.ts';
import type { Step } from '../command/step.ts';
import { PorticoError } from '../error.ts';
import { loadApprovals } from './approvals.ts';
import { loadCaller } from './caller.ts';
import { AGGREGATE_CHECK } from './check-names.ts';
import { mergedBefore, performStep, type StepOutcome } from './command-steps.ts';
import { publicationJob } from './jobs.ts';
import { openConflicts } from './open-conflicts.ts';
import { loadRevisionRefs, newestRevision } from './package-revisions.ts';
import type { Access, Reaction, ReactionTarget, RepositoryRef, World } from './ports.ts';
import { loadProposal, type ProposalSnapshot } from './proposal-snapshot.ts';
import { isRenderCommit } from './render-commit.ts';
import { updateChoices } from './update-choices.ts';

/** A comment or a review with a text. `headSeen`: the head of the pull request when the webhook came. */
export interface CommentTarget {
  readonly repository: RepositoryRef;
  readonly number: number;
  readonly source:
    | { readonly kind: 'comment'; readonly id: number }
    | { readonly kind: 'review'; readonly id: number };
  readonly headSeen?: string;
}

/** What somebody wrote, wherever it was written. */
interface Written {
  readonly id: number;
  readonly author: string;
  readonly authorIsBot: boolean;
  readonly body: string;
  readonly createdAt: string;
  readonly edited: boolean;
  readonly target: ReactionTarget;
}

interface Said {
  readonly line: CommandLine;
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly text?: string;
}

export type CommentReconciler = (target: CommentTarget, signal?: AbortSignal) => Promise<void>;

const ANSWERED: readonly string[] = ['rocket', 'confused', '-1'];

/**
 * Carries out the commands of one comment, once: the reaction that ends it says that it was answered. Only a new
 * comment by a person is obeyed, never an edited one, and never a bot's.
 */
export function createCommentReconciler(world: World): CommentReconciler {
  return async (target, signal) => {
    const access = await world.open(target.repository, signal);
    const written = await read(access, target, signal);
    if (written === null || written.authorIsBot || written.edited) return;
    const parsed = parseComment(written.body);
    if (parsed.kind === 'commands' && parsed.commands.length === 0) return;
    if (await answered(world, access, written.target, signal)) {
      await access.forge.removeReaction(written.target, 'eyes', signal);
      return;
    }
    await access.forge.addReaction(written.target, 'eyes', signal);
    const said =
      parsed.kind === 'refuse'
        ? [{ line: undefined, outcome: 'refused' as const, text: `${parsed.message} ${parsed.hint}` }]
        : await obey(world, access, target, written, parsed.commands, signal);
    if (said === null) {
      await access.forge.removeReaction(written.target, 'eyes', signal);
      return;
    }
    await answer(access, target.number, written, said, signal);
  };
}

async function read(
  { forge }: Access,
  { number, source }: CommentTarget,
  signal: AbortSignal | undefined,
): Promise<Written | null> {
  if (source.kind === 'comment') {
    const comment = await forge.getComment(source.id, signal);
    if (comment === null) return null;
    return { ...comment, edited: comment.updatedAt !== comment.createdAt, target: { commentId: comment.id } };
  }
  const review = (await forge.listReviews(number, signal)).find(({ id }) => id === source.id);
  if (review === undefined || review.submittedAt === null) return null;
  return { ...review, createdAt: review.submittedAt, edited: false, target: { nodeId: review.nodeId } };
}

async function answered(
  world: World,
  { forge }: Access,
  target: ReactionTarget,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!('commentId' in target)) return false;
  const reactions = await forge.listReactions(target, signal);
  return reactions.some(({ content, author }) => author === world.app.botLogin && ANSWERED.includes(content));
}

/** Runs the commands in order and stops at the first that is not done; null when Portico has no business here. */
async function obey(
  world: World,
  access: Access,
  target: CommentTarget,
  written: Written,
  commands: readonly CommandLine[],
  signal: AbortSignal | undefined,
): Promise<Said[] | null> {
  const said: Said[] = [];
  for (const line of commands) {
    const state = await loadState(world, access, target, written, signal);
    if (state === null) return null;
    if (
      line.verb === 'publish' &&
      (await mergedBefore(access, state.snapshot, written, world.app.botLogin, signal))
    ) {
      await world.enqueue(publicationJob(access.ref));
      said.push({ line, outcome: 'done' });
      continue;
    }
    const decision = decideCommand(line, state.state);
    if (decision.kind === 'ignore') return said.length === 0 ? null : said;
    if (decision.kind === 'refuse') {
      said.push({ line, outcome: 'refused', text: `${decision.message} ${decision.hint}` });
      break;
    }
    const outcome = await performAll(world, access, state.snapshot, written, decision.steps, signal);
    if (outcome.kind !== 'done') {
      said.push({ line, outcome: outcome.kind, text: `${outcome.message} ${outcome.hint}` });
      break;
    }
    const text = [decision.reply, outcome.reply].filter((part) => part !== undefined).join('\n\n');
    said.push({ line, outcome: 'done', ...(text !== '' && { text }) });
  }
  return said;
}

async function performAll(
  world: World,
  access: Access,
  snapshot: ProposalSnapshot,
  written: Written,
  steps: readonly Step[],
  signal: AbortSignal | undefined,
): Promise<StepOutcome> {
  const replies: string[] = [];
  for (const step of steps) {
    try {
      const outcome = await performStep(
        world,
        access,
        snapshot,
        { id: written.id, login: written.author, at: written.createdAt },
        step,
        signal,
      );
      if (outcome.kind !== 'done') return outcome;
      if (outcome.reply !== undefined) replies.push(outcome.reply);
    } catch (error) {
      // What the forge cannot do now it may do later: the job runs again. What the person must mend is an answer.
      if (!(error instanceof PorticoError) || error.blame !== 'user') throw error;
      return { kind: 'failed', message: error.message, hint: error.hint ?? '' };
    }
  }
  return { kind: 'done', ...(replies.length > 0 && { reply: replies.join('\n\n') }) };
}

async function loadState(
  world: World,
  access: Access,
  target: CommentTarget,
  written: Written,
  signal: AbortSignal | undefined,
): Promise<{ readonly state: CommandState; readonly snapshot: ProposalSnapshot } | null> {
  const loaded = await loadProposal(access, target.number, signal);
  if (loaded.kind === 'none') return null;
  const { snapshot } = loaded;
  const { pull, config, head } = snapshot;
  const runs = await access.forge.listChecks(head.oid, signal);
  const ours = runs.filter(({ appId }) => appId === world.app.id);
  const checks = checksOf(ours);
  // A head counts as pushed when our check of it began: nobody could have judged it earlier.
  const began = ours.find(({ name }) => name === AGGREGATE_CHECK)?.startedAt ?? null;
  const refs = await loadRevisionRefs(access.git, signal);
  const caller = await loadCaller(
    access,
    config,
    { login: written.author, isAuthor: written.author === pull.author, isBot: written.authorIsBot },
    signal,
  );
  const place: PullPlace = {
    kind: 'pull',
    number: pull.number,
    nodeId: pull.nodeId,
    state: pull.state,
    draft: pull.draft,
    locked: pull.locked,
    merged: pull.merged,
    author: pull.author,
    headRef: pull.headRef,
    headSha: head.oid,
    baseRef: pull.baseRef,
    fork: !snapshot.writable,
    ...(began !== null && { headPushedAt: began }),
    ...(target.headSeen !== undefined && { headSeenAtComment: seenHead(world, target.headSeen, snapshot) }),
  };
  const state: CommandState = {
    caller,
    comment: { id: written.id, createdAt: written.createdAt, author: written.author },
    place,
    config,
    packages: snapshot.packages.map(({ path, directory }) => {
      const newest = newestRevision(refs, directory)?.name;
      return { path, state: pull.draft ? 'draft' : 'proposed', ...(newest !== undefined && { newest }) };
    }),
    ...(checks.digest !== undefined && { digest: checks.digest }),
    checks,
    approvals: await loadApprovals(world, access, snapshot, checks.digest, signal),
    openConflicts: (await openConflicts(world, access, snapshot, head.oid, signal)).length,
    updates: await updateChoices(world, access, snapshot, signal),
  };
  return { state, snapshot };
}

/** Our checks at the head, as one word. */
function checksOf(
  runs: readonly {
    name: string;
    conclusion: string | null;
    status: string;
    title: string | null;
    externalId: string;
  }[],
): Checks {
  const aggregate = runs.find(({ name }) => name === AGGREGATE_CHECK);
  const failing = runs
    .filter(
      ({ name, conclusion }) =>
        name !== AGGREGATE_CHECK && (conclusion === 'failure' || conclusion === 'action_required'),
    )
    .map(({ name, title }) => ({ name, title: title ?? '' }));
  if (aggregate === undefined) return { state: 'absent', failing };
  const digest = aggregate.externalId === '' ? {} : { digest: aggregate.externalId };
  if (aggregate.status !== 'completed') return { state: 'pending', failing, ...digest };
  return { state: aggregate.conclusion === 'success' ? 'green' : 'red', failing, ...digest };
}

/**
 * A render commit of ours on top of the head that the person saw is the same content, rendered: then the present head
 * stands for the one that was seen.
 */
function seenHead(world: Pick<World, 'hmac'>, seen: string, { head }: ProposalSnapshot): string {
  return head.parents[0] === seen && isRenderCommit(head, world.hmac) ? head.oid : seen;
}

const REACTION: Record<Said['outcome'], Reaction> = { done: 'rocket', refused: 'confused', failed: '-1' };

async function answer(
  { forge }: Access,
  number: number,
  written: Written,
  said: readonly (Omit<Said, 'line'> & { readonly line: CommandLine | undefined })[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const text = said.filter((one) => one.text !== undefined);
  if (text.length > 0) {
    const body = text.map((one) =>
      one.line === undefined || said.length === 1 ? one.text : `\`${one.line.text}\`\n\n${one.text}`,
    );
    const marker = `<!-- portico:reply ${written.id} -->`;
    await forge.upsertSticky(number, marker, body.join('\n\n---\n\n'), signal);
  }
  const last = said.at(-1);
  if (last !== undefined) await forge.addReaction(written.target, REACTION[last.outcome], signal);
  await forge.removeReaction(written.target, 'eyes', signal);
}
