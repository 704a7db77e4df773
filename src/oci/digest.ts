import { createHash, type Hash } from 'node:crypto';

const DIGEST = /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/;

/** Whether a text is a digest of one of the two algorithms that registries have. */
export function isDigest(text: string): boolean {
  return DIGEST.test(text);
}

/** The digest by which a registry names these bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Computes the digest of bytes as they come, by the algorithm of the one that is expected. */
export function digestLike(expected: string): { readonly hash: Hash; readonly value: () => string } {
  const algorithm = expected.startsWith('sha512:') ? 'sha512' : 'sha256';
  const hash = createHash(algorithm);
  return { hash, value: () => `${algorithm}:${hash.digest('hex')}` };
}
