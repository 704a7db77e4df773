/** Which commits are verified: signed by the forge itself, or by an SSH key of the account whose address the committer has. */
import { generateKeyPairSync, sign } from 'node:crypto';

import type { ForgeContext } from './context.ts';
import { formatCommit, parseCommit } from './git-objects.ts';
import type { GitPerson } from './git-objects.ts';
import type { GitRepository } from './git-repository.ts';
import { accountByEmail } from './people.ts';
import { readSshSignature } from './ssh-signature.ts';
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

/** What is signed, or not: a commit or an annotated tag. */
interface Signed {
  readonly sha: string;
  readonly signature: string | null;
  /** What is stored without the signature. */
  readonly signedText: string | null;
}

/** Why a signature counts or not, in GitHub's words (docs.github.com, "REST API endpoints for Git commits", "Signature verification object"). */
type Reason =
  | 'valid'
  | 'unsigned'
  | 'unknown_signature_type'
  | 'no_user'
  | 'bad_email'
  | 'unknown_key'
  | 'malformed_signature'
  | 'invalid';

/** `verification` of GitHub's commits and tags. */
export interface Verification {
  readonly verified: boolean;
  readonly reason: Reason;
  readonly signature: string | null;
  readonly payload: string | null;
  readonly verified_at: string | null;
}

/** What the forge makes of a signature; `by` is the committer or tagger. */
export function verificationOf(context: ForgeContext, signed: Signed, by: GitPerson | null): Verification {
  const { signature, signedText: payload } = signed;
  const reason = isSignedByForge(context, signed.sha) ? 'valid' : reasonOf(context, signed, by);
  const verified = reason === 'valid';
  return { verified, reason, signature, payload, verified_at: verified ? (by?.date ?? null) : null };
}

/**
 * SSH alone: a key of OpenPGP is known to nobody here. That a key of another account than the committer's is told as `bad_email`, as with
 * OpenPGP, is believed.
 */
function reasonOf(context: ForgeContext, { signature, signedText }: Signed, by: GitPerson | null): Reason {
  if (signature === null || signedText === null) return 'unsigned';
  const kind = /^-----BEGIN (SSH|PGP) SIGNATURE-----/.exec(signature)?.[1];
  if (kind === undefined) return 'unknown_signature_type';
  const account = by === null ? undefined : accountByEmail(context, by.email);
  if (account === undefined) return 'no_user';
  if (kind === 'PGP') return 'unknown_key';
  const read = readSshSignature(signature, Buffer.from(signedText));
  if (read === undefined) return 'malformed_signature';
  const owners = signingKeys(context.store)
    .all()
    .filter(({ key }) => key.split(' ')[1] === read.key);
  if (owners.length === 0) return 'unknown_key';
  if (!owners.some(({ userId }) => userId === account.id)) return 'bad_email';
  return read.fits ? 'valid' : 'invalid';
}

/** Whether the forge signed it itself. */
function isSignedByForge(context: ForgeContext, sha: string): boolean {
  return verified(context.store).first('sha', [sha]) !== undefined;
}

/** `content`: the commit as it is stored. */
export function isVerified(context: ForgeContext, sha: string, content: Buffer): boolean {
  const commit = parseCommit(sha, content);
  return verificationOf(context, commit, commit.committer).verified;
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
