import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { EXIT } from './exit-code.ts';
import { readFolder } from './folder.ts';
import { documentsOf, documentsText } from './package-stream.ts';
import { placeIn, type Call } from './verb.ts';

/** `portico cat [DIR|FILE]`: prints the documents of a package, or of one file of it, as they are written. */
export function cat(call: Call): Promise<number> {
  const path = call.path(call.positionals[0] ?? '.');
  const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  const directory = isFile ? dirname(path) : path;
  const files = readFolder(directory, { warn: call.terminal.warn, place: placeIn(call, directory) });
  const wanted = isFile ? new Map([...files].filter(([name]) => name === basename(path))) : files;
  if (call.terminal.json) call.terminal.document(documentsOf(wanted));
  else call.terminal.write(documentsText(wanted));
  return Promise.resolve(EXIT.ok);
}
