/**
 * One downstream package against its upstream: at most one open update pull request, refreshed in place. What people
 * committed on its branch is kept; the update goes under it.
 */
import type { RepositoryConfig } from '../config/repository-config.ts';
import { PorticoError } from '../error.ts';
import { readKptfile, withUpstream } from '../package/kptfile.ts';
import type { Conflict } from '../package/merge/conflict.ts';
import type { UpdateStrategy } from '../package/merge/merge-types.ts';
import { mergePackages } from '../package/merge/merge.ts';
import type { PackageFiles } from '../package/package.ts';
import { renderPackage } from '../package/render/render.ts';
import { updateBranch } from '../revision/ref-name.ts';
import { loadConfiguration } from './configuration.ts';
import { loadGuardrails } from './guardrails.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { publishedRefs, refPath, tagOf, taggedRevisions } from './package-revisions.ts';
import type {
  Access,
  CommitInfo,
  FileChanges,
  Pull,
  RepositoryFacts,
  RepositoryRef,
  World,
} from './ports.ts';
import { changesBetween } from './proposal-render.ts';
import { botPerson } from './render-commit.ts';
import { updateBody, updateTitle } from './update-body.ts';
import { newestSealed, readSealed, sealedMessage, type UpdateRecord } from './update-record.ts';
import { updateTarget, withheld, type Withheld } from './update-target.ts';
import { openUpstream, type Upstream } from './upstream.ts';

export interface VariantTarget {
  readonly repository: RepositoryRef;
  /** Package path below the registered directory. */
  readonly package: string;
  /** A revision that somebody asked for. */
  readonly to?: string;
}

export type VariantOutcome =
  | Withheld
  | { readonly kind: 'opened' | 'updated' | 'unchanged'; readonly pull: number; readonly to: string };

export type VariantReconciler = (target: VariantTarget, signal?: AbortSignal) => Promise<VariantOutcome>;

/** Everything about one downstream package that the update is made from. */
interface Downstream {
  readonly access: Access;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly base: CommitInfo;
  readonly path: string;
  readonly directory: string;
  readonly upstream: Upstream;
  readonly upstreamName: string;
  readonly branch: string;
}

/** The package as the update wants it on top of the registered branch. */
interface Wanted {
  readonly to: string;
  readonly files: PackageFiles;
  readonly local: PackageFiles;
  readonly conflicts: readonly Conflict[];
}

export function createVariantReconciler(world: World): VariantReconciler {
  return async (target, signal) => {
    const outcome = await reconcile(world, target, signal);
    const { repository } = target;
    const fields = { repository: `${repository.owner}/${repository.name}`, package: target.package };
    if (outcome.kind === 'withheld') world.log.debug({ ...fields, reason: outcome.reason }, outcome.message);
    else
      world.log.info(
        { ...fields, pull: outcome.pull, to: outcome.to, outcome: outcome.kind },
        'update pull request',
      );
    return outcome;
  };
}

async function reconcile(world: World, target: VariantTarget, signal?: AbortSignal): Promise<VariantOutcome> {
  const down = await loadDownstream(world, target, signal);
  if ('kind' in down) return down;
  const { upstream, access } = down;
  const pulls = await access.forge.pullsForHead({ branch: down.branch }, { state: 'all' }, signal);
  const open = pulls.find(({ state }) => state === 'open');
  const asked = target.to ?? (await askedBefore(world, down, open, signal));
  const chosen = updateTarget({
    policy: down.config.updates,
    asked,
    current: upstream.current,
    newest: upstream.newest,
    available: taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name),
  });
  if (chosen.kind === 'withheld') return chosen;
  const head = await branchHead(down, signal);
  if (open === undefined && target.to === undefined) {
    const declined = await declinedBefore(world, down, pulls, chosen.revision, signal);
    if (declined !== null) return declined;
    const full = await tooMany(world, down, signal);
    if (full !== null) return full;
  }
  if (open !== undefined && head !== null && (await isCurrent(world, down, head, chosen.revision, signal))) {
    return { kind: 'unchanged', pull: open.number, to: chosen.revision };
  }
  const wanted = await updatedPackage(world, down, chosen.revision, signal);
  if ('kind' in wanted) return wanted;
  const pushed = await pushUpdate(world, down, wanted, head, signal);
  if ('kind' in pushed) return pushed;
  return openOrRefresh(world, down, wanted, open, signal);
}

