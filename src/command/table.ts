/** All commands, in the order of the help. */
import { approve } from './approve.ts';
import type { Command } from './command.ts';
import { explain } from './explain.ts';
import { helpCommand } from './help.ts';
import { propose } from './propose.ts';
import { publish } from './publish.ts';
import { reject } from './reject.ts';
import { render } from './render.ts';
import { resolve } from './resolve.ts';
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
  update,
];

/** Names that are kept for later versions: not offered, and answered honestly. */
export const planned: readonly string[] = [
  'cancel',
  'clone',
  'copy',
  'delete',
  'diff',
  'eval',
  'init',
  'pause',
  'rebase',
  'resume',
  'rollback',
];
