/**
 * A revision of a deployment repository that fails where it runs: Portico opens the proposal that restores the one before, with its
 * lock of sources and all that was made of them. It merges nothing, and proposes that once: whoever closes it has decided. What becomes of
 * it when the revision fares well after all is in `recovery.ts`.
 */

import { packagePathOf } from '../../revision/package-path.ts';
import { draftBranch } from '../../revision/ref-name.ts';
import { DONE, nothing, type Reconciler } from '../answer.ts';
import type { Pull } from '../forge/pulls.ts';
import { proposalJob } from '../jobs.ts';
import type { Ports, RepositoryRef } from '../ports.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { filesAt } from '../repository/package-files.ts';
import {
  loadRevisionRefs,
  newestRevision,
  publishedAt,
  taggedRevisions,
  tagOf,
} from '../repository/package-revisions.ts';
import { pauseOf } from '../repository/pause.ts';
import { openRegistered } from '../repository/registered.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import { needWholeIndex } from '../repository/whole-index.ts';
import { publishedHealth } from '../rollout/failure.ts';
import { commandRecord } from '../seal/commit-seal.ts';
import { sourcesPause } from '../update/source-update.ts';
import { commitByCommand } from './command-commit.ts';
import { closeRecovered, reopened, restorationsOf } from './recovery.ts';
import type { RestorationPlace, Standing } from './restoration-place.ts';
import { restorationBody, type Restoration } from './restoration-text.ts';

/** Of what was published longer ago, only what is told counts: each look asks the forge for each. */
const MAX_WATCHED_MS = 24 * 3_600_000;
/** Published commits that one look without a failure asks about, the newest first. */
const MAX_ASKED = 10;
/** Earlier revisions that are considered for one that does not fail itself. */
const MAX_EARLIER = 5;

/**
 * False where a failure in a repository is known to restore nothing: only packages with sources, where they are deployed. Right after a
 * start, nothing may be known yet.
 */
export function mayBeRestored({ catalog }: Pick<Ports, 'catalog'>, { id }: RepositoryRef): boolean {
  const known = catalog.get(id);
  if (known === undefined) return !catalog.isComplete();
  return known.deployment === true && known.packages.some(({ hasSources }) => hasSources === true);
}

export function createRestorationReconciler(ports: Ports): Reconciler<'restoration'> {
  return async ({ repository, commit: told }, signal) => {
    if (!mayBeRestored(ports, repository)) return nothing('not-asked-for');
    if (ports.catalog.get(repository.id) === undefined) needWholeIndex(ports);
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return nothing(found.reason);
    if (!found.config.deployment) return nothing('not-asked-for');
    const place = { ports, access, found, refs: await loadRevisionRefs(access.git, signal), signal };
    const standing = await concernedPackages(place, told);
    const asked = [...new Set(standing.map(({ commit }) => commit))].slice(0, MAX_ASKED);
    for (const commit of asked) {
      const { failing, isSound } = await publishedHealth(access, commit, whereOf(place), signal);
      for (const one of standing.filter((other) => other.commit === commit)) {
        if (failing.length > 0) await restore(place, one, failing);
        else if (isSound) await closeRecovered(place, one);
      }
    }
    return DONE;
  };
}

/** What is asked of the forge about a published commit. */
function whereOf({ found: { head, config } }: RestorationPlace): Parameters<typeof publishedHealth>[2] {
  return { tip: head, directory: config.directory, health: config.health };
}

/**
 * Packages with sources that the branch has as their newest revision: those that were published lately, or that are proposed to be
 * restored; or those that hold what was told of.
 */
async function concernedPackages(
  place: RestorationPlace,
  told: string | undefined,
): Promise<readonly Standing[]> {
  const { ports, access, found, refs, signal } = place;
  const { git, ref } = access;
  const { config, head } = found;
  const toldTree =
    told === undefined || (await git.resolve(told, signal)) === null
      ? undefined
      : await git.treeId(told, config.directory, signal);
  if (told !== undefined && toldTree === undefined) return [];
  const standing: (Standing & { readonly at: number })[] = [];
  for (const { directory, hasSources } of ports.catalog.get(ref.id)?.packages ?? []) {
    const path = packagePathOf(config.directory, directory);
    const newest = newestRevision(refs, directory);
    if (hasSources !== true || path === undefined || newest === undefined) continue;
    const { name: revision, tag } = newest;
    const { commit } = tag;
    const at = await publishedAt(git, tag, signal);
    const isOld = ports.now().getTime() - at > MAX_WATCHED_MS;
    const isWatched = !isOld || (await restorationsOf(place, { directory, revision })).length > 0;
    if (told === undefined && !isWatched) continue;
    const isTold = told === commit || (await git.treeId(commit, config.directory, signal)) === toldTree;
    if (told !== undefined && !isTold) continue;
    const [now, then] = [
      await git.treeId(head, directory, signal),
      await git.treeId(commit, directory, signal),
    ];
    // What is on the branch already is another state: the next revision.
    if (now === then && (await git.isAncestor(commit, head, signal))) {
      standing.push({ path, directory, revision, commit, at });
    }
  }
  return standing.toSorted((a, b) => b.at - a.at);
}

