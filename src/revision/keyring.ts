/**
 * Seals: keyed digests over what Portico leaves on the forge, so that it knows its own word again. Several keys may be
 * accepted at once, so that a key can be replaced while what older ones sealed still counts.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** Signs and checks seals; the keys never leave it. */
export interface Keyring {
  /** The seal of a text by the newest key: 64 hexadecimal digits. */
  sign(text: string): string;
  /** True when one of the keys made this seal of this text; the time it takes tells nothing of the seal wanted. */
  verify(text: string, seal: string): boolean;
}

const SEAL = /^[0-9a-f]{64}$/;

/** A keyring of these secrets: the first signs, all of them are accepted. @throws RangeError where there is none. */
export function createKeyring(secrets: readonly string[]): Keyring {
  const keys = [...new Set(secrets)].map((secret) =>
    createHash('sha256').update(`portico seal 1\n${secret}`).digest(),
  );
  const [newest] = keys;
  if (newest === undefined) throw new RangeError('a keyring has at least one key');
  return {
    sign: (text) => sealOf(newest, text).toString('hex'),
    verify(text, seal) {
      if (!SEAL.test(seal)) return false;
      const given = Buffer.from(seal, 'hex');
      return keys.some((key) => timingSafeEqual(sealOf(key, text), given));
    },
  };
}

function sealOf(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
