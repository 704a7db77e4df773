/** All commands, in the order of the help. */
import { approve } from './approve.ts';
import { bulk, confirm } from './bulk.ts';
import { cancel } from './cancel.ts';
import { channel, deprecate, promote, withdraw } from './channel.ts';
import { clone } from './clone.ts';
import type { Command } from './command.ts';
import { copy, edit } from './copy.ts';
import { remove } from './delete.ts';
import { diff } from './diff.ts';
import { evaluate } from './eval.ts';
import { explain } from './explain.ts';
import { helpCommand } from './help.ts';
import { init } from './init.ts';
import { pause, resume } from './pause.ts';
import { plan } from './plan.ts';
import { propose } from './propose.ts';
import { publish } from './publish.ts';
import { rebase } from './rebase.ts';
import { reject } from './reject.ts';
import { render } from './render.ts';
import { resolve } from './resolve.ts';
import { rollback } from './rollback.ts';
import { rollout } from './rollout.ts';
import { update } from './update.ts';

export const commands: readonly Command[] = [
  helpCommand(() => commands),
  explain,
  render,
  propose,
  reject,
  approve,
  publish,
  resolve,
  remove,
  update,
  init,
  clone,
  copy,
  edit,
  rollback,
  evaluate,
  rebase,
  diff,
  pause,
  resume,
  promote,
  withdraw,
  deprecate,
  channel,
  plan,
  rollout,
  cancel,
  bulk,
  confirm,
];

/** The command of a name; undefined where there is none. */
export function commandNamed(name: string): Command | undefined {
  return commands.find((command) => command.name === name);
}

/** True for a command that merges the pull request. */
export function doesMerge(name: string): boolean {
  const command = commandNamed(name);
  return command?.contexts === 'pull' && command.merges === true;
}

/** Names of all commands, from a to z. */
export const COMMAND_NAMES: readonly string[] = commands.map(({ name }) => name).toSorted();
