import { shown } from './arguments.ts';
import type { AnywhereCommand, Decision } from './command.ts';
import { readPackageAtRevision, readPackagePath } from './package-name.ts';
import { refuse } from './refusal.ts';

const ACTIONS = ['plan', 'stop', 'pause', 'resume', 'skip', 'approve', 'restart', 'rollback'] as const;
/** These are about one wave. */
const NEEDS_WAVE: readonly string[] = ['pause', 'skip', 'approve'];
const NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

export const rollout: AnywhereCommand = {
  name: 'rollout',
  usage:
    'rollout plan|stop|pause|resume|skip|approve|restart|rollback <rollout> [<wave>] [<package>[@<revision>]] [confirm]',
  summary:
    'Show what a rollout will do, stop it, pause one of its waves, approve or skip the gate of a wave, resume or restart it, or take a revision back from the downstreams that have it.',
  examples: [
    {
      line: '/portico rollout plan web',
      does: 'shows which downstream is in which wave, and what opens each wave',
    },
    { line: '/portico rollout stop web', does: 'opens no more updates of the rollout web' },
    { line: '/portico rollout resume web', does: 'resumes it; earlier failures are ignored' },
    { line: '/portico rollout pause web edge', does: 'opens no more updates in the wave edge' },
    { line: '/portico rollout resume web edge', does: 'goes on with that wave' },
    {
      line: '/portico rollout approve web canary',
      does: 'lets the wave after canary open, where its gate is manual',
    },
    {
      line: '/portico rollout approve web canary apps/shop@v8',
      does: 'the same for v8 of apps/shop alone, and only while that is its newest revision',
    },
    {
      line: '/portico rollout skip web canary',
      does: 'opens the wave after canary without waiting for its gate',
    },
    {
      line: '/portico rollout restart web',
      does: 'begins again with the first wave, also if it is done: skips and approvals no longer count, earlier failures are ignored, timeouts start over',
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
    const [wave, named, extra] = more;
    const isAboutGate = action === 'approve' || action === 'skip';
    if (extra !== undefined || (named !== undefined && !isAboutGate)) {
      return refuse(
        'unexpected-argument',
        `${shown(extra ?? named ?? '')} is not expected here`,
        'Remove it.',
      );
    }
    if (wave?.includes(':') === true) {
      const hint = `\`/portico pause ${wave.replaceAll('`', "'")}\` leaves it out of its wave until \`/portico resume\`.`;
      return refuse('which-wave', `${shown(wave)} is a package, not a wave`, hint);
    }
    if (NEEDS_WAVE.includes(action) && (wave === undefined || !NAME.test(wave))) {
      return refuse(
        'which-wave',
        'the wave is missing',
        `Write \`/portico rollout ${action} ${name} <wave>\`.`,
      );
    }
    if (wave !== undefined && action !== 'resume' && !NEEDS_WAVE.includes(action)) {
      return refuse('which-wave', `${action} takes no wave`, `Write \`/portico rollout ${action} ${name}\`.`);
    }
    if (action === 'plan') return { kind: 'do', steps: [{ do: 'plan-rollout', rollout: name }] };
    const about = named === undefined ? undefined : readPackageAtRevision(named);
    if (about !== undefined && 'kind' in about) return about;
    return {
      kind: 'do',
      steps: [
        {
          do: 'order-rollout',
          action: orderOf(action, wave !== undefined),
          rollout: name,
          login: state.caller.login,
          ...(wave !== undefined && { wave }),
          ...(about && { package: about.path, revision: about.revision }),
        },
      ],
    };
  },
};

type Action = (typeof ACTIONS)[number];

/** What is recorded: to pause and to resume one wave is something else than to stop and to resume all. */
function orderOf(
  action: Exclude<Action, 'plan' | 'rollback'>,
  hasWave: boolean,
): 'stop' | 'resume' | 'skip' | 'approve' | 'restart' | 'hold' | 'release' {
  if (action === 'pause') return 'hold';
  return action === 'resume' && hasWave ? 'release' : action;
}

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
