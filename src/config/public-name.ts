/** Names of hosts that mean the same everywhere, and those that only mean something inside a network. */
import { withoutEnd } from '../text/ends.ts';

/** Endings of names that only mean something inside a network or a cluster. */
const INSIDE = /\.(?:local|localhost|internal|home|lan|svc|corp|intranet|private|arpa)$/i;

/** Whether the host of an address has a name that may be public. Addresses in numbers are none. */
export function isPublicName(host: string): boolean {
  // A dot at the end says that nothing is to be added to the name; it makes no name public.
  const name = withoutEnd(host, '.');
  if (/^[\d.]+$/.test(name) || name.startsWith('[')) return false;
  return name.includes('.') && !INSIDE.test(name);
}
