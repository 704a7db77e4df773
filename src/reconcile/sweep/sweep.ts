/**
 * What a lost webhook would have said is found here: every repository and every open pull request is looked at, and
 * every recent command that nobody answered. Looking at something that is as it should be writes nothing.
 */
import { parseIssueForm } from '../../command/issue-form.ts';
import { PorticoError } from '../../error.ts';
import { reportConfiguration } from '../check/report-configuration.ts';
import { createAnsweredComments } from '../command/answered.ts';
import { holdsCommand } from '../command/earlier.ts';
import { mayBeRestored } from '../draft/restoration.ts';
import type { Opening } from '../forge/issues.ts';
import type { CommentTarget, JobData } from '../job.ts';
import {
  commentJob,
  proposalJob,
  publicationJob,
  sweptPullJob,
  repositoryJob,
  repositorySweepJob,
  restorationJob,
  updateBranchJob,
} from '../jobs.ts';
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import { isOfOpenProposal } from '../proposal/summary.ts';
import { openRegistered } from '../repository/registered.ts';
import { patientLook } from '../repository/whole-index.ts';
import { offerOnboarding } from './onboarding.ts';
import { sweepPace, type SweepPace } from './sweep-pace.ts';
import { takeOver } from './take-over.ts';

/** Commands are looked for so far back: as long as the forge keeps deliveries. */
const COMMENT_DAYS = 3;

export type Sweep = (options?: JobData<'sweep'>, signal?: AbortSignal) => Promise<void>;

/** One process asks so often for a delivery, and for so many in one sweep. */
const MAX_ATTEMPTS = 3;
const MAX_REDELIVERIES = 200;

/**
 * Asks for every repository of every installation to be swept, and for lost webhooks to be sent again. Large installations
 * are gone through at a pace that their limit allows: while a round of one goes on, only what was added to it since is looked at.
 */
export function createSweep(ports: Ports): Sweep {
  const redeliver = createRedelivery(ports);
  const rounds = createRounds(ports);
  return async ({ indexOnly } = {}, signal) => {
    const repositories = await ports.repositories(signal);
    const present = new Set(repositories.map(({ id }) => id));
    for (const { ref } of ports.catalog.all()) if (!present.has(ref.id)) ports.catalog.remove(ref.id);
    ports.catalog.expect(present);
    await ports.pruneMirrors(present);
    for (const [installation, its] of Map.groupBy(repositories, ({ installationId }) => installationId)) {
      const { pace, due } = rounds.begin(installation, its);
      const jobs = due.map((repository, at) => {
        const job = indexOnly === true ? repositoryJob(repository) : repositorySweepJob(repository);
        const startAfterSeconds = Math.floor(at / pace.perMinute) * 60;
        return startAfterSeconds === 0 ? job : { ...job, startAfterSeconds };
      });
      await ports.enqueue(jobs);
    }
    await redeliver(signal);
  };
}

/** When the last round of each installation began; a restart begins anew. */
function createRounds({ now, sweepMinutes = 15 }: Pick<Ports, 'now' | 'sweepMinutes'>): {
  /** Which repositories of an installation are due, and how fast: all; where the last round still goes on, those of which it does not know. */
  begin(
    installation: number,
    repositories: readonly RepositoryRef[],
  ): { readonly pace: SweepPace; readonly due: readonly RepositoryRef[] };
} {
  const begun = new Map<number, { readonly at: number; readonly ids: ReadonlySet<number> }>();
  return {
    begin(installation, repositories) {
      const pace = sweepPace(repositories.length, sweepMinutes);
      const moment = now().getTime();
      const last = begun.get(installation);
      const isSlow = pace.minutes > sweepMinutes;
      const goesOn = isSlow && last !== undefined && moment - last.at < pace.minutes * 60_000;
      const ids = new Set(repositories.map(({ id }) => id));
      begun.set(installation, { at: goesOn ? last.at : moment, ids });
      // Everybody else waits until the index knows what was added.
      return { pace, due: goesOn ? repositories.filter(({ id }) => !last.ids.has(id)) : repositories };
    },
  };
}

/**
 * The looking around finds what a lost webhook would have said, except what only a webhook says: which commit a
 * commenter saw. A delivery that fails again and again is given up.
 */
function createRedelivery(ports: Ports): (signal?: AbortSignal) => Promise<void> {
  const attempts = new Map<string, number>();
  return async (signal) => {
    const since = new Date(ports.now().getTime() - COMMENT_DAYS * 86_400_000);
    const failed = await ports.failedDeliveries(since, signal);
    const present = new Set(failed.map(({ guid }) => guid));
    for (const guid of attempts.keys()) if (!present.has(guid)) attempts.delete(guid);
    const due = failed.filter(({ guid }) => (attempts.get(guid) ?? 0) < MAX_ATTEMPTS);
    for (const { id, guid } of due.slice(0, MAX_REDELIVERIES)) {
      attempts.set(guid, (attempts.get(guid) ?? 0) + 1);
      try {
        await ports.redeliver(id, signal);
      } catch (error) {
        // One that the forge no longer has must not keep the others from coming; a limit is obeyed.
        if (!(error instanceof PorticoError) || error.code === 'RATE_LIMITED') throw error;
        ports.log.warn({ err: error, delivery: guid }, 'a lost webhook could not be requested again');
      }
    }
    if (due.length > 0) ports.log.info({ deliveries: due.length }, 'lost webhooks are sent again');
  };
}

