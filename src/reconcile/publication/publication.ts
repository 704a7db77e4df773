/**
 * Publishing is derived from git: where a package on the registered branch differs from its newest tag, a revision is
 * due. Nothing else is asked, so a crash between merge and tag repairs itself, and a replayed webhook does nothing.
 */
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { DONE, nothing, PUT_OFF, type Reconciler } from '../answer.ts';
import { PUBLICATION_CHECK } from '../check-names.ts';
import { publicationCheck, type Unapproved } from '../check/publication-check.ts';
import type { CheckRun } from '../forge/checks.ts';
import type { PackageDir } from '../git-port.ts';
import { downstreamJob, proposalJob, publicationJob } from '../jobs.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { highestRevision, loadRevisionRefs, publishedRefs } from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { acceptedAtMerge } from '../review/accepted-at-merge.ts';
import { createDueRevisions } from '../review/due-revisions.ts';
import { catchUserError } from '../text/why-refused.ts';
import { announce, releasedAmong } from './announce.ts';
import { reportOf, reportedAsUnapproved } from './decision.ts';
import { publish } from './publish.ts';

/** Seconds between two looks whether the repositories are indexed that approved what was merged. */
const INDEX_WAIT = 5;

/**
 * Tags and releases everything that is due in a repository, and asks for its followers to be looked at. What one
 * process has announced it does not look at again; a new process makes sure of the newest revisions once.
 */
export function createPublicationReconciler(ports: Ports): Reconciler<'publication'> {
  /** Repository and directory of a package → its newest tag that was announced. */
  const announced = new Map<string, { readonly oid: string; readonly unapproved: boolean }>();
  const look = createDueRevisions(ports, acceptedAtMerge(ports));
  return async ({ repository }, signal) => {
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return nothing(found.reason);
    const { facts, config, head } = found;
    const flagged = new Map<string, Unapproved>();
    let published = false;
    let isWaiting = false;
    const refused = new Map<string, string>();
    /** Published at the head though nobody approved it. */
    const unapproved = new Map<string, string>();
    const publishAll = async (found: PackageDir): Promise<void> => {
      const refs = await loadRevisionRefs(access.git, signal);
      const { due, flagged: state, waits } = await look(access, { facts, config, refs, found, head }, signal);
      isWaiting ||= waits === true;
      if (state !== null) flagged.set(found.path, state);
      // What an earlier run has tagged and not announced comes first: no revision is passed over.
      await announceNewest(access, config, found);
      for (const one of due) {
        await publish({ ports, access, facts, config, due: one, head, signal });
        await ports.enqueue(
          downstreamJob({ repository, directory: found.directory }, ports.dashboardSeconds),
        );
        await announceNewest(access, config, found);
        published = true;
      }
    };
    const packages = await rootPackages(access, head, config.directory, signal);
    const released = releasedAmong(access.forge, await tagsToAnnounce(access, packages), signal);
    for (const found of packages) {
      // What is wrong with one package, or its tag, holds up no other.
      await catchUserError(
        () => publishAll(found),
        (why) => void refused.set(found.path, why),
      );
    }
    const round = { flagged, refused, unapproved, isPublished: published };
    await keepRefusals(access, head, flagged, signal);
    const { check, looks, takesBack, followers } = reportOf(repository, head, round);
    if (check !== undefined) await access.forge.putCheck(check, signal);
    if (looks.length > 0) await ports.enqueue(looks);
    if (takesBack !== undefined && !isWaiting && (await flagsAt(access, head, signal)).length > 0)
      await access.forge.putCheck(takesBack, signal);
    if (followers.length > 0) await ports.enqueue(followers);
    if (!isWaiting) return DONE;
    await ports.enqueue(publicationJob(repository, INDEX_WAIT));
    return PUT_OFF;

    async function tagsToAnnounce(
      { git }: RepositoryAccess,
      packages: readonly PackageDir[],
    ): Promise<readonly string[]> {
      const refs = await loadRevisionRefs(git, signal);
      return packages.flatMap(({ directory }) => {
        const newest = highestRevision(refs, directory);
        const isKnown = announced.get(`${repository.id} ${directory}`)?.oid === newest?.tag.oid;
        return newest === undefined || isKnown ? [] : [publishedRefs(directory, newest.name).tag];
      });
    }

    async function announceNewest(
      to: RepositoryAccess,
      by: RepositoryConfig,
      found: PackageDir,
    ): Promise<void> {
      const refs = await loadRevisionRefs(to.git, signal);
      const newest = highestRevision(refs, found.directory);
      if (newest === undefined) return;
      const { oid, commit } = newest.tag;
      const place = `${repository.id} ${found.directory}`;
      const known = announced.get(place);
      if (known?.oid === oid) {
        if (known.unapproved && commit === head) unapproved.set(found.path, newest.name);
        return;
      }
      const provenance = await announce({ ports, to, config: by, found, newest, refs, released, signal });
      if (provenance?.proposal !== undefined)
        await ports.enqueue(proposalJob(repository, provenance.proposal));
      const reported = reportedAsUnapproved(provenance, commit, head);
      if (reported === 'at-head') unapproved.set(found.path, newest.name);
      if (reported === 'at-commit')
        await reportUnapproved({ to, commit, path: found.path, revision: newest.name, signal });
      announced.set(place, { oid, unapproved: reported !== 'nowhere' });
    }
  };
}

/** At the commits that brought them: the check of the head is written again at each head, and rights come back. */
async function keepRefusals(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  head: string,
  flagged: ReadonlyMap<string, Unapproved>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const refusals = [...flagged].filter(
    ([, { refused, commit }]) => refused !== undefined && commit.oid !== head,
  );
  for (const [oid, states] of Map.groupBy(refusals, ([, { commit }]) => commit.oid)) {
    const report = { flagged: new Map(states), refused: new Map(), unapproved: new Map() };
    await forge.putCheck(publicationCheck(oid, report), signal);
  }
}

/** On a commit that is not the head any more: what was flagged there while it was stays. */
async function reportUnapproved({
  to: { forge },
  commit,
  path,
  revision,
  signal,
}: {
  readonly to: Pick<RepositoryAccess, 'forge'>;
  readonly commit: string;
  readonly path: string;
  readonly revision: string;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const flags = await flagsAt({ forge }, commit, signal);
  if (flags.some(({ conclusion }) => conclusion !== 'success')) return;
  const report = { flagged: new Map(), refused: new Map(), unapproved: new Map([[path, revision]]) };
  await forge.putCheck(publicationCheck(commit, report), signal);
}

async function flagsAt(
  { forge }: Pick<RepositoryAccess, 'forge'>,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<readonly CheckRun[]> {
  return (await forge.listChecks(commit, signal)).filter(({ name }) => name === PUBLICATION_CHECK);
}
