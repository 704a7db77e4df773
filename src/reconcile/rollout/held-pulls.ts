/** Pure: the open update pull requests whose checks have to be made again, because a rollout holds them now, or no more. */
import type { Catalog } from '../../catalog/catalog.ts';
import type { RolloutStanding, Standing } from '../../catalog/last-looks.ts';
import { verdictIn, type RolloutPlan } from '../../package/rollout/plan.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import type { Job } from '../job.ts';
import { proposalJob } from '../jobs.ts';
import type { RolloutMember } from './facts.ts';

/** Before all jobs but those of commands: until this one ends, a check says that people may merge what is held. */
const HELD_FIRST = 9;

/** One job for each pull request whose verdict is another than before, or has another cause. */
export function jobsOfTurned(
  { waves }: Pick<RolloutPlan<RolloutMember>, 'waves'>,
  before: RolloutStanding,
  now: RolloutStanding,
): readonly Job[] {
  return waves.flatMap(({ members }, at) => {
    const [then, verdict] = [before, now].map((one) => verdictIn(one.state, one.waves[at]));
    const isSame = then === verdict && (verdict === 'may-open' || isSameReason(at, before, now));
    return isSame ? [] : members.flatMap((one) => jobOf(one, now.revision));
  });
}

function isSameReason(wave: number, before: RolloutStanding, now: RolloutStanding): boolean {
  return before.cause === now.cause && before.waves[wave] === now.waves[wave];
}

/** One job for each open update of a package that no rollout governs any more. */
export function jobsOfReleased(
  catalog: Pick<Catalog, 'followers' | 'standings'>,
  upstream: number,
  directory: RepositoryDirectory,
): readonly Job[] {
  return catalog.followers(upstream, directory).flatMap(({ repository, package: { directory: own } }) => {
    const path = packagePathOf(repository.directory, own) ?? own;
    return jobOf({ repository, position: catalog.standings(repository.ref.id).get(path) });
  });
}

function jobOf(
  { repository, position }: Pick<RolloutMember, 'repository'> & { readonly position: Standing | undefined },
  revision?: string,
): readonly Job[] {
  if (position?.pull === undefined) return [];
  if (revision !== undefined && position.to !== undefined && position.to !== revision) return [];
  return [{ ...proposalJob(repository.ref, position.pull), priority: HELD_FIRST }];
}
