import { guardrailDigest } from '../config/guardrail-config.ts';
/**
 * Publishing is derived from git: where a package on the registered branch differs from its newest tag, a revision is
 * due. Nothing else is asked, so a crash between merge and tag repairs itself, and a replayed webhook does nothing.
 */
import type { RepositoryConfig } from '../config/repository-config.ts';
import { PorticoError } from '../error.ts';
import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import { diffPackages } from '../package/diff/diff.ts';
import type { PackageFiles } from '../package/package.ts';
import { contentDigest } from '../revision/digest.ts';
import { dueSteps } from '../revision/due.ts';
import { formatProvenance, parseProvenance, type Provenance } from '../revision/provenance.ts';
import { digestAt, loadApprovals } from './approvals.ts';
import { loadConfiguration } from './configuration.ts';
import { proposalJob, repositoryJob } from './jobs.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { code } from './markdown-blocks.ts';
import { mergeRequestOf } from './merge-message.ts';
import {
  allRevisions,
  loadRevisionRefs,
  highestRevision,
  publishedRefs,
  refPath,
  tagOf,
  upcomingRevision,
  type RevisionRefs,
} from './package-revisions.ts';
import type {
  Access,
  CommitInfo,
  GitRef,
  PackageDir,
  Pull,
  RepositoryFacts,
  RepositoryRef,
  World,
} from './ports.ts';
import { rootPackages } from './proposal-snapshot.ts';
import { botPerson } from './render-commit.ts';

/** A state of the registered branch that is a revision of one package. */
interface DueRevision {
  readonly package: PackageDir;
  readonly commit: CommitInfo;
  /** The merged proposal; null for a direct push, where the configuration publishes those. */
  readonly pull: Pull | null;
}

/** How often the next number is tried when somebody else takes it first. */
const CLAIMS = 20;
/** A branch's history is read so far back for merges that were not tagged. */
const HISTORY = 500;

export type PublicationReconciler = (repository: RepositoryRef, signal?: AbortSignal) => Promise<void>;

/**
 * Tags and releases everything that is due in a repository, and asks for its followers to be looked at. What one
 * process has announced it does not look at again; a new process makes sure of the newest revisions once.
 */
export function createPublicationReconciler(world: World): PublicationReconciler {
  const announced = new Set<string>();
  return async (repository, signal) => {
    const access = await world.open(repository, signal);
    const [facts] = await Promise.all([access.forge.get(signal), access.git.fetch({}, signal)]);
    const configuration = await loadConfiguration(access.git, facts.defaultBranch, signal);
    if (configuration.state !== 'registered' || facts.archived) return;
    const { config } = configuration;
    const head = await access.git.resolve(`refs/heads/${config.branch}`, signal);
    if (head === null) return;
    let published = false;
    for (const found of await rootPackages(access, head, config.directory, signal)) {
      for (const due of await dueOf(access, config, found, head, signal)) {
        await publish(world, access, facts, config, due, signal);
        published = true;
      }
      const refs = await loadRevisionRefs(access.git, signal);
      const newest = highestRevision(refs, found.directory);
      if (newest === undefined || announced.has(newest.tag.oid)) continue;
      const number = await announce(access, config, found, newest, refs, signal);
      if (number !== null) {
        await world.enqueue(proposalJob(repository, number));
      }
      announced.add(newest.tag.oid);
    }
    if (published) {
      await world.enqueue(repositoryJob(repository));
    }
  };
}

