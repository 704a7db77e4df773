/**
 * Publishing is derived from git: where a package on the registered branch differs from its newest tag, a revision is
 * due. Nothing else is asked, so a crash between merge and tag repairs itself, and a replayed webhook does nothing.
 */
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import { contentDigest } from '../../revision/digest.ts';
import { formatProvenance, type Provenance } from '../../revision/provenance.ts';
import { PUBLICATION_CHECK } from '../check-names.ts';
import { type Unapproved, publicationCheck, publishedCheck } from '../check/publication-check.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { CommitInfo, PackageDir, RejectedRef } from '../git-port.ts';
import { downstreamJob, proposalJob, repositoryJob } from '../jobs.ts';
import type { RepositoryAccess, RepositoryRef, Ports } from '../ports.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import {
  loadRevisionRefs,
  highestRevision,
  publishedRefs,
  refPath,
  publishedOnBranch,
  upcomingRevision,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { wasOvertaken } from '../repository/refused-push.ts';
import { openRegistered } from '../repository/registered.ts';
import { restoredFrom, waivedGuardrails } from '../review/draft-history.ts';
import { createDueRevisions, type DueRevision } from '../review/due-revisions.ts';
import { botPerson } from '../seal/bot-commit.ts';
import { catchUserError } from '../text/why-refused.ts';
import { announce } from './announce.ts';
import type { MergeRequestTrailers } from './merge-message.ts';
import { publishRequestOf } from './publish-request.ts';
import { publishedArtifact } from './published-artifact.ts';
import { artifactName, plannedArtifacts } from './registry-plan.ts';

/** How often the next number is tried when somebody else takes it first. */
const CLAIMS = 20;

export type PublicationReconciler = (repository: RepositoryRef, signal?: AbortSignal) => Promise<void>;

/**
 * Tags and releases everything that is due in a repository, and asks for its followers to be looked at. What one
 * process has announced it does not look at again; a new process makes sure of the newest revisions once.
 */
export function createPublicationReconciler(ports: Ports): PublicationReconciler {
  /** Repository and directory of a package → its newest tag that was announced. */
  const announced = new Map<string, { readonly oid: string; readonly unapproved: boolean }>();
  const look = createDueRevisions(ports);
  return async (repository, signal) => {
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return;
    const { facts, config, head } = found;
    const flagged = new Map<string, Unapproved>();
    let published = false;
    const refused = new Map<string, string>();
    /** Published at the head though nobody approved it. */
    const unapproved = new Map<string, string>();
    const publishAll = async (found: PackageDir): Promise<void> => {
      const refs = await loadRevisionRefs(access.git, signal);
      const { due, flagged: state } = await look(access, { facts, config, refs, found, head }, signal);
      if (state !== null) flagged.set(refPath(found.path), state);
      // What an earlier run has tagged and not announced comes first: no revision is passed over.
      await announceNewest(access, config, found);
      for (const one of due) {
        await publish({ ports, access, facts, config, due: one, head, signal });
        await ports.enqueue(
          downstreamJob({ repository, directory: refPath(found.directory) }, ports.dashboardSeconds),
        );
        await announceNewest(access, config, found);
        published = true;
      }
    };
    for (const found of await rootPackages(access, head, config.directory, signal)) {
      // What is wrong with one package, or its tag, holds up no other.
      await catchUserError(
        () => publishAll(found),
        (why) => void refused.set(refPath(found.path), why),
      );
    }
    const told = { flagged, refused, unapproved };
    const anything = flagged.size + refused.size + unapproved.size > 0;
    if (anything) await access.forge.putCheck(publicationCheck(head, told), signal);
    for (const number of new Set([...flagged.values()].map(({ pull }) => pull))) {
      // Its comment says that nothing was published.
      if (number !== null) await ports.enqueue(proposalJob(repository, number));
    }
    if (!published) return;
    // A merge can be told as one only a while later: what was flagged in between is taken back.
    const flags = (await access.forge.listChecks(head, signal)).filter(
      ({ name }) => name === PUBLICATION_CHECK,
    );
    if (!anything && flags.length > 0) await access.forge.putCheck(publishedCheck(head), signal);
    await ports.enqueue(repositoryJob(repository));

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
        if (known.unapproved && commit === head) unapproved.set(refPath(found.path), newest.name);
        return;
      }
      const said = await announce({ ports, to, config: by, found, newest, refs, signal });
      if (said?.proposal !== undefined) await ports.enqueue(proposalJob(repository, said.proposal));
      const past = said?.unapproved === true;
      if (past && commit === head) unapproved.set(refPath(found.path), newest.name);
      if (past && commit !== head)
        await flagPassed({ to, commit, path: refPath(found.path), revision: newest.name, signal });
      announced.set(place, { oid, unapproved: past });
    }
  };
}

