/** Signatures as `ssh-keygen -Y sign -n git` makes them, and git with `gpg.format=ssh` (OpenSSH's PROTOCOL.sshsig). */
import { createHash, createPublicKey, verify, type JsonWebKey, type KeyObject } from 'node:crypto';

/** Whom a signature is by, and whether it fits what was signed. */
interface SshSignature {
  /** The public key as its file has it, without name and comment: Base64. */
  readonly key: string;
  readonly fits: boolean;
}

/** Kinds of keys that `POST /user/ssh_signing_keys` takes here: those of hardware (`sk-…`) are not among them. */
export const SSH_KEY = /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)) [A-Za-z0-9+/=]+(?: .*)?$/;

/** Reads an armoured signature; undefined for what is none. */
export function readSshSignature(armoured: string, payload: Buffer): SshSignature | undefined {
  const bytes = Buffer.from(armoured.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64');
  if (bytes.toString('latin1', 0, 6) !== 'SSHSIG') return undefined;
  const [key, namespace, reserved, hash, signature] = strings(bytes.subarray(10));
  if (key === undefined || namespace === undefined || reserved === undefined) return undefined;
  if (hash === undefined || signature === undefined) return undefined;
  const digest = createHash(hash.toString() === 'sha256' ? 'sha256' : 'sha512')
    .update(payload)
    .digest();
  const signed = Buffer.concat([
    Buffer.from('SSHSIG'),
    ...[namespace, reserved, hash, digest].flatMap((part) => [lengthOf(part), part]),
  ]);
  const [algorithm, value] = strings(signature);
  if (algorithm === undefined || value === undefined) return undefined;
  const fits = namespace.toString() === 'git' && isBy(key, algorithm.toString(), signed, value);
  return { key: key.toString('base64'), fits };
}

function isBy(blob: Buffer, algorithm: string, signed: Buffer, signature: Buffer): boolean {
  const key = publicKey(blob);
  if (key === undefined) return false;
  if (algorithm === 'ssh-ed25519') return verify(null, signed, key, signature);
  if (algorithm.startsWith('rsa-sha2-')) return verify(`sha${algorithm.slice(9)}`, signed, key, signature);
  const bits = /^ecdsa-sha2-nistp(256|384|521)$/.exec(algorithm)?.[1];
  if (bits === undefined) return false;
  const size = Math.ceil(Number(bits) / 8);
  const numbers = strings(signature).map((one) => fixed(one, size));
  const hash = { 256: 'sha256', 384: 'sha384', 521: 'sha512' }[bits] ?? 'sha256';
  return verify(hash, signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.concat(numbers));
}

/** RFC 4253, section 6.6; RFC 5656, section 3.1; RFC 8709, section 4. */
function publicKey(blob: Buffer): KeyObject | undefined {
  const [kind = Buffer.alloc(0), one = Buffer.alloc(0), two = Buffer.alloc(0)] = strings(blob);
  const jwk = jwkOf(kind.toString(), one, two);
  try {
    return jwk && createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function jwkOf(kind: string, one: Buffer, two: Buffer): JsonWebKey | undefined {
  if (kind === 'ssh-ed25519') return { kty: 'OKP', crv: 'Ed25519', x: one.toString('base64url') };
  if (kind === 'ssh-rsa') return { kty: 'RSA', e: one.toString('base64url'), n: two.toString('base64url') };
  const bits = /^ecdsa-sha2-nistp(256|384|521)$/.exec(kind)?.[1];
  if (bits === undefined) return undefined;
  const half = (two.length - 1) / 2;
  const [x, y] = [two.subarray(1, 1 + half), two.subarray(1 + half)];
  return { kty: 'EC', crv: `P-${bits}`, x: x.toString('base64url'), y: y.toString('base64url') };
}

/** A number of so many bytes, without the zero that stands before a high bit. */
function fixed(number: Buffer, size: number): Buffer {
  const bare = number.length > size ? number.subarray(number.length - size) : number;
  return Buffer.concat([Buffer.alloc(size - bare.length), bare]);
}

function strings(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    found.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

function lengthOf(part: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}
