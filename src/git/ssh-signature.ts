/** Signatures of commits and tags by an SSH key, as `git -c gpg.format=ssh` makes them, without a process. */
import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';

import { PorticoError } from '../error.ts';

/** Signs what a commit or tag holds; the armoured signature. */
export type Signer = (payload: Uint8Array) => string;

const NAMESPACE = 'git';
const HASH = 'sha512';

/**
 * A signer with an unencrypted Ed25519 key, as `ssh-keygen -t ed25519 -N ''` writes it, or in PEM. The same content has the same
 * signature. The format is OpenSSH's PROTOCOL.sshsig. Throws CONFIG_INVALID for any other key, and never quotes it.
 */
export function sshSigner(text: string): Signer {
  const key = readKey(text);
  const publicKey = blob(bytesOf('ssh-ed25519'), rawPublicKey(key));
  return (payload) => {
    const digest = createHash(HASH).update(payload).digest();
    const about = [bytesOf(NAMESPACE), bytesOf(''), bytesOf(HASH)];
    const signed = Buffer.concat([Buffer.from('SSHSIG'), blob(...about, digest)]);
    const signature = blob(bytesOf('ssh-ed25519'), sign(null, signed, key));
    const version = Buffer.from([0, 0, 0, 1]);
    const whole = Buffer.concat([Buffer.from('SSHSIG'), version, blob(publicKey, ...about, signature)]);
    const lines = whole.toString('base64').replaceAll(/(.{70})/g, '$1\n');
    return `-----BEGIN SSH SIGNATURE-----\n${lines.trimEnd()}\n-----END SSH SIGNATURE-----`;
  };
}

function readKey(text: string): KeyObject {
  try {
    const openSsh = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(text)?.[1];
    const key = openSsh === undefined ? createPrivateKey(text) : fromOpenSsh(Buffer.from(openSsh, 'base64'));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // The cause would quote the key.
  }
  throw new PorticoError('CONFIG_INVALID', 'SIGNING_KEY does not hold an unencrypted Ed25519 key', {
    blame: 'user',
    hint: "Make one with: ssh-keygen -t ed25519 -N '' -f signing-key",
  });
}

const MAGIC = 'openssh-key-v1\0';
/** What stands before the seed in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** OpenSSH's PROTOCOL.key: without a cipher, one key. */
function fromOpenSsh(bytes: Buffer): KeyObject {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new RangeError('no key');
  let at = MAGIC.length;
  const next = (from: Buffer): Buffer => {
    const length = from.readUInt32BE(at);
    at += 4 + length;
    return from.subarray(at - length, at);
  };
  if (next(bytes).toString() !== 'none') throw new RangeError('encrypted');
  next(bytes);
  next(bytes);
  at += 4;
  next(bytes);
  const secret = next(bytes);
  // Twice a number that tells whether it was decrypted well.
  at = 8;
  if (next(secret).toString() !== 'ssh-ed25519') throw new RangeError('another kind');
  next(secret);
  const seed = next(secret).subarray(0, 32);
  return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
}

function rawPublicKey(key: KeyObject): Buffer {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url');
}

function bytesOf(value: string): Buffer {
  return Buffer.from(value);
}

/** Each with its length before it. */
function blob(...parts: readonly Buffer[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      return [length, part];
    }),
  );
}
