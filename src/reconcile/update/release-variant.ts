/** What a variant leaves behind that is gone from its document, or keeps another package now. */

import type { VariantMark } from '../../catalog/catalog.ts';
import { pathInRepository, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import { draftBranch, parseBranch, updateBranch } from '../../revision/ref-name.ts';
import { variantBranchName, type VariantTarget } from '../downstream/downstream.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import { controlOf } from '../downstream/variant-claims.ts';
import { variantPlan, type VariantPlan } from '../downstream/variant-plan.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Git } from '../git-port.ts';
import { proposalJob } from '../jobs.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { DELETION_NOTE, pushDeletion } from '../repository/deletion-branch.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import { refMoved } from '../repository/refused-push.ts';
import { openRegistered } from '../repository/registered.ts';
import { readMark } from '../repository/variant-mark.ts';
import { isControlledBy, partyOf } from '../repository/visibility.ts';
import type { DeletionRecord } from '../seal/commit-seal.ts';
import { newestSealed } from '../seal/update-record.ts';
import { code } from '../text/markdown-blocks.ts';
import { STOP_MARKER } from './pull.ts';
import { pushError } from './push.ts';

/**
 * Lets go of a package as the deletion policy says: its update pull request is closed, and the deletion of what is
 * published is proposed; an orphan stays as it is, and so does its open pull request. Null where there is nothing to let
 * go of.
 */
export async function releaseVariant(
  ports: Ports,
  target: VariantTarget,
  signal?: AbortSignal,
): Promise<Withheld | null> {
  const plan = variantPlan(ports.catalog);
  if (plan.at(target.repository.id, target.package) !== undefined) return null;
  const known = ports.catalog.get(target.repository.id);
  const directory = pathInRepository(known?.directory ?? TOP, target.package);
  const mark = known?.packages.find((one) => one.directory === directory)?.variant;
  const isThere = known?.packages.some((one) => one.directory === directory) ?? true;
  if (mark === undefined && target.gone === undefined && target.branch === undefined && isThere) return null;
  const access = await ports.open(target.repository, signal);
  const uid =
    mark?.uid ?? target.gone ?? (await uidOfDraft({ ports, access, signal }, directory, target.branch));
  if (uid === undefined) return null;
  const found = await openRegistered(access, {}, signal);
  if (found.kind === 'none') return null;
  const { facts, config, head: base } = found;
  const { branch } = config;
  const { kptfile } = await readKptfileAt(access.git, base, directory, signal);
  const standing = kptfile === null ? undefined : readMark(kptfile);
  if (standing !== undefined && standing.uid !== uid) return null;
  const draft = await openDraft({ ports, access, signal }, directory, uid);
  if (!plan.isGone(uid, target.repository.id, target.package)) {
    const message =
      'It may still be asked for by a document that cannot be read, so it stays. The dashboard of the repository that holds the variant documents says what is wrong with them.';
    return standing === undefined && draft === undefined ? null : withheld('variant-error', message);
  }
  if (draft !== undefined) {
    const record = (await markOn(access, draft, directory, signal)) ?? standing;
    if (isOrphan(plan, uid, record?.orphan ?? false)) return leaveAlone(access, draft, signal);
    await closeDraft(access, draft, signal);
  }
  if (standing === undefined || isOrphan(plan, uid, standing.orphan)) return null;
  const control = ports.catalog.get(controlOf(uid));
  if (control === undefined || !isControlledBy(partyOf({ facts, config }), control)) {
    const message =
      'Its variant was removed from a repository whose documents do not apply here (spec.controlledBy). The package stays, and no variant manages it.';
    return withheld('not-owned', message);
  }
  return proposeDeletion(ports, access, { ...target, directory, base, onto: branch }, signal);
}

/** The variant that an update branch was made for; without its name, one that is open for a package that is not there. */
async function uidOfDraft(
  { ports, access: { git, forge }, signal }: RepositoryWork,
  directory: RepositoryDirectory,
  branch: string | undefined,
): Promise<string | undefined> {
  const open = branch === undefined ? await forge.listOpenPulls(signal) : [];
  const own = open.find(({ headRef, author }) => {
    const parsed = author === ports.app.botLogin ? parseBranch(headRef) : undefined;
    return parsed?.kind === 'update' && parsed.path === directory;
  });
  const ref = branch ?? own?.headRef;
  if (ref === undefined) return undefined;
  await git.fetch({}, signal);
  const head = await git.resolve(`refs/heads/${ref}`, signal);
  return head === null
    ? undefined
    : (await newestSealed(git, { head }, ports.seals, signal))?.record.variant?.uid;
}

/** The document that is left says; of one that is gone, what it said last. */
function isOrphan(plan: VariantPlan, uid: string, record: boolean): boolean {
  const left = plan.byUid(uid);
  return left === undefined ? record : left.variant.spec.deletionPolicy === 'orphan';
}

/** The open pull request of a variant for a package. */
async function openDraft(
  { ports, access: { forge }, signal }: RepositoryWork,
  directory: RepositoryDirectory,
  uid: string,
): Promise<Pull | undefined> {
  const branch = updateBranch(directory, variantBranchName(uid));
  const open = await forge.pullsForHead({ branch }, { state: 'open' }, signal);
  return open.find(({ author }) => author === ports.app.botLogin);
}

/** What the package in a pull request says of its variant. */
async function markOn(
  { git }: RepositoryAccess,
  { headSha }: Pull,
  directory: RepositoryDirectory,
  signal: AbortSignal | undefined,
): Promise<VariantMark | undefined> {
  const head = await git.resolve(headSha, signal);
  const { kptfile } = head === null ? { kptfile: null } : await readKptfileAt(git, head, directory, signal);
  return kptfile === null ? undefined : readMark(kptfile);
}

const LEFT_ALONE =
  '**Orphaned.** The variant that created this pull request was removed or now manages another package, and its deletion policy is `orphan`. Portico no longer updates this pull request: merge it or close it.';

/** As Porch does, which drops its ownership of a draft that it orphans, and nothing else. */
async function leaveAlone(
  { forge }: RepositoryAccess,
  { number }: Pull,
  signal: AbortSignal | undefined,
): Promise<Withheld> {
  await forge.upsertSticky(number, STOP_MARKER, LEFT_ALONE, signal);
  return withheld('orphaned', `Its variant was removed, and #${number} is orphaned: merge it or close it.`);
}

async function closeDraft(
  { forge }: RepositoryAccess,
  { number }: Pull,
  signal: AbortSignal | undefined,
): Promise<void> {
  const why = '**Closed.** The variant that managed this package was removed or now manages another package.';
  await forge.upsertSticky(number, STOP_MARKER, why, signal);
  await forge.closePull(number, signal);
}

async function proposeDeletion(
  ports: Ports,
  { git, forge, ref }: RepositoryAccess,
  place: {
    readonly package: string;
    readonly directory: RepositoryDirectory;
    readonly base: string;
    readonly onto: string;
  },
  signal: AbortSignal | undefined,
): Promise<Withheld> {
  const { directory, base } = place;
  // Of the form that the deletions have which a command proposes; comments count from 1.
  const branch = draftBranch(directory, 'delete-0');
  const pulls = await forge.pullsForHead({ branch }, { state: 'all' }, signal);
  const open = pulls.find(({ state }) => state === 'open');
  if (open !== undefined) return proposed(open.number);
  const declined = pulls.find(({ state, merged }) => state === 'closed' && !merged);
  if (declined !== undefined) {
    return withheld(
      'declined',
      `#${declined.number} was closed: the package stays, and no variant manages it.`,
    );
  }
  await pushRemoval({ ports, git, directory, base, branch, path: place.package, signal });
  const { pull } = await forge.createPull(
    {
      title: `Delete ${place.package}`,
      body: [
        `Removes the package ${code(place.package)}: the variant that managed it was removed or now manages another package, and its deletion policy is ${code('delete')}.`,
        DELETION_NOTE,
      ].join('\n\n'),
      head: branch,
      base: place.onto,
    },
    signal,
  );
  await ports.enqueue(proposalJob(ref, pull.number));
  return proposed(pull.number);
}

function proposed(number: number): Withheld {
  return withheld('deletion-proposed', `Its variant was removed: the deletion is proposed in #${number}.`);
}

async function pushRemoval({
  ports,
  git,
  directory,
  base,
  branch,
  path,
  signal,
}: {
  readonly ports: Ports;
  readonly git: Git;
  readonly directory: RepositoryDirectory;
  readonly base: string;
  readonly branch: string;
  readonly path: string;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const expect = await git.resolve(`refs/heads/${branch}`, signal);
  const record: DeletionRecord = { kind: 'deletion', directory, by: ports.app.botLogin, comment: 0 };
  const title = `Delete ${path}`;
  const answer = await pushDeletion(ports, git, { branch, expect, base, title, record }, signal);
  if (answer.kind === 'moved') throw refMoved(branch);
  if (answer.kind === 'refused') throw pushError(branch, answer.rejected);
}
