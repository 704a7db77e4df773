/** Where `render` and `eval` write a package: in place, to a new directory, or to stdout, as kpt's `--output` says. */
import type { PackageFiles } from '../package/package.ts';
import { usageError } from './exit-code.ts';
import { requireFree, writeChanges, writeNewFolder } from './folder-write.ts';
import { placeIn, type Call } from './verb.ts';

export type Output =
  | { readonly to: 'place' }
  | { readonly to: 'directory'; readonly directory: string }
  /** A ResourceList, or documents with `---` between them. */
  | { readonly to: 'stdout'; readonly form: 'stdout' | 'unwrap' };

/** What `--output` asks for. Throws `CLI_USAGE` where the directory is not free, or stdout is wanted twice. */
export function outputOf(call: Call): Output {
  const typed = call.text('output');
  if (typed === undefined) return { to: 'place' };
  if (typed === 'stdout' || typed === 'unwrap') {
    if (call.terminal.json)
      throw usageError(
        `--json and --output ${typed} both write to stdout`,
        'Give one of them. For a directory of this name, write ./stdout or ./unwrap.',
      );
    return { to: 'stdout', form: typed };
  }
  const directory = call.path(typed);
  requireFree(directory);
  return { to: 'directory', directory };
}

/** Names a file of what was written, from where the person stands. */
export function placeOfOutput(call: Call, output: Output, directory: string): (file: string) => string {
  return placeIn(call, output.to === 'directory' ? output.directory : directory);
}

/** Writes a package that was read from `directory`. */
export async function writeOutput(
  call: Call,
  output: Output,
  { directory, before, after }: { directory: string; before: PackageFiles; after: PackageFiles },
): Promise<void> {
  switch (output.to) {
    case 'place':
      writeChanges(directory, before, after);
      return;
    case 'directory':
      writeNewFolder(output.directory, after);
      return;
    case 'stdout': {
      const { documentsText, resourceListText } = await import('./package-stream.ts');
      call.terminal.write(output.form === 'stdout' ? resourceListText(after) : documentsText(after));
    }
  }
}
