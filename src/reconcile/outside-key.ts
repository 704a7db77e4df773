import type { NamedCredential } from './ports.ts';

/** What is known of an address outside is kept by this: what an account reads by its credential is for no other, and for nobody who names none. */
export function outsideKey(address: string, credential: NamedCredential | undefined): string {
  return credential === undefined
    ? address
    : `${address} ${credential.owner.toLowerCase()} ${credential.name}`;
}
