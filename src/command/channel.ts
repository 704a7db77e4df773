/** Commands about channels: each asks for one change of a package's channel file, which a pull request then proposes. */
import { readChannelChange } from './channel-request.ts';
import { CHANNEL_CHANGES, type ChannelChangeVerb } from './channel-verbs.ts';
import type { AnywhereCommand } from './command.ts';

export const promote = commandOf('promote');
export const withdraw = commandOf('withdraw');
export const deprecate = commandOf('deprecate');
export const channel = commandOf('channel');

function commandOf(verb: ChannelChangeVerb): AnywhereCommand {
  return {
    ...CHANNEL_CHANGES[verb],
    minimumRole: 'write',
    mayAlso: [],
    contexts: 'pull-or-issue',
    guard: 'open',
    decide(_state, args) {
      const change = readChannelChange[verb](args);
      if ('kind' in change) return change;
      return { kind: 'do', steps: [{ do: 'change-channels', change }] };
    },
  };
}
