/** Brings an update to the registered branch without a pull request, once its commit is checked. */
import { AGGREGATE_CHECK } from '../check-names.ts';
import { withheld, type Withheld } from '../downstream/update-target.ts';
import { publicationJob, settledBranchJob, updateChecksJob } from '../jobs.ts';
import type { Ports } from '../ports.ts';
import { isFinal } from '../repository/refused-push.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';
import { lookAtChecks } from './automerge-look.ts';
import { hasForeignRecord, heldBy } from './automerge-policy.ts';
import { isDirect, type ByPull } from './direct-commit.ts';
import { heldMeanwhile } from './held-meanwhile.ts';
import type { UpdatePlan } from './plan.ts';
import { pushError, type PackageUpdate } from './push.ts';
import { whyPushRefused } from './route.ts';

/** It came to the registered branch as this commit. */
export interface Arrived {
  readonly kind: 'arrived';
  readonly commit: string;
  /** Revision that it brought. */
  readonly to: string;
}

interface Direct {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly brought: readonly PackageUpdate[];
  /** On the branch of the update. */
  readonly commit: string;
  readonly signal?: AbortSignal | undefined;
}

/** Withheld while its checks run. Every step finds what an earlier process did, so that it may end after any of them. */
export async function bringDirectly(
  { ports, plan, brought, commit, signal }: Direct,
  isNew: boolean,
): Promise<Arrived | Withheld | ByPull> {
  const { downstreamRepository, branch } = plan;
  const { access, config, facts, base } = downstreamRepository;
  const { forge, git, ref } = access;
  const repository = facts.fullName;
  const runs = isNew ? [] : await forge.listChecks(commit, signal);
  const ours = runs.find(({ name, appId }) => name === AGGREGATE_CHECK && appId === ports.app.id);
  if (ours?.status !== 'completed') {
    await ports.enqueue(updateChecksJob(ref, branch));
    return CHECKING;
  }
  const [held] = heldBy(ports, runs, []);
  const red = ours.conclusion === 'success' ? held : ours;
  if (red !== undefined) return byPull(`${code(red.name)} says: ${foreignSentence(red.title ?? '')}`);
  const head = { headSha: commit, headRef: branch, baseRef: config.branch };
  const others = await lookAtChecks({ ports, access, pull: head, base: base.oid, runs, signal });
  if (others.kind === 'red') return byPull(`the check ${code(others.what)} of others failed`);
  if (others.kind === 'wait') {
    ports.log.debug(
      { repository, sha: commit, reason: others.what },
      'the update waits for checks of others',
    );
    if (others.seconds !== undefined)
      await ports.enqueue(settledBranchJob(ref, branch, Math.ceil(others.seconds)));
    return CHECKING;
  }
  const refused = whyPushRefused(await access.demands(config.branch, { anew: true }, signal));
  if (refused !== null) return byPull(refused);
  const ordered = await heldMeanwhile(ports, brought, signal);
  if (ordered !== null) return ordered;
  if (await hasForeignRecord(ports, brought, signal))
    return byPull('someone wrote a ref of Portico meanwhile');
  const target = `refs/heads/${config.branch}`;
  // Configuration, base and content are of one commit: where the branch moved, all of it is looked at again.
  const answer = await git.push([{ ref: target, to: commit, expect: base.oid }], signal);
  if (!answer.ok) {
    const [rejected] = answer.rejected;
    if (rejected === undefined || !isFinal(rejected)) throw pushError(target, rejected);
    return byPull(
      `the forge refused the push to ${code(config.branch)}: ${foreignSentence(rejected.message)}`,
    );
  }
  await ports.enqueue(publicationJob(ref));
  for (const { down, to } of brought) {
    ports.log.info(
      { repository, package: down.path, sha: commit, to },
      'the update came without a pull request',
    );
  }
  ports.metrics?.updateBrought('direct');
  await deleteBranch(plan, commit, signal);
  return { kind: 'arrived', commit, to: brought[0]?.to ?? '' };
}

const CHECKING = withheld(
  'checking',
  'It is being checked, and comes without a pull request where nothing stands against that.',
);

function byPull(why: string): ByPull {
  return { kind: 'pull', why };
}

/** The plan without the branch of an update that has arrived: a process may have ended before it was deleted. */
export async function withoutArrived(plan: UpdatePlan, signal?: AbortSignal): Promise<UpdatePlan> {
  const { downstreamRepository, head, before, open } = plan;
  const { access, base } = downstreamRepository;
  if (head === null || open !== undefined || !isDirect({ head, before })) return plan;
  if (!(await access.git.isAncestor(head, base.oid, signal))) return plan;
  await deleteBranch(plan, head, signal);
  return { ...plan, head: null, before: null };
}

/** A rule may keep it; then it stands there, and is taken up by the next update. */
async function deleteBranch(
  { downstreamRepository: { access }, branch }: UpdatePlan,
  head: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  await access.git.push([{ ref: `refs/heads/${branch}`, to: null, expect: head }], signal);
}
