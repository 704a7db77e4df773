import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';

import { counted } from '../text/counted.ts';
import { EXIT, usageError } from './exit-code.ts';
import { fetchPackage } from './fetch-package.ts';
import { requireFree, writeNewFolder } from './folder-write.ts';
import { strategyOf } from './strategy.ts';
import { parseUpstream } from './upstream-location.ts';
import { openUserGit } from './user-git.ts';
import { placeIn, type Call } from './verb.ts';

/** No address of a repository is one bare word. */
const SUBJECT = /^[a-z]+$/;

/**
 * `portico get REPO.git/PATH@REF [DIR]`: makes a downstream of a package; `portico get functions` lists functions, and others what is in
 * repositories; without a word it is what is in this one.
 */
export async function get(call: Call): Promise<number> {
  const [typed, destination] = call.positionals;
  if (typed === undefined) return (await import('./get-index.ts')).getHere(call);
  if (typed === 'functions') {
    const { getFunctions } = await import('./get-functions.ts');
    return getFunctions(call);
  }
  const subject = SUBJECT.test(typed) ? await import('./get-index.ts') : undefined;
  const named = subject?.subjectOf(typed);
  if (subject !== undefined && named !== undefined) return subject.getIndex(call, named);
  if (call.positionals.length > 2) {
    const words = call.positionals.length;
    throw usageError(
      `get takes one package and one directory, not ${words} words`,
      'See portico get --help.',
    );
  }
  const { terminal } = call;
  const origin = parseUpstream(typed, call.path);
  const directory = destinationOf(call, destination, basename(origin.directory) || basename(origin.repo));
  requireFree(directory);

  await using git = await openUserGit(call.signal);
  const name = basename(directory);
  const files = await fetchPackage({
    git,
    origin,
    copy: { name, strategy: strategyOf(call.text('strategy')), deployment: call.has('for-deployment') },
    terminal,
  });
  terminal.progress('');
  writeNewFolder(directory, files);
  if (terminal.json) terminal.document({ directory, name, files: [...files.keys()].sort() });
  else
    terminal.print(
      `${placeIn(call, directory)('')}: ${counted(files.size, 'file')} from ${origin.repo}${origin.directory}`,
    );
  return EXIT.ok;
}

/** A directory that holds something gets the package as a directory in it, as kpt does. */
function destinationOf(call: Call, typed: string | undefined, name: string): string {
  if (typed === undefined) return call.path(name);
  const directory = call.path(typed);
  const isDirectory = statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true;
  return isDirectory && readdirSync(directory).length > 0 ? join(directory, name) : directory;
}