async function loadDownstream(
  world: World,
  target: VariantTarget,
  signal?: AbortSignal,
): Promise<Downstream | Withheld> {
  const access = await world.open(target.repository, signal);
  const [facts] = await Promise.all([access.forge.get(signal), access.git.fetch({}, signal)]);
  if (facts.archived) return withheld('archived', 'The repository is archived.');
  const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
  if (configuration.state !== 'registered')
    return withheld('not-followed', 'The repository is not registered.');
  const { config } = configuration;
  const head = await access.git.resolve(`refs/heads/${config.branch}`, signal);
  const directory = inRegistered(config.directory, target.package);
  const kptfile = head === null ? null : (await readKptfileAt(access.git, head, directory, signal)).kptfile;
  if (head === null || kptfile === null)
    return withheld('not-followed', 'There is no such package on the registered branch.');
  const found = await openUpstream(world, kptfile, signal);
  if (found.kind === 'none') {
    return withheld(
      'not-followed',
      'The package has no upstream in a repository that Portico is installed in.',
    );
  }
  const { upstream } = found;
  const upstreamFacts = await upstream.access.forge.get(signal);
  if (rank(upstreamFacts.visibility) > rank(facts.visibility)) {
    return withheld(
      'blocked-visibility',
      'The upstream is less public than this repository: its content stays there.',
    );
  }
  const upstreamName = `${upstreamFacts.fullName}:${refPath(upstream.directory)}`;
  return {
    access,
    facts,
    config,
    base: await access.git.commit(head, signal),
    path: target.package,
    directory,
    upstream,
    upstreamName,
    branch: updateBranch(refPath(directory), `${upstream.access.ref.id}:${refPath(upstream.directory)}`),
  };
}

/** A revision that was asked for by command stays the target of its pull request until it is closed. */
async function askedBefore(
  world: World,
  down: Downstream,
  open: Pull | undefined,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  if (open === undefined || down.config.updates.follow.kind !== 'none') return undefined;
  const head = await branchHead(down, signal);
  const ours = head === null ? null : await newestSealed(down.access.git, head, world.hmac, signal);
  return ours?.record.to;
}

async function branchHead(down: Downstream, signal: AbortSignal | undefined): Promise<string | null> {
  return down.access.git.resolve(`refs/heads/${down.branch}`, signal);
}

/** A closed update pull request means: not this revision. */
async function declinedBefore(
  world: World,
  down: Downstream,
  pulls: readonly Pull[],
  revision: string,
  signal: AbortSignal | undefined,
): Promise<Withheld | null> {
  for (const pull of pulls.filter(({ state, merged }) => state === 'closed' && !merged).slice(0, 10)) {
    const head = await down.access.git.resolve(pull.headSha, signal);
    const ours = head === null ? null : await newestSealed(down.access.git, head, world.hmac, signal);
    if (ours?.record.to === revision) {
      return withheld(
        'declined',
        `#${pull.number} was closed: not ${revision}. Open it again, or ask with /portico update.`,
      );
    }
  }
  return null;
}

async function tooMany(
  world: World,
  down: Downstream,
  signal: AbortSignal | undefined,
): Promise<Withheld | null> {
  const open = await down.access.forge.listOpenPulls(signal);
  const updates = open.filter(
    ({ headRef, author, headRepositoryId }) =>
      headRef.startsWith('portico/update/') &&
      author === world.app.botLogin &&
      headRepositoryId === down.facts.id,
  );
  const { maxOpen } = down.config.updates;
  if (updates.length < maxOpen) return null;
  return withheld(
    'limit',
    `${updates.length} update pull requests are open, and updates.maxOpen is ${maxOpen}: merge or close one.`,
  );
}

/** True when the branch holds this revision, made for the package as it is on the registered branch now. */
async function isCurrent(
  world: World,
  { access: { git }, base, directory }: Downstream,
  head: string,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const ours = await newestSealed(git, head, world.hmac, signal);
  if (ours === null || ours.record.to !== revision) return false;
  const then = await git.treeId(ours.record.base, directory, signal);
  return then === (await git.treeId(base.oid, directory, signal));
}