/** Asks for everything in one repository to be looked at. */
export function createRepositorySweep(
  ports: Ports,
): (repository: RepositoryRef, signal?: AbortSignal) => Promise<void> {
  const answered = ports.memories.of(createAnsweredComments);
  return patientLook(ports, async (repository, signal) => {
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    const { facts, configuration } = found;
    if (configuration !== undefined)
      await reportConfiguration(access, facts.defaultBranch, configuration, signal);
    if (found.kind === 'none') {
      ports.catalog.remove(repository.id);
      if (configuration?.state === 'absent') await offerOnboarding(ports, access, facts, signal);
      return;
    }
    await takeOver({ ports, access, signal }, facts, found.config);
    await ports.enqueue(repositoryJob(repository));
    await ports.enqueue(publicationJob(repository));
    // Of others, the index asks when it knows them.
    if (ports.catalog.get(repository.id) !== undefined && mayBeRestored(ports, repository))
      await ports.enqueue(restorationJob(repository));
    const open = await access.forge.listOpenPulls(signal);
    for (const pull of open) {
      const { number, headRef } = pull;
      await ports.enqueue(sweptPullJob(repository, pull));
      if (headRef.startsWith('portico/update/')) await ports.enqueue(updateBranchJob(repository, headRef));
      for (const review of await access.forge.listReviews(number, signal)) {
        const source = { kind: 'review' as const, id: review.id };
        if (review.authorIsBot || !holdsCommand(review.body) || answered.has({ repository, source }))
          continue;
        await ports.enqueue(commentJob(repository, number, source, { author: review.author }));
      }
    }
    const since = new Date(ports.now().getTime() - COMMENT_DAYS * 86_400_000);
    for (const comment of await access.forge.listRecentComments(since, signal)) {
      const source = { kind: 'comment' as const, id: comment.id };
      const isLeft = comment.author === ports.app.botLogin && isOfOpenProposal(comment.body);
      if (isLeft && open.every(({ number }) => number !== comment.issue)) {
        // Nobody told that it was closed, or merged.
        await ports.enqueue(proposalJob(repository, comment.issue));
      }
      if (comment.authorIsBot || !holdsCommand(comment.body) || answered.has({ repository, source }))
        continue;
      await ports.enqueue(commentJob(repository, comment.issue, source, { author: comment.author }));
    }
    for (const {
      id,
      pull,
      author,
      authorId,
      authorIsBot,
      body,
      createdAt,
    } of await access.forge.listRecentLineComments(since, signal)) {
      const source = { kind: 'line' as const, id };
      const isOld = Date.parse(createdAt) < since.getTime();
      if (authorIsBot || isOld || !holdsCommand(body) || answered.has({ repository, source })) continue;
      const form = { author, authorId, authorIsBot, body, createdAt };
      await ports.enqueue(commentJob(repository, pull, source, { form }));
    }
    for (const opening of await access.forge.listRecentOpenings(since, signal)) {
      const isOld = Date.parse(opening.createdAt) < since.getTime();
      const kind = isOld ? undefined : openingKind(opening);
      const source = kind && { kind, id: -opening.number };
      if (source === undefined || answered.has({ repository, source })) continue;
      const form = await openingNow(access, opening, kind === 'form', signal);
      await ports.enqueue(commentJob(repository, opening.number, source, { form }));
    }
  });
}

/** As the webhook would have been taken: only an issue can be a form, and no bot's text is anything. */
function openingKind({ authorIsBot, body, isPull }: Opening): 'form' | 'opening' | undefined {
  if (!isPull && parseIssueForm(body) !== undefined) return 'form';
  return !authorIsBot && holdsCommand(body) ? 'opening' : undefined;
}

/**
 * The text as it is now. Of a form, which is carried out, whether that is what its author wrote, and for this place: no webhook
 * told what it said when it was sent, and by whom.
 */
async function openingNow(
  { forge }: RepositoryAccess,
  opening: Opening,
  isForm: boolean,
  signal: AbortSignal | undefined,
): Promise<NonNullable<CommentTarget['form']>> {
  const { author, authorId, authorIsBot, body, createdAt, number } = opening;
  const isDoubtful =
    isForm && ((await forge.isEdited(opening, signal)) || (await forge.wasTransferred(number, signal)));
  return { author, authorId, authorIsBot, body, createdAt, ...(isDoubtful && { edited: true }) };
}
