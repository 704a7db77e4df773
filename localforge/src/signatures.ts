/** Which commits are verified: signed by the forge itself, or by an SSH key of the account whose address the committer has. */
import { createHash, createPublicKey, generateKeyPairSync, sign, verify, type KeyObject } from 'node:crypto';

import type { ForgeContext } from './context.ts';
import { formatCommit } from './git-objects.ts';
import type { GitPerson } from './git-objects.ts';
import type { GitRepository } from './git-repository.ts';
import { accountByEmail } from './people.ts';
import type { Collection, Store } from './store.ts';

export interface SigningKeyRecord {
  readonly id: number;
  readonly userId: number;
  readonly title: string;
  /** `ssh-ed25519 AAAA…` */
  readonly key: string;
  readonly createdAt: string;
}

interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitPerson;
  readonly committer: GitPerson;
}

export const signingKeys = (store: Store): Collection<SigningKeyRecord> =>
  store.collection<SigningKeyRecord>('signing_key');

interface VerifiedCommit {
  readonly id: number;
  readonly sha: string;
}

/** The forge's own key, made anew with each process: what it signed is remembered. */
const own = generateKeyPairSync('ed25519');
const verified = (store: Store): Collection<VerifiedCommit> =>
  store.collection<VerifiedCommit>('verified_commit', {
    sha: { key: (one) => [one.sha], unique: true },
  });

/**
 * Writes a commit that the forge signs: what it merges itself (docs.github.com, "About commit signature verification"), and
 * what a bot makes through the API "and contains no custom author information, custom committer information, and no custom
 * signature information" (the same page, "Signature verification for bots").
 */
export async function writeSigned(
  context: ForgeContext,
  git: GitRepository,
  commit: NewCommit,
): Promise<string> {
  const raw = sign(null, formatCommit(commit), own.privateKey).toString('base64');
  const signature = `-----BEGIN PGP SIGNATURE-----\n\n${raw}\n-----END PGP SIGNATURE-----`;
  const sha = await git.writeCommit({ ...commit, signature });
  const known = verified(context.store);
  if (known.first('sha', [sha]) === undefined) known.insert({ sha });
  return sha;
}

/** Whether the forge signed it itself. */
export function isSignedByForge(context: ForgeContext, sha: string): boolean {
  return verified(context.store).first('sha', [sha]) !== undefined;
}

/** `content`: the commit as it is stored. */
export function isVerified(context: ForgeContext, sha: string, content: Buffer): boolean {
  if (isSignedByForge(context, sha)) return true;
  const text = content.toString();
  const header = /\ngpgsig (-----BEGIN SSH SIGNATURE-----\n(?: .*\n)* -----END SSH SIGNATURE-----)\n/.exec(
    text,
  );
  const email = /^committer .*<([^>]*)>/m.exec(text)?.[1];
  if (header === null || email === undefined) return false;
  const account = accountByEmail(context, email);
  const payload = Buffer.from(text.replace(header[0], '\n'));
  const armoured = (header[1] ?? '').replaceAll('\n ', '\n');
  const keys = signingKeys(context.store)
    .all()
    .filter(({ userId }) => userId === account?.id);
  return keys.some(({ key }) => verifiesSsh(armoured, payload, key.split(' ')[1] ?? ''));
}

/** The first of the commits that nobody vouches for. */
export async function unverified(
  context: ForgeContext,
  git: GitRepository,
  shas: readonly string[],
): Promise<string | undefined> {
  for (const sha of shas) {
    const found = await git.object(sha);
    if (found === undefined || !isVerified(context, sha, found.content)) return sha;
  }
  return undefined;
}

/** As GitHub words it (github/gh-aw#29301, vercel/sandbox#169; of branch protection appolon1908-hue/kyqra-crawler#29). */
export const SIGNATURES_DEMANDED = 'Commits must have verified signatures.';

/** OpenSSH's PROTOCOL.sshsig, with Ed25519. */
function verifiesSsh(armoured: string, payload: Buffer, publicKey: string): boolean {
  const bytes = Buffer.from(armoured.replaceAll(/-----[A-Z ]+-----/g, ''), 'base64');
  if (bytes.toString('latin1', 0, 6) !== 'SSHSIG') return false;
  const [key, namespace, reserved, hash, signature] = strings(bytes.subarray(10));
  if (key === undefined || namespace === undefined || reserved === undefined) return false;
  if (hash === undefined || signature === undefined) return false;
  if (key.toString('base64') !== publicKey || namespace.toString() !== 'git') return false;
  const digest = createHash(hash.toString() === 'sha256' ? 'sha256' : 'sha512')
    .update(payload)
    .digest();
  const signed = Buffer.concat([
    Buffer.from('SSHSIG'),
    ...[namespace, reserved, hash, digest].flatMap((part) => [lengthOf(part), part]),
  ]);
  return verify(null, signed, sshKey(key), strings(signature)[1] ?? Buffer.alloc(0));
}

function sshKey(blob: Buffer): KeyObject {
  const x = (strings(blob)[1] ?? Buffer.alloc(0)).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
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