async function updatedPackage(
  world: World,
  down: Downstream,
  to: string,
  signal: AbortSignal | undefined,
): Promise<Wanted | Withheld> {
  const { upstream, access, directory } = down;
  const tag = tagOf(upstream.refs, upstream.directory, to);
  const read = async (from: Access, commit: string, where: string): Promise<PackageFiles | null> =>
    (await from.git.readPackage(commit, where, {}, signal))?.files ?? null;
  const base =
    upstream.baseCommit === null
      ? null
      : await read(upstream.access, upstream.baseCommit, upstream.directory);
  const next = tag === undefined ? null : await read(upstream.access, tag.commit, upstream.directory);
  const local = await read(access, down.base.oid, directory);
  if (base === null || next === null || local === null || tag === undefined) {
    return withheld(
      'base-missing',
      'The commit that this package was made from is not in its upstream any more. Set upstreamLock to a commit that is.',
    );
  }
  const strategy = strategyOf(local);
  const merged = mergePackages({ base, upstream: next, local, ...(strategy && { strategy }) });
  const locked = lockTo(merged.files, down, to, tag.commit);
  const loaded = await loadGuardrails(access.git, down.config, down.base.oid, signal);
  const guardrails = loaded.forPackage(down.path).filter(({ type }) => type === 'mutator');
  const rendered = await renderPackage({
    files: locked,
    runtime: world.runtime,
    guardrails,
    ...(signal && { signal }),
  });
  return { to, local, files: rendered.files, conflicts: merged.conflicts };
}

const STRATEGIES: readonly UpdateStrategy[] = [
  'resource-merge',
  'fast-forward',
  'force-delete-replace',
  'copy-merge',
];

/** The strategy that the downstream's Kptfile asks for. */
function strategyOf(local: PackageFiles): UpdateStrategy | undefined {
  const kptfile = local.get('Kptfile');
  const named = kptfile && readKptfile(kptfile.bytes).kptfile.upstream?.updateStrategy;
  return STRATEGIES.find((known) => known === named);
}

/** The Kptfile says where the package stands now, as kpt writes it. */
function lockTo(files: PackageFiles, { upstream }: Downstream, to: string, commit: string): PackageFiles {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return files;
  const { repo, directory } = upstream.lock;
  const ref = publishedRefs(upstream.directory, to).tag;
  const place = { repo, directory: directory === '.' ? '/' : directory, ref };
  const intent = readKptfile(kptfile.bytes).kptfile.upstream;
  const bytes = withUpstream(kptfile.bytes, {
    upstream: { ...intent, type: 'git', git: place },
    upstreamLock: { type: 'git', git: { ...place, commit } },
  });
  return new Map([...files, ['Kptfile', { mode: kptfile.mode, bytes }]]);
}

/** Puts the update on its branch, under what people committed there; never by force over anybody's commit. */
async function pushUpdate(
  world: World,
  down: Downstream,
  wanted: Wanted,
  head: string | null,
  signal: AbortSignal | undefined,
): Promise<{ readonly head: string } | Withheld> {
  const { git } = down.access;
  // A branch that was merged, or that nobody has made yet, starts again from the registered branch.
  const fresh = head === null || (await git.isAncestor(head, down.base.oid, signal));
  const content = fresh
    ? await onBase(down, wanted, signal)
    : await onBranch(world, down, wanted, head, signal);
  if ('kind' in content) return content;
  if (
    head !== null &&
    content.tree === (await git.commit(head, signal)).tree &&
    content.parents.length === 1
  ) {
    const last = await git.commit(head, signal);
    if (readSealed(last, world.hmac)?.to === wanted.to) return { head };
  }
  const record: UpdateRecord = {
    directory: down.directory,
    upstream: down.upstreamName,
    to: wanted.to,
    base: down.base.oid,
  };
  const message = sealedMessage(updateTitle(down.path, wanted.to), record, content, world.hmac);
  const oid = await git.commitTree({ ...content, message, committer: botPerson(world.app) }, signal);
  const answer = await git.push([{ ref: `refs/heads/${down.branch}`, to: oid, expect: head }], signal);
  if (answer.ok) return { head: oid };
  const [rejected] = answer.rejected;
  throw new PorticoError(
    'REF_MOVED',
    `${down.branch} moved while it was updated: ${rejected?.message ?? ''}`,
    {
      blame: 'forge',
      retryAfter: 1,
    },
  );
}