async function restore(place: RestorationPlace, one: Standing, failures: readonly string[]): Promise<void> {
  const { ports, access, found, refs, signal } = place;
  const { git, forge } = access;
  const { directory, revision } = one;
  const about = { repository: found.facts.fullName, package: one.path, revision };
  const provenance = await provenanceOf({ git, refs, directory, revision, signal });
  if (provenance?.restoredFrom !== undefined) {
    ports.log.warn(about, 'a restored revision fails, too: nothing earlier is proposed');
    return;
  }
  if (await isPaused(place, one)) return;
  const to = await lastSound(place, one, failures);
  if (to === undefined) {
    ports.log.warn(about, 'a revision fails, and there is no earlier one that does not');
    return;
  }
  const restoration: Restoration = { ...one, to, failures };
  const branch = draftBranch(directory, `restore-${to}-after-${revision}`);
  const known = await forge.pullsForHead({ branch }, { state: 'all' }, signal);
  // Open, merged, or closed by somebody who decided otherwise; or by Portico, which took it for mended.
  if (known.length > 0) return await reopened(place, restoration, known);
  const made = await madeBranch(place, restoration, branch);
  if (!made) return;
  const pull = await openPull(place, restoration, branch);
  const { repository } = about;
  ports.log.info(
    { repository, package: one.path, revision, to, pull: pull.number },
    'a failing revision is to be restored',
  );
  await ports.enqueue(proposalJob(access.ref, pull.number));
}

/** Whoever pauses the sources of a package, or its updates, decides by himself what becomes of it. */
async function isPaused(
  { ports, access, found, signal }: RestorationPlace,
  { directory }: Standing,
): Promise<boolean> {
  if ((await pauseOf(ports, access, directory, signal))?.by) return true;
  const files = await filesAt(access.git, found.head, directory, signal);
  const reading = await ports.sources?.read(files, signal);
  return reading?.kind === 'sources' && sourcesPause(reading, ports.now()) !== null;
}

/** The newest earlier revision with other content with which none of this failed. */
async function lastSound(
  place: RestorationPlace,
  { directory, revision, commit }: Standing,
  failures: readonly string[],
): Promise<string | undefined> {
  const { access, found, refs, signal } = place;
  const { git } = access;
  const failing = await git.treeId(commit, directory, signal);
  const names = taggedRevisions(refs, directory).map(({ name }) => name);
  for (const name of names.slice(0, names.indexOf(revision)).slice(-MAX_EARLIER).toReversed()) {
    const tag = tagOf(refs, directory, name);
    if (tag === undefined || (await git.treeId(tag.commit, directory, signal)) === failing) continue;
    if (!(await git.isAncestor(tag.commit, found.head, signal))) continue;
    const earlier = await publishedHealth(access, tag.commit, whereOf(place), signal);
    if (!failures.some((what) => earlier.failing.includes(what))) return name;
  }
  return undefined;
}

/** False where the forge does not take it, or the branch is somebody else's. Ours was made by a look that was broken off. */
async function madeBranch(
  { ports, access: { git }, found, refs, signal }: RestorationPlace,
  { path, directory, revision, to }: Restoration,
  branch: string,
): Promise<boolean> {
  const standing = await git.resolve(`refs/heads/${branch}`, signal);
  if (standing !== null) {
    const record = commandRecord(await git.commit(standing, signal), ports.seals);
    const isOurs =
      record?.kind === 'draft' &&
      record.source === 'rollback' &&
      record.directory === directory &&
      record.from === to;
    if (!isOurs) {
      const about = { repository: found.facts.fullName, package: path, reason: 'branch-taken' };
      ports.log.warn(about, 'the branch that would restore a failing revision is not of Portico');
    }
    return isOurs;
  }
  const tag = tagOf(refs, directory, to);
  if (tag === undefined) return false;
  const before = await filesAt(git, found.head, directory, signal);
  const after = await filesAt(git, tag.commit, directory, signal);
  const by = { by: ports.app.botLogin, comment: 0, index: 0 };
  const problem = await commitByCommand(
    ports,
    git,
    {
      branch,
      parent: found.head,
      expect: null,
      changes: changesBetween(directory, before, after),
      title: `Restore ${path} to ${to}: ${revision} fails`,
      trailers: [`Restored-From: ${to}`],
      record: { kind: 'draft', source: 'rollback', directory, from: to, ...by },
    },
    signal,
  );
  if (problem === null) return true;
  ports.log.warn(
    { repository: found.facts.fullName, package: path, reason: problem.kind },
    'the branch that restores a failing revision is not taken by the forge',
  );
  return false;
}

async function openPull(
  { access, found, signal }: Pick<RestorationPlace, 'access' | 'found' | 'signal'>,
  restoration: Restoration,
  branch: string,
): Promise<Pull> {
  const { path, revision, to } = restoration;
  const { pull } = await access.forge.createPull(
    {
      title: `Restore ${path} to ${to}: ${revision} fails where it runs`,
      body: restorationBody(restoration),
      head: branch,
      base: found.config.branch,
    },
    signal,
  );
  return pull;
}