/** On a commit that is not the head any more: what was flagged there while it was stays. */
async function flagPassed({
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
  const flags = (await forge.listChecks(commit, signal)).filter(({ name }) => name === PUBLICATION_CHECK);
  if (flags.some(({ conclusion }) => conclusion !== 'success')) return;
  const told = { flagged: new Map(), refused: new Map(), unapproved: new Map([[path, revision]]) };
  await forge.putCheck(publicationCheck(commit, told), signal);
}

async function publish({
  ports,
  access,
  facts,
  config,
  due,
  head,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly due: DueRevision;
  readonly head: string;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const { git } = access;
  const request = await publishRequestOf({
    ports,
    access,
    facts,
    commit: due.commit,
    pull: due.pull,
    signal,
  });
  const said = await provenanceOf({ ports, access, config, due, request, signal });
  let object = due.commit.oid;
  const { registries } = ports;
  const artifactsOf = async (commit: string, revision: string): Promise<Pick<Provenance, 'artifacts'>> => {
    const planned = registries === undefined ? [] : plannedArtifacts(config.oci, refPath(due.package.path));
    const artifacts: string[] = [];
    for (const { repository, rendered } of planned) {
      const state = { commit, directory: due.package.directory, revision, rendered };
      const content = await publishedArtifact({ ports, git, facts, state, signal });
      if (registries !== undefined)
        artifacts.push(artifactName(repository, await registries.digest(content)));
    }
    return artifacts.length === 0 ? {} : { artifacts };
  };
  for (let claim = 0; claim < CLAIMS; claim += 1) {
    const refs = await loadRevisionRefs(git, signal);
    if (await alreadyTagged({ git, refs, due, head, signal })) return;
    const revision = upcomingRevision(refs, due.package.directory, config, request.bump);
    const names = publishedRefs(due.package.directory, revision);
    const tag = await git.writeTag(
      {
        name: names.tag,
        object,
        message: formatProvenance({ ...said, revision, ...(await artifactsOf(object, revision)) }),
        tagger: botPerson(ports.app),
        date: ports.now(),
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
      const { digest, approvedBy, requestedBy: by, proposal: pull } = said;
      ports.log.info(
        { repository: facts.fullName, tag: names.tag, sha: object, digest, approvedBy, by, pull },
        'published',
      );
      return;
    }
    const final = answer.rejected.find((one) => !wasOvertaken(one));
    if (final === undefined) continue;
    const later = final.reason === 'workflows' ? await laterWithSameTree(git, due, head, signal) : object;
    if (later === object) throw tagRefused(names.tag, due.commit.oid, final);
    object = later;
  }
  throw new PorticoError(
    'TAG_CONTENDED',
    `no revision number could be claimed for ${due.package.directory}`,
    {
      blame: 'forge',
    },
  );
}

/**
 * The last commit on the branch up to which the package stayed as it is in the revision. Without the permission for workflows
 * the forge takes a tag only where some branch still holds the commit's workflow files: once they changed, a later commit with
 * the same package may be tagged where the merge itself may not.
 */
async function laterWithSameTree(
  git: RepositoryAccess['git'],
  { commit, package: { directory } }: DueRevision,
  head: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const wanted = await git.treeId(commit.oid, directory, signal);
  const since = await git.log({ from: commit.oid, to: head }, { firstParent: true }, signal);
  let last = commit.oid;
  for (const { oid } of since.toReversed()) {
    if ((await git.treeId(oid, directory, signal)) !== wanted) break;
    last = oid;
  }
  return last;
}

function tagRefused(tag: string, commit: string, rejected: RejectedRef): PorticoError {
  if (rejected.reason === 'workflows') {
    return new PorticoError(
      'TAG_NEEDS_WORKFLOWS',
      `the forge refused the tag ${tag}: no branch holds the workflow files of ${commit} any longer, and the App may not write workflows`,
      {
        hint: `Push a branch at that commit (\`git push origin ${commit}:refs/heads/tag-me\`), and delete the branch once the tag exists; or give the App the permission Workflows (read and write).`,
      },
    );
  }
  return new PorticoError('TAG_REFUSED', `the forge refused the tag ${tag}: ${rejected.message}`, {
    hint:
      rejected.hint ??
      'Allow the App to create tags `**/v*`: add it as a bypass actor to the tag ruleset that forbids it.',
  });
}

/** True when this state, or a later one, is published already: another process was faster. */
async function alreadyTagged({
  git,
  refs,
  due,
  head,
  signal,
}: {
  readonly git: RepositoryAccess['git'];
  readonly refs: RevisionRefs;
  readonly due: DueRevision;
  readonly head: string;
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  const newest = await publishedOnBranch({ git, refs, directory: due.package.directory, head, signal });
  return newest !== null && (await git.isAncestor(due.commit.oid, newest, signal));
}

async function provenanceOf({
  ports,
  access,
  config,
  due: { package: found, commit, pull, approval },
  request,
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly config: RepositoryConfig;
  readonly due: DueRevision;
  readonly request: MergeRequestTrailers;
  readonly signal: AbortSignal | undefined;
}): Promise<Omit<Provenance, 'revision'>> {
  const parsed = (await readKptfileAt(access.git, commit.oid, found.directory, signal)).kptfile;
  const upstream = parsed?.upstream?.git;
  const lock = parsed?.upstreamLock?.git;
  const requested = request.requestedBy;
  const guardrails = [...config.guardrails.mutators, ...config.guardrails.validators];
  const restored = await restoredFrom({
    ports,
    git: access.git,
    refs: await loadRevisionRefs(access.git, signal),
    due: { pull, commit, directory: found.directory },
    signal,
  });
  const waived =
    pull === null ? [] : await waivedGuardrails({ ports, access, pull, directory: found.directory, signal });
  const tree = await access.git.treeId(commit.oid, found.directory, signal);
  return {
    package: refPath(found.directory),
    digest: approval.digest ?? (await plainDigest({ access, config, found, commit, signal })),
    ...(tree !== null && { tree }),
    guardrails: guardrails.map(({ name, image }) => ({ name, function: image ?? 'cel' })),
    approvedBy: approval.by,
    ...(!approval.approved && { unapproved: true }),
    ...(upstream && { upstream }),
    ...(lock && { upstreamLock: lock }),
    ...(pull !== null && { proposal: pull.number }),
    ...(requested !== undefined && { requestedBy: requested }),
    ...(restored !== undefined && { restoredFrom: restored }),
    ...(waived.length > 0 && { waived }),
  };
}

/** The digest of content that no check has seen, such as a direct push. */
async function plainDigest({
  access: { git },
  config,
  found,
  commit,
  signal,
}: {
  readonly access: RepositoryAccess;
  readonly config: RepositoryConfig;
  readonly found: PackageDir;
  readonly commit: CommitInfo;
  readonly signal: AbortSignal | undefined;
}): Promise<string> {
  return contentDigest({
    branch: config.branch,
    packages: [
      { path: refPath(found.directory), renderedTree: await git.treeId(commit.oid, found.directory, signal) },
    ],
    otherFiles: [],
    guardrails: (await loadGuardrails({ git, config, base: commit.oid, signal })).digest,
    functions: {},
  });
}
