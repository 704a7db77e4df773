/** Why an upstream outside is not read that needs a credential, for the people who may see the repository's configuration. */
import { PorticoError } from '../../error.ts';
import type { NamedCredential } from '../ports.ts';
import { foreignSentence } from '../text/markdown-blocks.ts';

export interface CredentialRefusal {
  /** A sentence. */
  readonly why: string;
  readonly remedy: string;
}

/**
 * Pure: the refusal that an error means; undefined for every other error. What the other end said is not repeated: it is
 * foreign text.
 */
export function credentialRefusal(
  error: unknown,
  credential: NamedCredential | undefined,
): CredentialRefusal | undefined {
  if (!(error instanceof PorticoError)) return undefined;
  switch (error.code) {
    case 'SOURCE_CREDENTIALS':
      // It names the address, which a Kptfile may choose.
      return { why: foreignSentence(upperFirst(error.message)), remedy: error.hint ?? '' };
    case 'CREDENTIALS_FILE':
      return {
        why: 'The credentials of the server cannot be read.',
        remedy: 'Ask the operator of Portico to look at its log.',
      };
    case 'GIT_AUTH':
      return credential === undefined ? NONE_NAMED : refusedThere(credential);
    default:
      return undefined;
  }
}

/** Pure: why a public repository does not get what a credential reads. */
export function notForPublic({ name }: NamedCredential): CredentialRefusal {
  return {
    why: `This repository is public, and what the credential ${name} reads is not.`,
    remedy: 'Make the repository private, or allow the address without a credential if anyone may read it.',
  };
}

const NONE_NAMED: CredentialRefusal = {
  why: 'The upstream does not exist, or requires a credential, and the configuration names none for its address.',
  remedy:
    'Write `{ address: …, credentials: NAME }` in `spec.upstreams.allow`, with the name of a credential that the operator of Portico holds.',
};

function refusedThere({ name }: NamedCredential): CredentialRefusal {
  return {
    why: `The host of the upstream rejected the credential ${name}.`,
    remedy: 'Ask the operator of Portico to renew it, or to give it access to the repository.',
  };
}

function upperFirst(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
