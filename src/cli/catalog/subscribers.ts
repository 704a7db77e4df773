import type { Follow, Subscriber } from '../../channels/plan.ts';
import { parseFollow } from '../../config/follow.ts';
import { usageError } from '../exit-code.ts';
import type { Call } from '../verb.ts';
import { findDownstreams } from './downstreams.ts';
import type { UpstreamClone } from './upstream-clone.ts';

/** Who follows the upstream, of the folders that `--in` names; what is left out is said on stderr. */
export async function subscribersOf(call: Call, upstream: UpstreamClone): Promise<readonly Subscriber[]> {
  const folders = call.list('in').map(call.path);
  const find = { folders, follow: followOf(call), signal: call.signal };
  const { subscribers, notes } = await findDownstreams(upstream, find);
  for (const note of notes) call.terminal.warn(note);
  return subscribers;
}

function followOf(call: Call): Follow {
  const follow = parseFollow(call.text('follow') ?? 'latest');
  if (typeof follow !== 'string') return follow;
  throw usageError(`--follow ${follow}`, 'For example: --follow channel/stable');
}
