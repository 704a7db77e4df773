/** Update pull requests that are left behind: what they would bring is there already, or nowhere to be brought to. */
import { packagePathOf } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import type { DownstreamRepository } from '../downstream/downstream.ts';
import type { Withheld, WithheldReason } from '../downstream/update-target.ts';
import type { Pull } from '../forge/pulls.ts';
import type { Ports } from '../ports.ts';
import { code } from '../text/markdown-blocks.ts';
import type { UpdatePlan } from './plan.ts';
import { CLOSED, closeOurPull, closeOurs, STOP_MARKER } from './pull.ts';
import { hasPeoplesCommits } from './replay.ts';

/**
 * Closes the pull request of a package that is where it should be, because its revision was retired, or somebody brought
 * it by other means; and one that brings what its rollout takes back. Commits of people on its branch keep it open: they
 * are theirs to throw away. True where it closed it.
 */
export async function closeObsolete(
  ports: Ports,
  plan: UpdatePlan,
  { reason, message, to }: Withheld,
  signal?: AbortSignal,
): Promise<boolean> {
  const { downstreamRepository, head, before, group } = plan;
  if (group !== undefined || before === null || before.commit.oid !== head) return false;
  const isBack = reason === 'wave-rolled-back' && before.record.to === to;
  if (!OBSOLETE.includes(reason) && !isBack) return false;
  if (
    await hasPeoplesCommits(
      ports,
      downstreamRepository.access.git,
      { base: downstreamRepository.base.oid, head },
      signal,
    )
  )
    return false;
  await closeOurs(ports, plan, isBack ? message : `Nothing is left to update. ${message}`, signal);
  return true;
}

/** For these reasons there is nothing to bring. */
const OBSOLETE: readonly WithheldReason[] = ['up-to-date', 'ahead', 'withdrawn'];

/** Closes the pull requests of a package that is gone from the registered branch. */
export async function closeForRemovedPackage(
  ports: Pick<Ports, 'app'>,
  downstreamRepository: DownstreamRepository,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const { access, config } = downstreamRepository;
  const why = `${code(path)} no longer exists on ${code(config.branch)}, so there is nothing to update.`;
  for (const pull of await access.forge.listOpenPulls(signal)) {
    const parsed = parseBranch(pull.headRef);
    if (parsed?.kind !== 'update' || packagePathOf(config.directory, parsed.path) !== path) continue;
    await closeOurPull({ ports, downstreamRepository, pull, why, signal });
  }
}

/** True where Portico closed it, so that it says nothing of what people want. */
export async function wasClosedByPortico(
  ports: Pick<Ports, 'app'>,
  { access: { forge } }: DownstreamRepository,
  { number }: Pull,
  signal?: AbortSignal,
): Promise<boolean> {
  const comments = await forge.listComments(number, signal);
  return comments.some(
    ({ author, body }) =>
      author === ports.app.botLogin && body.startsWith(STOP_MARKER) && body.includes(`\n${CLOSED}`),
  );
}
