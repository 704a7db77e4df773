/**
 * Upstreams outside of every installation: nobody tells when they publish, so they are asked for their refs from time to
 * time, once for all that are made from them, and fetched only when these are new.
 */
import type { Catalog, CatalogPackage } from '../../catalog/catalog.ts';
import {
  allowsUpstream,
  credentialNamedFor,
  type UpstreamCredential,
} from '../../config/allowed-upstream.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { PorticoError } from '../../error.ts';
import { digestOf } from '../../revision/digest.ts';
import { packagePathOf } from '../../revision/package-path.ts';
import { plainAddress } from '../../text/ends.ts';
import type { Forge } from '../forge/forge.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { Git } from '../git-port.ts';
import { pollJob } from '../jobs.ts';
import { outsideKey } from '../outside-key.ts';
import type { NamedCredential, OutsideGit, RepositoryRef, Ports } from '../ports.ts';
import { inTurns } from '../text/in-turns.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { credentialRefusal, notForPublic, type CredentialRefusal } from './credential-refusal.ts';
import { updateJobs, type PackagePlace } from './update-jobs.ts';

/** Which addresses a repository allows, and what it reads them with. */
export interface Outside {
  readonly allow: readonly string[];
  /** Origin of the forge itself. */
  readonly own: string;
  readonly credentials: readonly UpstreamCredential[];
  /** Account of the repository. */
  readonly owner: string;
  /** What a credential reads does not go to where anybody can read it. */
  readonly isPublic: boolean;
}

export function outsideOf({
  facts,
  config: { upstreams },
}: {
  readonly facts: Pick<RepositoryFacts, 'cloneUrl' | 'owner' | 'visibility'>;
  readonly config: Pick<RepositoryConfig, 'upstreams'>;
}): Outside {
  const { cloneUrl, owner, visibility } = facts;
  const { allow, credentials = [] } = upstreams;
  return { allow, credentials, own: new URL(cloneUrl).origin, owner, isPublic: visibility === 'public' };
}

/** Pure: as whom an address is read; undefined: as anyone may. */
export function credentialFor(
  { credentials, own, owner }: Outside,
  address: string,
): NamedCredential | undefined {
  const name = credentialNamedFor(credentials, address, own);
  return name === undefined ? undefined : { name, owner };
}

/** What is read of an upstream, wherever it is. */
export interface UpstreamAccess {
  readonly ref: RepositoryRef;
  readonly git: Git;
  /** Of a repository outside of every installation only what git tells is known: it has no notes. */
  readonly forge: Pick<Forge, 'get' | 'releaseNotes'>;
}

interface Known {
  /** Of the refs that were last seen; null before the first look. */
  digest: string | null;
  failures: number;
  /** Of the last look, where it was about the credential. */
  refusal?: CredentialRefusal | undefined;
  /** Where the other end leads to from the address, as far as somebody who asked allows each. */
  moves: readonly string[];
  /** Milliseconds since 1970. */
  nextAt: number;
}

/** What is forgotten of the one that was asked for longest ago is when to look again: it is looked at sooner. */
const MAX_ADDRESSES = 10_000;
const createKnownAddresses = (): Map<string, Known> => new Map();

function stateOf(
  { memories }: Pick<Ports, 'memories'>,
  address: string,
  credential: NamedCredential | undefined,
): Known {
  const all = memories.of(createKnownAddresses);
  const key = outsideKey(address, credential);
  const known = all.get(key) ?? { digest: null, failures: 0, nextAt: 0, moves: [] };
  keepNewest(all, key, known, MAX_ADDRESSES);
  return known;
}

/** Seconds between two looks at an upstream that answers, and the longest wait after failures. */
const EVERY = 900;
/** Seconds between two looks after failures: a day. */
const MAX_SECONDS = 86_400;

/** `https://host/path` without `.git`; undefined where it is no such address, or nobody here allows it. */
export function outsideAddress(
  repo: string,
  { allow, own }: Pick<Outside, 'allow' | 'own'>,
): string | undefined {
  const address = plainAddress(repo);
  return /^https?:\/\//.test(address) && allowsUpstream(allow, address, own) ? address : undefined;
}

