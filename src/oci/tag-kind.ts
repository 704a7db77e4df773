import { PorticoError } from '../error.ts';
import { shortenValue } from '../text/cut-text.ts';

/** Revisions as packages have them, `v3` and `v1.2.3`, with or without the letter; `_` is how registries write `+`. */
const REVISION = /^v?\d+(?:\.\d+){0,2}(?:[-_][A-Za-z0-9._-]*)?$/;

/** Whether a tag names a revision, and so never leads to anything else; other tags are channels, which move. */
export function isRevisionTag(tag: string): boolean {
  return REVISION.test(tag);
}

/** The name of a channel, as a tag. Throws `REFERENCE_INVALID`. */
export function checkChannel(name: string): string {
  if (/^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/.test(name) && !isRevisionTag(name)) return name;
  throw new PorticoError(
    'REFERENCE_INVALID',
    `${JSON.stringify(shortenValue(name, 200))} cannot be the tag of a channel`,
    {
      blame: 'user',
      hint: 'A channel name has letters, digits and _ . - (at most 128) and must not be a revision such as v3.',
    },
  );
}
