import { shown } from './arguments.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { readPackageAtRevision, readPackagePath } from './package-name.ts';
import { refuse } from './refusal.ts';

const ACTIONS = ['stop', 'resume', 'skip', 'rollback'] as const;
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export const rollout: AnywhereCommand = {
  name: 'rollout',
  usage: 'rollout stop|resume|skip|rollback <rollout> [<wave>|<package>[@<revision>]] [confirm]',
  summary:
    'Stop a rollout, resume it, skip the gate of a wave, or take a revision back from the downstreams that have it.',
  examples: [
    { line: '/portico rollout stop web', does: 'opens no more updates of the rollout web' },
    { line: '/portico rollout resume web', does: 'resumes it; earlier failures are ignored' },
    {
      line: '/portico rollout skip web canary',
      does: 'opens the wave after canary without waiting for its gate',
    },
    {
      line: '/portico rollout rollback web apps/shop',
      does: 'takes back the newest revision of apps/shop: each downstream that has it gets a proposal for what it was at before',
    },
    {
      line: '/portico rollout rollback web apps/shop@v8',
      does: 'takes back v8',
    },
    {
      line: '/portico rollout rollback web',
      does: 'of several packages, only shows what would go where; with `confirm` behind it, it is done',
    },
  ],
  accepts: { positional: 4 },
  minimumRole: 'write',
  mayAlso: [],
  contexts: 'pull-or-issue',
  guard: 'open',
  decide(state, { positional: [word = '', name = '', ...more] }) {
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
    if (action === 'rollback') return rollBack(name, more, state.caller.login);
    const [wave, extra] = more;
    if (extra !== undefined) {
      return refuse('unexpected-argument', `${shown(extra)} is not expected here`, 'Remove it.');
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

/** `[<package>[@<revision>]] [confirm]`; a package of that name is written with its revision. */
function rollBack(rolloutName: string, words: readonly string[], login: string): Decision {
  const isConfirmed = words.at(-1) === 'confirm';
  const [named, extra] = isConfirmed ? words.slice(0, -1) : words;
  if (extra !== undefined) {
    return refuse('unexpected-argument', `${shown(extra)} is not expected here`, 'Name one package.');
  }
  const order = { do: 'roll-back', rollout: rolloutName, isConfirmed, login } as const;
  if (named === undefined) return { kind: 'do', steps: [order] };
  if (!named.includes('@')) {
    const path = readPackagePath(named);
    return typeof path === 'string' ? { kind: 'do', steps: [{ ...order, package: path }] } : path;
  }
  const at = readPackageAtRevision(named);
  if ('kind' in at) return at;
  return { kind: 'do', steps: [{ ...order, package: at.path, revision: at.revision }] };
}
