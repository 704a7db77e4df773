/** One line of the log for each decision about a rollout: when its state, or that of a wave, is another than at the look before. */
import { repositoryName, type Catalog } from '../../catalog/catalog.ts';
import type { Ports } from '../ports.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { subjectOf } from './orders.ts';
import type { RolloutLook } from './rollouts.ts';

/** States that are remembered: one for each rollout of a revision. After a restart each is told once more. */
const MAX_REMEMBERED = 5_000;

const known = new WeakMap<Catalog, Map<string, string>>();

/** Names of repositories that may not be known beside the document are not told. */
export function logDecision(
  { catalog, log }: Pick<Ports, 'catalog' | 'log'>,
  { governed, revision, plan }: RolloutLook,
): void {
  const states = known.get(catalog) ?? new Map<string, string>();
  known.set(catalog, states);
  const { control, rollout, upstream, path } = governed;
  const key = `${control.ref.id}/${rollout.name} ${subjectOf(governed, revision)}`;
  const waves = plan.waves.map(({ name, state }) => `${name}=${state}`).join(' ');
  const now = `${plan.state} ${waves}`;
  if (states.get(key) === now) return;
  keepNewest(states, key, now, MAX_REMEMBERED);
  const { state, why: reason } = plan;
  const repository = repositoryName(upstream);
  log.info(
    { repository, package: path, rollout: rollout.name, revision, state, waves, reason },
    'a rollout has changed',
  );
}
