import { lstatSync, readdirSync } from 'node:fs';

import { PorticoError } from '../error.ts';
import { pullArtifact } from '../oci/pull-artifact.ts';
import { parseReference, referenceText } from '../oci/reference.ts';
import { type PackageFiles, sameFiles } from '../package/package.ts';
import { counted } from '../text/counted.ts';
import { EXIT, usageError } from './exit-code.ts';
import { requireFree, writeNewFolder } from './folder-write.ts';
import { readFolder } from './folder.ts';
import { openRegistry } from './registry.ts';
import { placeIn, type Call } from './verb.ts';

/** `portico pull REF DIR`: the files of an artefact or image, in a new directory that appears all at once. */
export async function pull(call: Call): Promise<number> {
  const { terminal, signal } = call;
  const [typed = '', to = ''] = call.positionals;
  const reference = parseReference(typed);
  if (reference.tag === undefined && reference.digest === undefined) {
    throw usageError(
      `${typed} has neither a tag nor a digest`,
      'Add :TAG or @sha256:…; there is no default tag.',
    );
  }
  const directory = call.path(to);
  const held = heldIn(directory);
  terminal.progress(`pulling ${referenceText(reference)}`);
  const { digest, manifestDigest, annotations, files } = await pullArtifact(
    openRegistry(call, reference),
    reference,
    { signal },
  );
  terminal.progress('');
  const changed = held === undefined || !sameFiles(held, files);
  if (changed) {
    requireFree(directory);
    writeNewFolder(directory, files);
  }
  if (terminal.json) {
    const { registry, repository } = reference;
    const pulled = referenceText({ registry, repository, digest });
    terminal.document({
      reference: pulled,
      digest,
      manifestDigest,
      annotations,
      directory,
      files: [...files.keys()],
      changed,
    });
  } else {
    terminal.say(
      `${placeIn(call, directory)('')}: ${counted(files.size, 'file')}${changed ? '' : ', unchanged'}`,
    );
    terminal.print(digest);
  }
  return EXIT.ok;
}

/** What an earlier run may have put there; undefined where there is nothing, or what no run leaves. */
function heldIn(directory: string): PackageFiles | undefined {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || readdirSync(directory).length === 0) return undefined;
  let leftOut = false;
  try {
    const files = readFolder(directory, { warn: () => (leftOut = true) });
    return leftOut ? undefined : files;
  } catch (error) {
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}
