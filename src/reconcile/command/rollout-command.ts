/** The hands of `/portico rollout`: it is said where the document of the rollout stands. */
import type { Step } from '../../command/step.ts';
import { REST } from '../../package/rollout/assign.ts';
import { rolloutJob } from '../jobs.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { addOrders, subjectOf, type RolloutOrder } from '../rollout/orders.ts';
import { newestOf, rolloutsOf } from '../rollout/scope.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';

const SAID = {
  stop: 'is stopped: no more of its updates are opened. Those that are open stand as they are',
  resume: 'goes on',
  skip: 'goes on without the gate of that wave',
  rollback: 'is rolled back: whoever has the revision is proposed the one before',
} as const;

/** Orders about the newest revision of each package that the rollout is about. */
export async function orderRollout({
  ports,
  access,
  asked,
  step: { action, rollout: name, wave, login },
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly asked: CommandRequest;
  readonly step: Extract<Step, { do: 'order-rollout' }>;
  readonly signal?: AbortSignal | undefined;
}): Promise<StepOutcome> {
  const { governed, stalled } = rolloutsOf(ports.catalog);
  const own = governed.filter(
    ({ control, rollout }) => control.ref.id === access.ref.id && rollout.name === name,
  );
  const [first] = own;
  if (first === undefined) {
    const wrong = stalled.find((one) => one.control.ref.id === access.ref.id && one.name === name);
    return {
      kind: 'refused',
      message: `No rollout ${code(name)} of this repository governs a package${wrong === undefined ? '' : `: ${wrong.message}`}.`,
      hint: 'Say it in the repository where the document stands, with its metadata.name.',
    };
  }
  const waves = [...first.rollout.waves.map((one) => one.name), REST];
  if (wave !== undefined && !waves.includes(wave)) {
    const names = waves.slice(0, -1).map(code).join(', ');
    return {
      kind: 'refused',
      message: `The rollout has no wave ${code(wave)}.`,
      hint: `Its waves: ${names}.`,
    };
  }
  const orders = own.flatMap((one): RolloutOrder[] => {
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
    return { kind: 'refused', message: 'Nothing of it is published.', hint: 'Publish a revision first.' };
  }
  await access.git.fetch({}, signal);
  await addOrders({ ports, access, name, head: first.control.commit, added: orders, signal });
  await ports.enqueue(rolloutJob(access.ref));
  return { kind: 'done', reply: `The rollout ${code(name)} ${SAID[action]}.` };
}
