/** Digests of what a document of sources says, which its lock carries: so a lock that is older than its document shows. */
import { createHash } from 'node:crypto';

import { isMap } from '../plain-values.ts';

/** Over a value as it is written, whatever the order of its fields. */
export function digestOfWritten(value: unknown): string {
  return `sha256:${createHash('sha256').update(sortedJson(value)).digest('hex')}`;
}

/**
 * Over what a document of sources says of content. Its name and labels, whether it is paused and what a cluster noted in it
 * change nothing of that.
 */
export function documentDigest(document: Readonly<Record<string, unknown>>): string {
  const { metadata: _metadata, status: _status, paused: _paused, spec, ...rest } = document;
  if (!isMap(spec)) return digestOfWritten(rest);
  const { paused: _also, ...what } = spec;
  return digestOfWritten({ ...rest, spec: what });
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, held: unknown) =>
    isMap(held) ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1))) : held,
  );
}
