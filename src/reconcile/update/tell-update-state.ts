/** The body of an update's pull request, kept to what is so: conflicts settled, paused, published, closed. */
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import { groupOfBranch, parseBranch } from '../../revision/ref-name.ts';
import type { Comment } from '../forge/comments.ts';
import type { OpenConflicts } from '../merge/open-conflicts.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { pauseOf } from '../repository/pause.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { PackageChange } from '../review/proposal-changes.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import { newestSealed, packagesOf } from '../seal/update-record.ts';
import { shownConflict } from './body.ts';
import { CLOSED, STOP_MARKER } from './pull.ts';
import { withState, type UpdateState } from './state.ts';

/** Commits above what Portico brought; so many are never all of Portico's. */
const MAX_LOOKED_AT = 50;

type Ours = Awaited<ReturnType<typeof newestSealed>>;
type Update = Pick<ProposalSnapshot, 'facts' | 'pull' | 'config'>;

/** Writes the body where it says something else; of a pull request that is no update of Portico's nothing. */
export async function tellUpdateState(
  { ports, access: { forge }, signal }: RepositoryWork<'app' | 'runExclusive', 'forge'>,
  { facts, pull }: Update,
  state: UpdateState,
): Promise<void> {
  if (!isOurUpdate(ports, { facts, pull }) || withState(pull.body, state) === pull.body) return;
  // Whoever brings another revision writes the body too, and holds the same lock.
  await ports.runExclusive(`updates ${facts.id}`, async () => {
    const now = await forge.lookingAt(pull.number).getPull(pull.number, signal);
    if (now === null || now.headSha !== pull.headSha || now.state !== pull.state) return;
    const body = withState(now.body, state);
    if (body !== now.body) await forge.updatePull(pull.number, { body }, signal);
  });
}

/** The same for an open one. */
export async function tellOpenUpdate({
  ports,
  access,
  snapshot,
  head,
  changes,
  conflicts,
  held,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'runExclusive' | 'seals'>;
  readonly access: RepositoryAccess;
  readonly snapshot: Update & Pick<ProposalSnapshot, 'base'>;
  readonly head: string;
  readonly changes: readonly PackageChange[];
  readonly conflicts: OpenConflicts;
  readonly held: string | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  if (!isOurUpdate(ports, snapshot) || conflicts.lost !== false) return;
  const ours = await newestSealed(access.git, { head, base: snapshot.base }, ports.seals, signal);
  const brings = broughtBy(ours, snapshot);
  const group = groupOfBranch(snapshot.pull.headRef);
  const publishes = brings.flatMap(({ path, from }) => {
    const { next = null, newest } = changes.find((one) => one.path === path) ?? {};
    return next === null ? [] : [{ path, ...(newest !== undefined && { newest }), revision: next, from }];
  });
  const paused: { path: string; by: string }[] = [];
  for (const { path, directory } of brings) {
    const by = (await pauseOf(ports, access, directory, signal))?.by ?? null;
    if (by !== null) paused.push({ path, by });
  }
  const open = conflicts.conflicts.map((one) => shownConflict(one, group));
  const state: UpdateState = {
    kind: 'open',
    publishes,
    conflicts: { open, listed: conflicts.listed },
    isChanged:
      open.length < conflicts.listed ||
      (await hasCommitsOnTop({ ports, git: access.git, ours, head, signal })),
    paused,
    ...(group !== undefined && { group }),
    ...(held !== undefined && { held }),
  };
  await tellUpdateState({ ports, access, signal }, snapshot, state);
}

/** What became of an update that was closed; `comments` are those of its pull request. Undefined for any other pull request. */
export async function closedUpdate(
  { ports, access, signal }: RepositoryWork<'app' | 'seals', 'git'>,
  snapshot: Update & Pick<ProposalSnapshot, 'head' | 'base'>,
  comments: readonly Comment[],
): Promise<Extract<UpdateState, { kind: 'closed' }> | undefined> {
  if (!isOurUpdate(ports, snapshot)) return undefined;
  const { git } = access;
  const head = snapshot.head.oid;
  const newest = await newestSealed(git, { head, base: snapshot.base }, ports.seals, signal);
  // A branch that a person moved to the registered branch has the update that was merged before.
  const isMerged = newest !== null && (await git.isAncestor(newest.commit.oid, snapshot.base, signal));
  const ours = isMerged ? null : newest;
  const notice = comments.find(
    ({ author, body }) =>
      author === ports.app.botLogin && body.startsWith(STOP_MARKER) && body.includes(`\n${CLOSED} `),
  );
  const why = notice?.body.split(`\n${CLOSED} `)[1]?.trim();
  return {
    kind: 'closed',
    brings: broughtBy(ours, snapshot),
    isChanged: await hasCommitsOnTop({ ports, git, ours, head, signal }),
    ...(why !== undefined && { why }),
  };
}

function isOurUpdate({ app }: Pick<Ports, 'app'>, { facts, pull }: Pick<Update, 'facts' | 'pull'>): boolean {
  const isOurs = pull.author === app.botLogin && pull.headRepositoryId === facts.id;
  return isOurs && parseBranch(pull.headRef)?.kind === 'update';
}

/** Whether somebody committed on top of what Portico brought; that it rendered those again makes no difference. */
async function hasCommitsOnTop({
  ports: { seals },
  git,
  ours,
  head,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals'>;
  readonly git: RepositoryAccess['git'];
  readonly ours: Ours;
  readonly head: string;
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  if (ours === null) return true;
  if (ours.commit.oid === head) return false;
  const above = await git.log({ from: ours.commit.oid, to: head }, { limit: MAX_LOOKED_AT }, signal);
  return above.some((commit) => !isRenderCommit(commit, seals));
}

/** The packages of an update, each with the upstream revision that it brings. */
function broughtBy(
  ours: Ours,
  { config }: Pick<Update, 'config'>,
): { readonly path: string; readonly directory: RepositoryDirectory; readonly from: string }[] {
  return (ours === null ? [] : packagesOf(ours.record)).map(({ directory, to }) => ({
    path: packagePathOf(config.directory, directory) ?? directory,
    directory,
    from: to,
  }));
}