/**
 * 'unreachable' where it cannot be read now: nothing is asked of it before the next look. 'moved' where it leads to an address that
 * `outside` does not allow. A refusal where it is not read for want of a credential.
 */
export async function openOutside(
  ports: Ports,
  address: string,
  outside: Outside,
  signal?: AbortSignal,
): Promise<UpstreamAccess | 'unreachable' | 'moved' | CredentialRefusal> {
  const credential = credentialFor(outside, address);
  if (credential !== undefined && outside.isPublic) return notForPublic(credential);
  const known = stateOf(ports, address, credential);
  const allows = (to: string): boolean => allowsUpstream(outside.allow, to, outside.own);
  if (known.digest === null) {
    const found = await look({ ports, address, credential, known, allows, signal });
    if (found !== 'ok') return found;
  }
  // Another repository may allow more.
  if (!known.moves.every(allows)) return 'moved';
  const git = await refusedOr(credential, () =>
    ports.openAddress(`${known.moves.at(-1) ?? address}.git`, signal, credential),
  );
  if ('why' in git) return git;
  const { hostname, pathname } = new URL(address);
  const name = pathname.replace(/^\/+/, '');
  const ref = { installationId: 0, id: -1, owner: hostname, name };
  const facts: RepositoryFacts = {
    id: -1,
    owner: hostname,
    name,
    fullName: `${hostname}/${name}`,
    defaultBranch: 'main',
    // Anybody reads it, or the operator and the base configuration let this repository have what a credential reads.
    visibility: 'public',
    archived: false,
    htmlUrl: address,
    cloneUrl: `${address}.git`,
  };
  return {
    ref,
    git,
    forge: { get: () => Promise.resolve(facts), releaseNotes: () => Promise.resolve(null) },
  };
}

async function refusedOr<Value>(
  credential: NamedCredential | undefined,
  work: () => Promise<Value>,
): Promise<Value | CredentialRefusal> {
  try {
    return await work();
  } catch (error) {
    const refusal = credentialRefusal(error, credential);
    if (refusal === undefined) throw error;
    return refusal;
  }
}

/** Looks at one address when its time has come, and asks for what is made from it to be looked at where it has news. */
export function createPollReconciler(
  ports: Ports,
): (
  target: { readonly address: string; readonly credential?: NamedCredential | undefined },
  signal?: AbortSignal,
) => Promise<void> {
  return async ({ address, credential }, signal) => {
    const followers = followersOfAddress(ports.catalog, address);
    // Nobody is made from it any more: nothing is left to do, and the next index asks again.
    if (followers.length === 0) return;
    const known = stateOf(ports, address, credential);
    const wait = Math.ceil((known.nextAt - ports.now().getTime()) / 1_000);
    if (wait > 0) {
      await ports.enqueue(pollJob(address, { credential, afterSeconds: wait }));
      return;
    }
    const before = known.digest;
    const { moves } = known;
    const found = await look({
      ports,
      address,
      credential,
      known,
      allows: (to) => moves.includes(to),
      signal,
    });
    // Whoever is made from it asks whether the new address is allowed there.
    if (found === 'moved') known.digest = null;
    const isRead = found === 'ok' || found === 'moved';
    if (isRead && before !== null && before !== known.digest) {
      await ports.enqueue(inTurns(updateJobs(followers)));
    }
    const afterSeconds = Math.max(1, Math.ceil((known.nextAt - ports.now().getTime()) / 1_000));
    await ports.enqueue(pollJob(address, { credential, afterSeconds }));
  };
}

/** What is said of an address that cannot, or may not, be read. */
export const UNREADABLE = /^(?:GIT_|INVALID_URL$|ADDRESS_REFUSED$|HOST_UNREACHABLE$)/;

