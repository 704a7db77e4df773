/** One revision is retired: its tag goes, its number and its provenance stay in the ledger. */
import type { Retirement } from '../../command/command-state.ts';
import { noSuchRevision } from '../../command/not-found.ts';
import { formatPackageAtRevision } from '../../revision/package-at-revision.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { deletionProposedBranch } from '../../revision/ref-name.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { GitRef, RefUpdate } from '../git-port.ts';
import { proposalJob, repositoryJob } from '../jobs.ts';
import type { RepositoryAccess, RepositoryWork } from '../ports.ts';
import {
  loadRevisionRefs,
  publishedRefs,
  taggedRevisions,
  tagOf,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import { pushRefusal, refMoved, wasOvertaken } from '../repository/refused-push.ts';
import { openRegistered } from '../repository/registered.ts';
import { recordedProvenance } from '../repository/tag-provenance.ts';
import { knownUsers } from '../review/known-users.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { code, fenced } from '../text/markdown-blocks.ts';
import { directoryOf, record, recordWish } from './retirement-records.ts';
import type { StepContext } from './step-context.ts';

/** Records the wish in the issue, or says why the revision cannot be retired. */
export async function requestRetirement({
  ports,
  access,
  asked,
  step: { package: path, revision },
  signal,
}: StepContext<'request-retirement'>): Promise<StepOutcome> {
  const here = await lookAt(access, path, revision, signal);
  if (here === null) return refused('The repository is not registered.', '');
  const { facts, directory, tag, refs } = here;
  const name = code(formatPackageAtRevision({ path, revision }));
  if (tag === undefined) {
    const retired = refs.ledger.has(publishedRefs(directory, revision).ledger);
    if (retired) return refused(`${name} is already retired.`, 'Its number is never reused.');
    const published = taggedRevisions(refs, directory).map((one) => one.name);
    const { message, hint } = noSuchRevision(path, revision, published);
    return refused(message, hint);
  }
  const blocked = await usersOf({ ports, access, signal }, here, revision, tag);
  if (blocked !== null) return blocked;
  const { login, accountId: id } = asked;
  const wish = {
    package: path,
    revision,
    tag: tag.oid,
    login,
    comment: asked.id,
    accounts: [{ login, id }],
  };
  await recordWish({ ports, access, signal }, facts, asked.number, wish);
  return { kind: 'done' };
}

/** Takes the release away, and the tag by compare-and-swap, with the ledger in the same push. */
export async function retire({
  ports,
  access,
  asked,
  step,
  signal,
}: StepContext<'retire'>): Promise<StepOutcome> {
  const { package: path, revision } = step;
  const here = await lookAt(access, path, revision, signal);
  if (here === null) return refused('The repository is not registered.', '');
  const { facts, directory, tag, refs } = here;
  const name = code(formatPackageAtRevision({ path, revision }));
  if (tag !== undefined) {
    if (tag.oid !== step.tag) {
      return refused(`The tag of ${name} has changed since the request.`, 'Request the retirement again.');
    }
    const blocked = await usersOf({ ports, access, signal }, here, revision, tag);
    if (blocked !== null) return blocked;
    const names = publishedRefs(directory, revision);
    // Before the tag: a release without a tag cannot be found any more, and GitHub shows it as a draft for ever.
    const release = await access.forge.getRelease(names.tag, signal);
    if (release !== null) await access.forge.removeRelease(names.tag, signal);
    const kept = refs.ledger.has(names.ledger) ? [] : [{ ref: names.ledger, to: tag.oid, expect: null }];
    const answer = await access.git.push(
      [
        { ref: `refs/tags/${names.tag}`, to: null, expect: tag.oid },
        ...kept,
        ...(await porchMark(access, directory, revision, signal)),
      ],
      signal,
    );
    if (!answer.ok) {
      const final = answer.rejected.find((one) => !wasOvertaken(one));
      if (final === undefined) throw refMoved(names.tag);
      if (release !== null) await access.forge.upsertRelease(release, signal);
      return refused(
        `The forge refused to remove the tag ${code(names.tag)}: ${final.message}.`,
        final.hint ??
          'Allow the App to delete tags: add it as a bypass actor to the ruleset that forbids it.',
      );
    }
    ports.log.info({ repository: facts.fullName, tag: names.tag, by: step.approvedBy }, 'retired');
  }
  const wish = wishOf(step);
  await record({
    ports,
    access,
    facts,
    issue: asked.number,
    record: { ...wish, state: 'retired', decidedIn: asked.id },
    text: [
      `${name} is retired: requested by ${code(step.login)}, approved by ${code(step.approvedBy)}. The ledger keeps its provenance, and its number is never reused.`,
    ],
    signal,
  });
  await ports.enqueue(repositoryJob(access.ref));
  const { proposal } =
    (await recordedProvenance({ git: access.git, refs, directory, revision, signal })) ?? {};
  // The comment there names the revision as published.
  if (proposal !== undefined) await ports.enqueue(proposalJob(access.ref, proposal));
  return { kind: 'done' };
}

/** Records that the revision stays. */
export async function rejectRetirement({
  ports,
  access,
  asked,
  step,
  signal,
}: StepContext<'reject-retirement'>): Promise<StepOutcome> {
  const here = await lookAt(access, step.package, step.revision, signal);
  if (here === null) return refused('The repository is not registered.', '');
  const { facts, directory } = here;
  const mark = await porchMark(access, directory, step.revision, signal);
  const answer = mark.length === 0 ? undefined : await access.git.push(mark, signal);
  if (answer?.ok === false) {
    const final = answer.rejected.find((one) => !wasOvertaken(one));
    if (final === undefined) throw refMoved(mark[0]?.ref ?? '');
    const { message, hint } = pushRefusal(
      mark[0]?.ref ?? '',
      final,
      'Delete the branch yourself, or allow the App to push to `deletionProposed/**`.',
    );
    return refused(message, hint);
  }
  const name = code(formatPackageAtRevision({ path: step.package, revision: step.revision }));
  await record({
    ports,
    access,
    facts,
    issue: asked.number,
    record: { ...wishOf(step), state: 'rejected', decidedIn: asked.id },
    text: [`${name} stays: ${code(step.rejectedBy)} rejected its retirement.`, fenced(step.why)],
    signal,
  });
  return { kind: 'done' };
}

/** The branch by which a Porch server marks a proposed deletion, to be taken away; nothing where there is none. */
async function porchMark(
  { git }: Pick<RepositoryAccess, 'git'>,
  directory: RepositoryDirectory,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<RefUpdate[]> {
  const ref = `refs/heads/${deletionProposedBranch(directory, revision)}`;
  const standing = (await git.refs(ref, signal)).get(ref);
  return standing === undefined ? [] : [{ ref, to: null, expect: standing.oid }];
}

interface Place {
  readonly facts: RepositoryFacts;
  readonly directory: RepositoryDirectory;
  readonly refs: RevisionRefs;
  readonly tag: GitRef | undefined;
}

async function lookAt(
  access: RepositoryAccess,
  path: string,
  revision: string,
  signal: AbortSignal | undefined,
): Promise<Place | null> {
  const found = await openRegistered(access, {}, signal);
  if (found.kind === 'none') return null;
  const directory = directoryOf(found.config, path);
  const refs = await loadRevisionRefs(access.git, signal);
  return { facts: found.facts, directory, refs, tag: tagOf(refs, directory, revision) };
}

async function usersOf(
  { ports, access, signal }: RepositoryWork,
  { facts, directory }: Place,
  revision: string,
  tag: GitRef,
): Promise<StepOutcome | null> {
  const locked = { tag: publishedRefs(directory, revision).tag, ids: [tag.oid, tag.commit] };
  const users = await knownUsers({ ports, access, signal }, facts, directory, locked);
  if (users.length === 0) return null;
  return refused(
    `These packages are locked to it: ${users.join(', ')}.`,
    'Update them to another revision first.',
  );
}

function refused(message: string, hint: string): StepOutcome {
  return { kind: 'refused', message, hint };
}

function wishOf(wish: Retirement): Retirement {
  const { package: path, revision, tag, login, comment, others, accounts } = wish;
  return {
    package: path,
    revision,
    tag,
    login,
    comment,
    ...(others !== undefined && { others }),
    ...(accounts !== undefined && { accounts }),
  };
}
