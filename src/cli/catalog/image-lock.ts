/**
 * Which content the tags of a template's images stood for: a file beside the template, so that the same catalog is made again, and a
 * review sees what moved.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { parse, stringify } from 'yaml';
import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import { isDigest } from '../../oci/digest.ts';
import { parseReference, referenceText } from '../../oci/reference.ts';
import { openRegistry } from '../registry.ts';
import { reasonOf } from '../system-error.ts';
import type { Call } from '../verb.ts';

const locked = z.strictObject({
  images: z.record(z.string(), z.string().refine(isDigest, 'must be a digest')),
});

const HEAD =
  '# Written by portico catalog template. Commit it; delete a line to take the tag as it is now.\n';

export interface ImageLock {
  /** The image by its digest: that of the file, or else the one that its registry has now. Throws `IMAGE_FLOATS` without `--lock`. */
  pinned(image: string): Promise<string>;
  /** Writes the images that were asked for, in order, where the file says otherwise. */
  save(): void;
}

/** The file that `--lock` names, which need not be there yet. @throws PorticoError LOCK_INVALID */
export function openImageLock(call: Call): ImageLock {
  const typed = call.text('lock');
  const path = typed === undefined ? undefined : call.path(typed);
  const before = path === undefined || !existsSync(path) ? undefined : readLock(path);
  const used = new Map<string, string>();
  return {
    async pinned(image) {
      const reference = parseReference(image);
      if (reference.digest !== undefined) return image;
      if (path === undefined)
        throw new PorticoError('IMAGE_FLOATS', `${image} has no digest, and a tag may move`, {
          blame: 'user',
          hint: 'Give --lock FILE: the digest is written there, and used the next time.',
        });
      const digest =
        before?.[image] ?? (await openRegistry(call, reference).manifest(reference, call.signal)).digest;
      used.set(image, digest);
      // Tools that pull images take a tag or a digest, not both.
      const { registry, repository } = reference;
      return referenceText({ registry, repository, digest });
    },
    save() {
      if (path === undefined) return;
      const images = Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
      const text = HEAD + stringify({ images });
      if (JSON.stringify(images) !== JSON.stringify(before)) writeFileSync(path, text);
    },
  };
}

function readLock(path: string): Readonly<Record<string, string>> {
  try {
    return locked.parse(parse(readFileSync(path, 'utf8'))).images;
  } catch (cause) {
    const why = cause instanceof z.ZodError ? z.prettifyError(cause) : reasonOf(cause);
    throw new PorticoError('LOCK_INVALID', `${path} is no lock of images: ${why}`, {
      blame: 'user',
      cause,
      hint: 'Correct it, or delete it to resolve all tags again.',
    });
  }
}
