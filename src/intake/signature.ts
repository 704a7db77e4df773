import { createHmac, timingSafeEqual } from 'node:crypto';

import { PorticoError } from '../error.ts';

/** What no one may use: nothing, and the secret that Probot falls back to when none is set. */
const WEAK_SECRETS: readonly string[] = ['', 'development'];
const SIGNATURE = /^sha256=([0-9a-f]{64})$/;

/** Takes the raw bytes of one body as they come, and then tells whether the signature fits. */
export interface SignatureCheck {
  update(chunk: Buffer): void;
  fits(): boolean;
}

/**
 * Checks `X-Hub-Signature-256` (HMAC-SHA256 of the raw body) against each of the secrets:
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 * The digest is made while the body comes in, so that nothing is copied or parsed for one that is not signed.
 * @returns for a header, the check, or undefined when there is no well-formed SHA-256 signature (SHA-1 is not one)
 * @throws PorticoError CONFIG_WEBHOOK_SECRET without a secret, or with a default one.
 */
export function createVerifier(
  secrets: readonly string[],
): (header: string | readonly string[] | undefined) => SignatureCheck | undefined {
  if (secrets.length === 0 || secrets.some((secret) => WEAK_SECRETS.includes(secret.trim()))) {
    throw new PorticoError('CONFIG_WEBHOOK_SECRET', 'the webhook secret is missing or is the default one', {
      blame: 'user',
      hint: 'Set WEBHOOK_SECRET to the secret of the App: a long random text.',
    });
  }
  return (header) => {
    const digits = typeof header === 'string' ? SIGNATURE.exec(header)?.[1] : undefined;
    if (digits === undefined) return undefined;
    const given = Buffer.from(digits, 'hex');
    const digests = secrets.map((secret) => createHmac('sha256', secret));
    return {
      update: (chunk) => {
        for (const digest of digests) digest.update(chunk);
      },
      // Every secret is compared, in constant time each, so that the time tells nothing.
      fits: () => digests.map((digest) => timingSafeEqual(digest.digest(), given)).includes(true),
    };
  };
}
