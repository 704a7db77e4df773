/** One revision: its number claimed by its tag, which says where it comes from. */
import { exemptionsInForce, exemptionsOf } from '../../config/exemptions.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import { contentDigest } from '../../revision/digest.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import { formatProvenance, type Provenance } from '../../revision/provenance.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RejectedRef } from '../git-port.ts';
import type { RepositoryWork } from '../ports.ts';
import { loadGuardrails } from '../render/guardrails.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import {
  loadRevisionRefs,
  publishedOnBranch,
  publishedRefs,
  upcomingRevision,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import { restoredFrom, waivedGuardrails } from '../review/draft-history.ts';
import type { DueRevision } from '../review/due-revisions.ts';
import { botPerson } from '../seal/bot-commit.ts';
import { claimOf } from './decision.ts';
import type { MergeRequestTrailers } from './merge-message.ts';
import { publishRequestOf } from './publish-request.ts';
import { publishedArtifact } from './published-artifact.ts';
import { artifactName, plannedArtifacts } from './registry-plan.ts';

/** How often the next number is tried when somebody else takes it first. */
const MAX_CLAIMS = 20;

/** A state of a package that is due. */
interface Publishing extends RepositoryWork {
  readonly facts: RepositoryFacts;
  readonly config: RepositoryConfig;
  readonly due: DueRevision;
  /** Of the registered branch. */
  readonly head: string;
}

/** Tags a state that is due, unless it, or a later one, is tagged by now. @throws PorticoError TAG_CONTENDED, TAG_REFUSED, TAG_NEEDS_WORKFLOWS */
export async function publish(publishing: Publishing): Promise<void> {
  const { ports, access, facts, config, due, signal } = publishing;
  const { git } = access;
  const request = await publishRequestOf({ ports, access, signal }, facts, due.commit, due.pull);
  const provenance = await provenanceOf(publishing, request);
  let object = due.commit.oid;
  for (let turn = 0; turn < MAX_CLAIMS; turn += 1) {
    const refs = await loadRevisionRefs(git, signal);
    if (await alreadyTagged(publishing, refs)) return;
    const revision = upcomingRevision(refs, due.package.directory, config, request.bump);
    const names = publishedRefs(due.package.directory, revision);
    const artifacts = await artifactsOf(publishing, object, revision);
    const tag = await git.writeTag(
      {
        name: names.tag,
        object,
        message: formatProvenance({ ...provenance, revision, ...artifacts }),
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
    const claim = claimOf(answer);
    if (claim.kind === 'published') {
      const { digest, approvedBy, requestedBy: by, proposal: pull } = provenance;
      ports.log.info(
        { repository: facts.fullName, tag: names.tag, sha: object, digest, approvedBy, by, pull },
        'published',
      );
      return;
    }
    if (claim.kind === 'overtaken') continue;
    const later = claim.kind === 'elsewhere' ? await laterWithSameTree(publishing) : object;
    if (later === object) throw tagRefused(names.tag, due.commit.oid, claim.rejected);
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

/** What the tag says is in the registry: the digests follow from the commit. */
async function artifactsOf(
  { ports, access: { git }, facts, config, due: { package: found }, signal }: Publishing,
  commit: string,
  revision: string,
): Promise<Pick<Provenance, 'artifacts'>> {
  const { registries } = ports;
  if (registries === undefined) return {};
  const artifacts: string[] = [];
  for (const { repository, rendered } of plannedArtifacts(config.oci, found.path)) {
    const state = { commit, directory: found.directory, revision, rendered };
    const content = await publishedArtifact({ ports, git, facts, state, signal });
    artifacts.push(artifactName(repository, await registries.digest(content)));
  }
  return artifacts.length === 0 ? {} : { artifacts };
}

/**
 * The last commit on the branch up to which the package stayed as it is in the revision. Without the permission for workflows
 * the forge takes a tag only where some branch still holds the commit's workflow files: once they changed, a later commit with
 * the same package may be tagged where the merge itself may not.
 */
async function laterWithSameTree({ access: { git }, due, head, signal }: Publishing): Promise<string> {
  const { commit, package: found } = due;
  const { directory } = found;
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
        blame: 'user',
        hint: `Push a branch at that commit (\`git push origin ${commit}:refs/heads/tag-me\`), and delete the branch once the tag exists; or give the App the permission Workflows (read and write).`,
      },
    );
  }
  return new PorticoError('TAG_REFUSED', `the forge refused the tag ${tag}: ${rejected.message}`, {
    blame: 'user',
    hint:
      rejected.hint ??
      'Allow the App to create tags `**/v*`: add it as a bypass actor to the tag ruleset that forbids it.',
  });
}

/** True when this state, or a later one, is published already: another process was faster. */
async function alreadyTagged(
  { access: { git }, due, head, signal }: Publishing,
  refs: RevisionRefs,
): Promise<boolean> {
  const newest = await publishedOnBranch({ git, refs, directory: due.package.directory, head, signal });
  return newest !== null && (await git.isAncestor(due.commit.oid, newest, signal));
}

async function provenanceOf(
  publishing: Publishing,
  request: MergeRequestTrailers,
): Promise<Omit<Provenance, 'revision'>> {
  const { ports, access, config, due, signal } = publishing;
  const { package: found, commit, pull, approval } = due;
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
    pull === null ? [] : await waivedGuardrails({ ports, access, signal }, pull, found.directory);
  const path = packagePathOf(config.directory, found.directory) ?? found.directory;
  const exemptions = exemptionsOf(exemptionsInForce(config, ports.now()), path).flatMap(
    ({ guardrails: spared, name, until, owner }) =>
      spared.map((guardrail) => ({ guardrail, name, until, owner })),
  );
  const tree = await access.git.treeId(commit.oid, found.directory, signal);
  return {
    package: found.directory,
    digest: approval.digest ?? (await plainDigest(publishing)),
    ...(tree !== null && { tree }),
    guardrails: guardrails.map(({ name, image }) => ({ name, function: image ?? 'cel' })),
    approvedBy: approval.by,
    ...(approval.elsewhere && { approvedElsewhere: approval.elsewhere }),
    ...(!approval.approved && { unapproved: true }),
    ...(upstream && { upstream }),
    ...(lock && { upstreamLock: lock }),
    ...(pull !== null && { proposal: pull.number }),
    ...(approval.direct === true && { direct: true }),
    ...(requested !== undefined && { requestedBy: requested }),
    ...(restored !== undefined && { restoredFrom: restored }),
    ...(waived.length > 0 && { waived }),
    ...(exemptions.length > 0 && { exemptions }),
  };
}

/** The digest of content that no check has seen, such as a direct push. */
async function plainDigest({ ports, access: { git }, config, due, signal }: Publishing): Promise<string> {
  const { package: found, commit } = due;
  return contentDigest({
    branch: config.branch,
    packages: [
      { path: found.directory, renderedTree: await git.treeId(commit.oid, found.directory, signal) },
    ],
    otherFiles: [],
    guardrails: (await loadGuardrails({ git, config, base: commit.oid, now: ports.now(), signal })).digest,
    functions: {},
  });
}