/** The revisions of one package that are due, oldest first. */
async function dueOf(
  { git, forge }: Access,
  config: RepositoryConfig,
  found: PackageDir,
  head: string,
  signal: AbortSignal | undefined,
): Promise<DueRevision[]> {
  const newest = highestRevision(await loadRevisionRefs(git, signal), found.directory);
  const newestTree = newest && ((await git.treeId(newest.tag.commit, found.directory, signal)) ?? undefined);
  if (newestTree === found.tree) return [];
  const known = newest !== undefined && (await git.isAncestor(newest.tag.commit, head, signal));
  const range = known ? { from: newest.tag.commit, to: head } : { to: head };
  const options = {
    firstParent: true,
    limit: HISTORY,
    ...(found.directory !== '' && { path: found.directory }),
  };
  const log = (await git.log(range, options, signal)).toReversed();
  const steps = await Promise.all(
    log.map(async ({ oid }) => ({ commit: oid, tree: await git.treeId(oid, found.directory, signal) })),
  );
  const wanted = dueSteps(steps, newestTree).map(({ commit }) => commit);
  // Without a revision there is no history to make up for: only what stands on the branch can be published.
  const looked = newest === undefined ? wanted.slice(-1) : wanted;
  const due: DueRevision[] = [];
  for (const commit of log.filter(({ oid }) => looked.includes(oid))) {
    const pull = await mergedProposal({ forge }, config.branch, commit.oid, signal);
    if (pull !== null || config.publish.directPushes === 'publish')
      due.push({ package: found, commit, pull });
  }
  return due;
}

/** The proposal that brought a commit to the registered branch; null for a direct push. */
async function mergedProposal(
  { forge }: Pick<Access, 'forge'>,
  branch: string,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<Pull | null> {
  const pulls = await forge.pullsForCommit(commit, signal);
  return pulls.find((pull) => pull.merged && pull.baseRef === branch) ?? null;
}

async function publish(
  world: World,
  access: Access,
  facts: RepositoryFacts,
  config: RepositoryConfig,
  due: DueRevision,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { git } = access;
  const said = await provenanceOf(world, access, facts, config, due, signal);
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    const refs = await loadRevisionRefs(git, signal);
    const tree = await git.treeId(due.commit.oid, due.package.directory, signal);
    if (await alreadyTagged(git, refs, due, tree, signal)) return;
    const revision = upcomingRevision(
      refs,
      due.package.directory,
      config,
      mergeRequestOf(due.commit.message).bump,
    );
    const names = publishedRefs(due.package.directory, revision);
    const tag = await git.writeTag(
      {
        name: names.tag,
        object: due.commit.oid,
        message: formatProvenance({ ...said, revision }),
        tagger: botPerson(world.app),
        date: world.now(),
      },
      signal,
    );
    const answer = await git.push(
      [
        { ref: `refs/tags/${names.tag}`, to: tag, expect: null },
        { ref: names.ledger, to: tag, expect: null },
      ],
      signal,
    );
    await git.fetch({}, signal);
    if (answer.ok) {
      world.log.info({ repository: facts.fullName, tag: names.tag, sha: due.commit.oid }, 'published');
      return;
    }
    const final = answer.rejected.find(({ reason }) => reason !== 'exists' && reason !== 'stale');
    if (final !== undefined) {
      throw new PorticoError('TAG_REFUSED', `the forge refused the tag ${names.tag}: ${final.message}`, {
        hint: 'Let the App create tags `**/v*`: a tag ruleset that forbids it must list the App as a bypass actor.',
      });
    }
  }
  throw new PorticoError(
    'TAG_CONTENDED',
    `no revision number could be claimed for ${due.package.directory}`,
    {
      blame: 'forge',
    },
  );
}

/** True when a revision of this package at this commit exists: another process was faster. */
async function alreadyTagged(
  git: Access['git'],
  refs: RevisionRefs,
  due: DueRevision,
  tree: string | null,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const newest = highestRevision(refs, due.package.directory);
  if (newest === undefined) return false;
  if (newest.tag.commit === due.commit.oid) return true;
  const newer = await git.isAncestor(due.commit.oid, newest.tag.commit, signal);
  return newer || (await git.treeId(newest.tag.commit, due.package.directory, signal)) === tree;
}

