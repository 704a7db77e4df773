import { checkPackage } from './check-package.ts';
import { usageError } from './exit-code.ts';
import { reportLeftovers } from './leftovers.ts';
import { isRepositoryTop } from './packages-in.ts';
import { placeIn, type Call } from './verb.ts';

/**
 * `portico check [DIR]`: fails when the Kptfile has errors, a function fails, a validator finds errors, or when rendering would
 * change the package; at the top of a repository, when one of its packages does. Writes nothing.
 */
export async function check(call: Call): Promise<number> {
  const typed = call.positionals[0] ?? '.';
  const directory = call.path(typed);
  if (!call.has('config') && isRepositoryTop(directory)) {
    const { checkRepository } = await import('./check-repository.ts');
    return checkRepository(call, directory);
  }
  if (call.has('changed-since'))
    throw usageError(
      '--changed-since is for the packages of a repository',
      'Name the top of a clone, and leave out --config: its own configuration is read.',
    );
  const { document, ok, exit } = await checkPackage(call, directory, typed);
  const place = placeIn(call, directory);
  const left = reportLeftovers(call, directory, ['.'], (path) => (path === '.' ? typed : place(path)));
  const leftOut = left.map(({ path, what }) => ({ path, what }));
  if (call.terminal.json) call.terminal.document({ ...document, leftOut });
  else if (ok) call.terminal.print('The package is valid and rendered.');
  return exit;
}
