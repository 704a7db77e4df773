import { shown } from './arguments.ts';
import type { AnywhereCommand } from './command.ts';
import { refuse } from './refusal.ts';

const ACTIONS = ['stop', 'resume', 'skip', 'rollback'] as const;
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export const rollout: AnywhereCommand = {
  name: 'rollout',
  usage: 'rollout stop|resume|skip|rollback <rollout> [<wave>]',
  summary: 'Stop a rollout, resume it, skip the gate of a wave, or roll the revision back everywhere.',
  examples: [
    { line: '/portico rollout stop web', does: 'opens no more updates of the rollout web' },
    { line: '/portico rollout resume web', does: 'resumes it; earlier failures are ignored' },
    {
      line: '/portico rollout skip web canary',
      does: 'opens the wave after canary without waiting for its gate',
    },
    {
      line: '/portico rollout rollback web',
      does: 'proposes the previous revision to every downstream that has the newest',
    },
  ],
  accepts: { positional: 3 },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  decide(state, { positional: [word = '', name = '', wave] }) {
    const action = ACTIONS.find((one) => one === word);
    if (action === undefined) {
      return refuse(
        'bad-argument',
        word === '' ? 'the action is missing' : `${shown(word)} is not a rollout action`,
        `Use one of ${ACTIONS.join(', ')}, followed by the rollout.`,
      );
    }
    if (!NAME.test(name)) {
      return refuse(
        'which-rollout',
        'the rollout is missing',
        `Write \`/portico rollout ${action} <name>\`.`,
      );
    }
    if (action === 'skip' ? wave === undefined || !NAME.test(wave) : wave !== undefined) {
      const hint =
        action === 'skip'
          ? `Write \`/portico rollout skip ${name} <wave>\`.`
          : `Write \`/portico rollout ${action} ${name}\`.`;
      return refuse('which-wave', action === 'skip' ? 'the wave is missing' : 'only skip takes a wave', hint);
    }
    const { login } = state.caller;
    return {
      kind: 'do',
      steps: [{ do: 'order-rollout', action, rollout: name, login, ...(wave !== undefined && { wave }) }],
    };
  },
};