async function provenanceOf(
  world: World,
  access: Access,
  facts: RepositoryFacts,
  config: RepositoryConfig,
  { package: found, commit, pull }: DueRevision,
  signal: AbortSignal | undefined,
): Promise<Omit<Provenance, 'revision'>> {
  const checked = pull === null ? undefined : await digestAt(world, access, pull.headSha, signal);
  const approvals =
    pull === null ? null : await loadApprovals(world, access, { facts, pull, config }, checked, signal);
  const parsed = (await readKptfileAt(access.git, commit.oid, found.directory, signal)).kptfile;
  const upstream = parsed?.upstream?.git;
  const lock = parsed?.upstreamLock?.git;
  const requested = mergeRequestOf(commit.message).requestedBy ?? pull?.mergedBy ?? undefined;
  const guardrails = [...config.guardrails.mutators, ...config.guardrails.validators];
  return {
    package: refPath(found.directory),
    digest: checked ?? (await plainDigest(access, config, found, commit, signal)),
    guardrails: guardrails.map(({ name, image }) => ({ name, function: image ?? 'cel' })),
    approvedBy: approvals?.counted.map(({ login }) => login) ?? [],
    ...(upstream && { upstream }),
    ...(lock && { upstreamLock: lock }),
    ...(pull !== null && { proposal: pull.number }),
    ...(requested !== undefined && { requestedBy: requested }),
  };
}

/** The digest of content that no check has seen, such as a direct push. */
async function plainDigest(
  { git }: Access,
  config: RepositoryConfig,
  found: PackageDir,
  commit: CommitInfo,
  signal: AbortSignal | undefined,
): Promise<string> {
  return contentDigest({
    branch: config.branch,
    packages: [
      { path: refPath(found.directory), renderedTree: await git.treeId(commit.oid, found.directory, signal) },
    ],
    otherFiles: [],
    guardrails: guardrailDigest(config),
    functions: {},
  });
}

/** Makes sure that a revision that Portico tagged has its release. Returns the number of its proposal. */
async function announce(
  { git, forge }: Access,
  config: RepositoryConfig,
  found: PackageDir,
  newest: { readonly name: string; readonly tag: GitRef },
  refs: RevisionRefs,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const tag = await git.tag(newest.tag.oid, signal);
  const said = tag === null ? undefined : parseProvenance(tag.message);
  if (said === undefined) return null;
  const names = publishedRefs(found.directory, newest.name);
  if (config.publish.release && (await forge.getRelease(names.tag, signal)) === null) {
    const body = await releaseNotes(git, refs, found, newest, said, signal);
    await forge.upsertRelease({ tag: names.tag, name: `${said.package} ${newest.name}`, body }, signal);
  }
  return said.proposal ?? null;
}

/** What changed since the revision before, per resource and field, and where the revision comes from. */
async function releaseNotes(
  git: Access['git'],
  refs: RevisionRefs,
  found: PackageDir,
  newest: { readonly name: string; readonly tag: { readonly commit: string } },
  said: Provenance,
  signal: AbortSignal | undefined,
): Promise<string> {
  const names = allRevisions(refs, found.directory).map(({ name }) => name);
  const before = names[names.indexOf(newest.name) - 1];
  const tag = before === undefined ? undefined : tagOf(refs, found.directory, before);
  const read = async (commit: string | undefined): Promise<PackageFiles> =>
    commit === undefined
      ? new Map()
      : ((await git.readPackage(commit, found.directory, {}, signal))?.files ?? new Map());
  const diff = diffPackages(await read(tag?.commit), await read(newest.tag.commit));
  const approved = said.approvedBy.map(code).join(', ');
  return [
    before === undefined ? 'First revision.' : `Since ${code(before)}:`,
    diffMarkdown(diff, { limit: 50_000 }),
    [
      ...(said.proposal === undefined ? [] : [`Proposal #${said.proposal}.`]),
      ...(approved === '' ? [] : [`Approved by ${approved}.`]),
      `Content ${code(said.digest)}.`,
    ].join(' '),
  ].join('\n\n');
}
