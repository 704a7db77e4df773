/** What `/portico rollout` does, in the repository that holds the document of the rollout. */
import { repositoryName } from '../../catalog/catalog.ts';
import { REST } from '../../package/rollout/assign.ts';
import type { StepContext } from '../draft/step-context.ts';
import { rolloutJob } from '../jobs.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import type { RolloutMember } from '../rollout/facts.ts';
import { addOrders, subjectOf, type RolloutOrder } from '../rollout/orders.ts';
import { planText } from '../rollout/plan-text.ts';
import { newestLooks } from '../rollout/rollouts.ts';
import { newestOf, rolloutsOf, type Governed } from '../rollout/scope.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';

/** Packages that an answer names. */
const MAX_NAMED = 10;

const SAID = {
  stop: 'is stopped. It opens no more updates, and holds those that are open',
  resume: 'is resumed',
  restart: 'begins again with its first wave',
  skip: 'continues without the gate of that wave',
  approve: 'has that wave approved: the next one opens once the rest of its gate holds',
  hold: 'opens no more updates in that wave, nor any after it, and holds those that are open, until the wave is resumed',
  release: 'goes on with that wave',
} as const;

/** Says what the rollout will do with the newest revision of each of its packages. */
export async function planRollout({
  ports,
  access,
  step: { rollout: name },
  signal,
}: StepContext<'plan-rollout'>): Promise<StepOutcome> {
  const own = governedHere(ports, access, name);
  if ('kind' in own) return own;
  const looks = await newestLooks(ports, access.ref.id, signal);
  return {
    kind: 'done',
    reply: planText(
      name,
      looks.filter(({ governed }) => governed.rollout.name === name),
      ports.now(),
    ),
  };
}

/** Orders about the newest revision of each package that the rollout is about. */
export async function orderRollout({
  ports,
  access,
  asked,
  step: { action, rollout: name, wave, package: named, revision, login },
  signal,
}: StepContext<'order-rollout'>): Promise<StepOutcome> {
  const own = governedHere(ports, access, name);
  if ('kind' in own) return own;
  const [first] = own;
  const waves = [...first.rollout.waves.map((one) => one.name), REST];
  if (wave !== undefined && !waves.includes(wave)) {
    const names = waves.slice(0, -1).map(code).join(', ');
    const member = memberNamed(await newestLooks(ports, access.ref.id, signal), name, wave);
    const one = member && `${repositoryName(member.repository)}:${member.path}`;
    return {
      kind: 'refused',
      message: `The rollout has no wave ${code(wave)}.`,
      hint:
        one === undefined
          ? `Its waves: ${names}.`
          : `It is a downstream. \`/portico pause ${one}\` leaves it out of its wave, and \`/portico resume ${one}\` brings it back.`,
    };
  }
  const meant = own.filter(({ path }) => named === undefined || path === named);
  if (meant.length === 0) {
    return {
      kind: 'refused',
      message: `The rollout does not govern ${code(named ?? '')}.`,
      hint: `Its packages: ${own
        .slice(0, MAX_NAMED)
        .map(({ path }) => code(path))
        .join(', ')}.`,
    };
  }
  const overtaken = meant.find((one) => revision !== undefined && newestOf(one) !== revision);
  if (overtaken !== undefined) {
    return {
      kind: 'refused',
      message: `${code(`${overtaken.path}@${revision ?? ''}`)} is not the newest revision: that is ${code(newestOf(overtaken) ?? 'none')}.`,
      hint: 'Look at the newest one with `/portico rollout plan`, and name that.',
    };
  }
  const orders = meant.flatMap((one): RolloutOrder[] => {
    const newest = newestOf(one);
    return newest === undefined
      ? []
      : [
          {
            action,
            subject: subjectOf(one, newest),
            by: login,
            at: asked.at,
            ...(wave !== undefined && { wave }),
          },
        ];
  });
  if (orders.length === 0) {
    return {
      kind: 'refused',
      message: 'None of its packages is published.',
      hint: 'Publish a revision first.',
    };
  }
  await access.git.fetch({}, signal);
  await addOrders({ ports, access, name, head: first.control.commit, added: orders, signal });
  await ports.enqueue(rolloutJob(access.ref));
  const about = meant.flatMap((one) => {
    const newest = newestOf(one);
    return newest === undefined ? [] : [code(`${one.path}@${newest}`)];
  });
  const more = about.length - MAX_NAMED;
  const list = [...about.slice(0, MAX_NAMED), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return { kind: 'done', reply: `The rollout ${code(name)} ${SAID[action]}. It is about ${list}.` };
}

/** The first downstream that readers of this repository may know in a repository of that name. */
function memberNamed(
  looks: Awaited<ReturnType<typeof newestLooks>>,
  rollout: string,
  name: string,
): RolloutMember | undefined {
  return looks
    .filter(({ governed }) => governed.rollout.name === rollout)
    .flatMap(({ plan }) => plan.waves.flatMap(({ members }) => members))
    .find(({ hidden, repository }) => !hidden && repository.ref.name === name);
}

/** The packages of a rollout whose document stands here; at least one. */
export function governedHere(
  { catalog }: Pick<Ports, 'catalog'>,
  { ref }: Pick<RepositoryAccess, 'ref'>,
  name: string,
): readonly [Governed, ...Governed[]] | StepOutcome {
  const { governed, stalled } = rolloutsOf(catalog);
  const [first, ...more] = governed.filter(
    ({ control, rollout }) => control.ref.id === ref.id && rollout.name === name,
  );
  if (first !== undefined) return [first, ...more];
  const wrong = stalled.find((one) => one.control.ref.id === ref.id && one.name === name);
  return {
    kind: 'refused',
    message: `No rollout ${code(name)} in this repository governs a package${wrong === undefined ? '' : `: ${wrong.message}`}.`,
    hint: 'Run the command in the repository that holds the rollout document, with its metadata.name.',
  };
}
