import { mkdirSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';

import { initPackage } from '../package/init.ts';
import { EXIT } from './exit-code.ts';
import { writeChanges } from './folder-write.ts';
import { placeIn, type Call } from './verb.ts';

/** `portico init DIR`: adds what makes a directory a package; what is there stays. */
export async function init(call: Call): Promise<number> {
  const directory = call.path(call.positionals[0] ?? '.');
  mkdirSync(directory, { recursive: true });
  const place = placeIn(call, directory);
  // Only names count, and only those at the top: below may be anything, such as a whole repository.
  const names = readdirSync(directory).map((name) => (/^readme\.md$/i.test(name) ? 'README.md' : name));
  const description = call.text('description');
  const site = call.text('site');
  const added = initPackage(
    {
      name: basename(directory),
      ...(description === undefined ? {} : { description }),
      ...(site === undefined ? {} : { site }),
      keywords: call
        .list('keywords')
        .flatMap((list) => list.split(','))
        .filter((keyword) => keyword !== ''),
    },
    new Set(names),
  );
  writeChanges(directory, new Map(), added);
  if (call.terminal.json) call.terminal.document({ added: [...added.keys()] });
  else for (const path of added.keys()) call.terminal.print(`added ${place(path)}`);
  if (added.size === 0) call.terminal.say('It is a package already; nothing was changed.');
  return EXIT.ok;
}
