/**
 * A repository with packages and without configuration is offered one: a pull request that registers it. It is offered
 * once; closed means no.
 */

import { TOP } from '../../revision/package-path.ts';
import { parseRef } from '../../revision/ref-name.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import { proposalJob } from '../jobs.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { CONFIGURATION_FILE } from '../repository/configuration.ts';
import { allRevisions, loadRevisionRefs, newestRevision } from '../repository/package-revisions.ts';
import { ONBOARDING_BRANCH, rootPackages } from '../repository/proposal-snapshot.ts';
import { pushCommit, type BranchCommit } from '../repository/push-commit.ts';
import { refMoved } from '../repository/refused-push.ts';
import { readCommitRecord, sealedCommitMessage, type OnboardingRecord } from '../seal/commit-seal.ts';
import { configurationText, onboardingBody, type FoundPackage } from './onboarding-text.ts';

/** Opens the pull request where there is something to register and nobody has said no; else does nothing. */
export async function offerOnboarding(
  ports: Pick<Ports, 'app' | 'enqueue' | 'seals' | 'log'>,
  access: RepositoryAccess,
  facts: RepositoryFacts,
  signal?: AbortSignal,
): Promise<void> {
  const { git, forge } = access;
  if (facts.archived || facts.fork === true) return;
  const base = await git.resolve(`refs/heads/${facts.defaultBranch}`, signal);
  if (base === null) return;
  const packages = await foundPackages(access, base, signal);
  if (packages.length === 0) return;
  const before = await forge.pullsForHead({ branch: ONBOARDING_BRANCH }, { state: 'all' }, signal);
  const open = before.find(({ state }) => state === 'open');
  // Closed means no, and merged means that somebody took the file away again.
  if (open === undefined && before.length > 0) return;
  const porch = await porchBranches(git, signal);
  const body = onboardingBody({
    packages,
    porch,
    branch: facts.defaultBranch,
    repository: facts.fullName,
    appId: ports.app.id,
    isPublic: facts.visibility === 'public',
  });
  if (open !== undefined) {
    const ours = open.author === ports.app.botLogin && open.headRepositoryId === facts.id;
    if (ours && open.body !== body) await forge.updatePull(open.number, { body }, signal);
    await ports.enqueue(proposalJob(access.ref, open.number));
    return;
  }
  if (!(await pushFile({ ports, git, facts, packages, base, signal }))) return;
  const title = 'Register this repository with Portico';
  const { pull } = await forge.createPull(
    { title, body, head: ONBOARDING_BRANCH, base: facts.defaultBranch },
    signal,
  );
  ports.log.info({ repository: facts.fullName, pull: pull.number }, 'onboarding was offered');
  await ports.enqueue(proposalJob(access.ref, pull.number));
}

async function foundPackages(
  access: RepositoryAccess,
  base: string,
  signal: AbortSignal | undefined,
): Promise<FoundPackage[]> {
  const refs = await loadRevisionRefs(access.git, signal);
  return (await rootPackages(access, base, TOP, signal)).map(({ directory }) => {
    const newest = newestRevision(refs, directory)?.name;
    return {
      path: directory,
      revisions: allRevisions(refs, directory).map(({ name }) => name),
      ...(newest !== undefined && { newest }),
    };
  });
}

/** Branches that a Porch server left here. */
async function porchBranches(
  git: RepositoryAccess['git'],
  signal: AbortSignal | undefined,
): Promise<{ name: string; kind: 'draft' | 'proposed' | 'deletion-proposed' }[]> {
  return [...(await git.refs('refs/heads/', signal)).keys()].flatMap((ref) => {
    const parsed = parseRef(ref);
    if (parsed?.kind !== 'draft' && parsed?.kind !== 'proposed' && parsed?.kind !== 'deletion-proposed') {
      return [];
    }
    return [{ name: ref.slice('refs/heads/'.length), kind: parsed.kind }];
  });
}

/** False where something of that name stands there that is not ours, or the forge does not take it. */
async function pushFile({
  ports,
  git,
  facts,
  packages,
  base,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals' | 'log'>;
  readonly git: RepositoryAccess['git'];
  readonly facts: RepositoryFacts;
  readonly packages: readonly FoundPackage[];
  readonly base: string;
  readonly signal: AbortSignal | undefined;
}): Promise<boolean> {
  const standing = await git.resolve(`refs/heads/${ONBOARDING_BRANCH}`, signal);
  if (standing !== null) {
    return readCommitRecord(await git.commit(standing, signal), ports.seals)?.kind === 'onboarding';
  }
  const bytes = new TextEncoder().encode(configurationText(facts, packages));
  const record: OnboardingRecord = { kind: 'onboarding' };
  const commit: BranchCommit = {
    branch: ONBOARDING_BRANCH,
    expect: null,
    parents: [base],
    changes: new Map([[CONFIGURATION_FILE, { mode: '100644', bytes }]]),
    message: (place) => sealedCommitMessage('Register with Portico', record, place, ports.seals),
  };
  const answer = await pushCommit(ports, git, commit, signal);
  if (answer.kind === 'pushed') return true;
  if (answer.kind === 'moved') throw refMoved(ONBOARDING_BRANCH);
  ports.log.warn(
    { repository: facts.fullName, reason: answer.rejected.message },
    'onboarding could not be offered',
  );
  return false;
}
