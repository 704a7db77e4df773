import { readFileSync, writeFileSync } from 'node:fs';

import { indexText } from '../../channels/catalog-index.ts';
import { PorticoError } from '../../error.ts';
import { EXIT } from '../exit-code.ts';
import { reasonOf } from '../system-error.ts';
import type { Call } from '../verb.ts';
import { subscribersOf } from './subscribers.ts';
import { withUpstream } from './upstream-clone.ts';

/** `portico catalog rebuild [DIR]`: the index of a repository's packages, from its tags, channel files and followers. */
export async function rebuild(call: Call): Promise<number> {
  const { terminal, signal } = call;
  const folder = call.path(call.positionals[0] ?? '.');
  const text = await withUpstream(folder, { named: call.text('repository') }, signal, async (upstream) => {
    const subscribers = await subscribersOf(call, upstream);
    return indexText(upstream.source, upstream.packages, subscribers);
  });
  const [output, check] = [call.text('output'), call.text('check')];
  if (check !== undefined) return compare(call, check, text);
  if (output === undefined) terminal.write(text);
  else write(call.path(output), text);
  return EXIT.ok;
}

/** What `--follow` says; latest where it says nothing, as a configuration does. */
function compare(call: Call, typed: string, text: string): number {
  let before: string;
  try {
    before = readFileSync(call.path(typed), 'utf8');
  } catch (cause) {
    throw new PorticoError('INDEX_UNREADABLE', `${typed} cannot be read: ${reasonOf(cause)}`, {
      blame: 'user',
      cause,
      hint: 'Write it with portico catalog rebuild --output.',
    });
  }
  if (before === text) return EXIT.ok;
  const [old, now] = [before.split('\n'), text.split('\n')];
  const at = now.findIndex((line, index) => line !== old[index]);
  const line = at === -1 ? now.length : at + 1;
  call.terminal.say(`${typed}:${line}: the index does not match the tags, channels and locks`);
  call.terminal.say(`is:     ${old[line - 1] ?? '(the end)'}\nshould: ${now[line - 1] ?? '(the end)'}`);
  return EXIT.failed;
}

function write(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (cause) {
    throw new PorticoError('INDEX_NOT_WRITTEN', `${path} cannot be written: ${reasonOf(cause)}`, {
      blame: 'user',
      cause,
      hint: 'Name a file in an existing, writable directory.',
    });
  }
}