/** Asks for the refs alone; what they lead to is fetched only where they are new. */
async function look({
  ports,
  address,
  credential,
  known,
  allows,
  signal,
}: {
  readonly ports: Ports;
  readonly address: string;
  readonly credential: NamedCredential | undefined;
  readonly known: Known;
  readonly allows: (address: string) => boolean;
  readonly signal: AbortSignal | undefined;
}): Promise<'ok' | 'unreachable' | 'moved' | CredentialRefusal> {
  const now = ports.now().getTime();
  const nextAt = now + waitAfter(0, Math.random()) * 1_000;
  if (known.failures > 0 && now < known.nextAt) return known.refusal ?? 'unreachable';
  try {
    const moves: string[] = [];
    const read = async (git: OutsideGit): Promise<string> => {
      const refs = await git.remoteRefs(['refs/tags/*', 'refs/heads/*'], signal);
      const found = digestOf(
        'portico refs 1',
        [...refs].map(([name, { oid }]) => [name, oid]),
      );
      const isSame = found === known.digest && (moves.at(-1) ?? '') === (known.moves.at(-1) ?? '');
      if (!isSame) await git.fetch({}, signal);
      return found;
    };
    const digest = await followingRedirect({ ports, address, credential, allows, moves, work: read, signal });
    if (digest === undefined) {
      Object.assign(known, { failures: 0, nextAt, refusal: undefined });
      return 'moved';
    }
    Object.assign(known, { digest, moves, failures: 0, nextAt, refusal: undefined });
    return 'ok';
  } catch (error) {
    const refusal = credentialRefusal(error, credential);
    if (refusal === undefined && (!(error instanceof PorticoError) || !UNREADABLE.test(error.code)))
      throw error;
    known.failures += 1;
    known.nextAt = now + waitAfter(known.failures, Math.random()) * 1_000;
    known.refusal = refusal;
    // What was read with a credential is not given out when that is refused.
    if (refusal !== undefined) known.digest = null;
    ports.log.info({ err: error, failures: known.failures }, 'an upstream outside could not be read');
    return refusal ?? 'unreachable';
  }
}

/** As many moves are followed. */
const MAX_MOVES = 3;

/**
 * Works on a repository outside where it is now: each address that the other end leads to is judged as the first was, before anything is
 * asked there, and so whether the credential is for it. `moves` gets them. Undefined where one is not allowed.
 */
export async function followingRedirect<Result>({
  ports,
  address,
  credential,
  allows,
  moves = [],
  work,
  signal,
}: {
  readonly ports: Pick<Ports, 'openAddress'>;
  readonly address: string;
  readonly credential: NamedCredential | undefined;
  readonly allows: (address: string) => boolean;
  readonly moves?: string[];
  readonly work: (git: OutsideGit, address: string) => Promise<Result>;
  readonly signal: AbortSignal | undefined;
}): Promise<Result | undefined> {
  for (let at = address; ;) {
    try {
      return await work(await ports.openAddress(`${at}.git`, signal, credential), at);
    } catch (error) {
      const to = newAddressOf(error);
      if (to === undefined) throw error;
      if (moves.length === MAX_MOVES || !allows(to)) return undefined;
      moves.push(to);
      at = to;
    }
  }
}

/** Where the error says that a repository went; undefined for every other error. */
function newAddressOf(error: unknown): string | undefined {
  if (!(error instanceof PorticoError) || error.code !== 'GIT_MOVED') return undefined;
  const { movedTo: to } = (error.cause ?? {}) as { readonly movedTo?: string };
  return to;
}

/** Pure: seconds until the next look: twice as long after each failure, and never two processes at one moment. */
export function waitAfter(failures: number, random: number): number {
  const wait = Math.min(MAX_SECONDS, EVERY * 2 ** Math.min(failures, 20));
  return Math.round(wait * (0.8 + 0.4 * random));
}

/** The addresses outside that the packages of a repository are made from. */
export function outsideAddresses(
  catalog: Catalog,
  packages: readonly CatalogPackage[],
  outside: Outside,
): readonly string[] {
  const found = packages.flatMap(({ lock }) =>
    lock === null || catalog.byUrl(lock.repo) !== undefined ? [] : (outsideAddress(lock.repo, outside) ?? []),
  );
  return [...new Set(found)];
}

function followersOfAddress(catalog: Catalog, address: string): PackagePlace[] {
  return catalog.all().flatMap((repository) =>
    repository.packages
      .filter(({ lock }) => lock !== null && plainAddress(lock.repo) === address)
      .map(({ directory }) => ({
        repository,
        path: packagePathOf(repository.directory, directory) ?? directory,
      })),
  );
}