async function onBase(
  { access: { git }, base, directory }: Downstream,
  wanted: Wanted,
  signal: AbortSignal | undefined,
): Promise<{ readonly tree: string; readonly parents: readonly string[] }> {
  const changes = changesBetween(directory, wanted.local, wanted.files);
  return { tree: await git.writeTree(base.oid, changes, signal), parents: [base.oid] };
}

async function onBranch(
  world: World,
  down: Downstream,
  wanted: Wanted,
  head: string,
  signal: AbortSignal | undefined,
): Promise<{ readonly tree: string; readonly parents: readonly string[] } | Withheld> {
  const { access, base, directory } = down;
  const { git } = access;
  const ours = await newestSealed(git, head, world.hmac, signal);
  if (ours === null) {
    return withheld(
      'conflict',
      `The branch ${down.branch} is not Portico's: delete it, and the update is made.`,
    );
  }
  const read = async (commit: string): Promise<PackageFiles> =>
    (await git.readPackage(commit, directory, {}, signal))?.files ?? new Map();
  const present = await read(head);
  const files = await underPeoplesCommits({
    ours: await read(ours.commit.oid),
    wanted: wanted.files,
    present,
  });
  if (files === null) {
    return withheld(
      'conflict',
      `What people committed on ${down.branch} and the update change the same fields: update the branch by hand, or close it.`,
    );
  }
  const behind = !(await git.isAncestor(base.oid, head, signal));
  const onto = behind ? await git.mergeTrees(head, base.oid, {}, signal) : null;
  const elsewhere =
    onto?.conflicts.filter((path) => directory !== '' && !path.startsWith(`${directory}/`)) ?? [];
  if (elsewhere.length > 0) {
    return withheld(
      'conflict',
      `${down.branch} and the registered branch both changed ${elsewhere.join(', ')}: merge by hand.`,
    );
  }
  const from =
    onto === null ? present : ((await git.readPackage(onto.tree, directory, {}, signal))?.files ?? new Map());
  const changes: FileChanges = changesBetween(directory, from, files);
  const tree = await git.writeTree(onto?.tree ?? head, changes, signal);
  return { tree, parents: behind ? [head, base.oid] : [head] };
}

/** The new update with the people's changes on top; null where they meet. */
async function underPeoplesCommits(sides: {
  readonly ours: PackageFiles;
  readonly wanted: PackageFiles;
  readonly present: PackageFiles;
}): Promise<PackageFiles | null> {
  const merged = mergePackages({ base: sides.ours, upstream: sides.wanted, local: sides.present });
  return merged.conflicts.length > 0 ? null : withKptfileOf(merged.files, sides.wanted);
}

/** The lock is the update's business: the merge of Kptfiles leaves it to its caller. */
function withKptfileOf(files: PackageFiles, wanted: PackageFiles): PackageFiles {
  const kptfile = wanted.get('Kptfile');
  return kptfile === undefined ? files : new Map([...files, ['Kptfile', kptfile]]);
}

async function openOrRefresh(
  world: World,
  down: Downstream,
  wanted: Wanted,
  open: Pull | undefined,
  signal: AbortSignal | undefined,
): Promise<VariantOutcome> {
  const { access, facts } = down;
  const title = updateTitle(down.path, wanted.to);
  const body = updateBody(
    {
      repository: facts.id,
      branch: down.branch,
      path: down.path,
      upstream: down.upstreamName,
      from: down.upstream.current,
      to: wanted.to,
      before: wanted.local,
      after: wanted.files,
      conflicts: wanted.conflicts,
    },
    world.hmac,
  );
  if (open === undefined) {
    const created = await access.forge.createPull(
      { title, body, head: down.branch, base: down.config.branch },
      signal,
    );
    return { kind: 'opened', pull: created.pull.number, to: wanted.to };
  }
  if (open.title !== title || open.body !== body)
    await access.forge.updatePull(open.number, { title, body }, signal);
  return { kind: 'updated', pull: open.number, to: wanted.to };
}

function inRegistered(directory: string, path: string): string {
  const joined = [directory, path].filter((part) => part !== '.').join('/');
  return joined;
}

function rank(visibility: RepositoryFacts['visibility']): number {
  return ['public', 'internal', 'private'].indexOf(visibility);
}
