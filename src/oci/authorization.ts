/** Who we say that we are: nobody, a name with a password, or whoever a token stands for. */
import { isIP } from 'node:net';

import { z } from 'zod';

import { PorticoError } from '../error.ts';
import type { OutsideFetch } from '../network/outside-fetch.ts';
import { readBody } from '../network/read-body.ts';
import { parseChallenges, type Challenge } from './challenge.ts';
import { registryError } from './registry-error.ts';

/** What a registry knows somebody by. Never shown: neither in a log nor in an error. */
export type RegistryCredential =
  | { readonly username: string; readonly password: string }
  /** As `docker login` keeps it for registries that exchange it for tokens. */
  | { readonly identityToken: string };

/** Bytes of the answer with a token. */
const MAX_TOKEN_BYTES = 64 * 1024;
/** What the token specification assumes where nothing is said. */
const TOKEN_SECONDS = 60;

const tokenAnswer = z.object({
  token: z.string().optional(),
  access_token: z.string().optional(),
  expires_in: z.number().positive().optional(),
});

/** The value of an `Authorization` header, and until when it may be used. */
export interface Authorization {
  readonly header: string;
  readonly until: number;
}

/**
 * Whether a host, with its port, issues tokens for the registry although it is not the registry's neighbour. People decide that: the
 * credential of another registry is never used because a registry points to that one's token server.
 */
export type IsTokenHost = (host: string) => boolean;

export interface Asking {
  readonly fetch: OutsideFetch;
  /** Of the registry that asked who we are. */
  readonly registry: URL;
  readonly scope: string;
  readonly credential: RegistryCredential | undefined;
  readonly isTokenHost: IsTokenHost;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** What answers the registry's challenges; undefined where nothing that we have does. */
export async function answerChallenge(
  header: string | null,
  asking: Asking,
): Promise<Authorization | undefined> {
  const challenges = parseChallenges((header ?? '').slice(0, 8_000));
  const bearer = challenges.find(({ scheme }) => scheme === 'bearer');
  if (bearer !== undefined) return await askForToken(bearer, asking);
  const isBasic = challenges.some(({ scheme }) => scheme === 'basic');
  const { credential } = asking;
  if (!isBasic || credential === undefined || !('username' in credential)) return undefined;
  return { header: basic(credential), until: Infinity };
}

/** The token protocol of Docker's registries, with the exchange of identity tokens (OAuth 2). */
async function askForToken({ parameters }: Challenge, asking: Asking): Promise<Authorization> {
  const { fetch, registry, signal } = asking;
  const realm = parameters.get('realm') ?? '';
  if (!URL.canParse(realm)) {
    throw new PorticoError('REGISTRY_AUTH', `${registry.host} names no address that issues tokens`, {
      blame: 'user',
      hint: 'Ask the operator of the registry.',
    });
  }
  const service = parameters.get('service');
  const url = new URL(realm);
  const credential = credentialAtRealm(url, asking);
  const fields = new URLSearchParams();
  if (service !== undefined) fields.append('service', service);
  // The scope of our request alone. A token with more rights would go to a registry that asked for rights that we do not need.
  fields.append('scope', asking.scope);
  const ask = { ledBy: registry, signal };
  let answer: Response;
  if (credential !== undefined && 'identityToken' in credential) {
    fields.set('grant_type', 'refresh_token');
    fields.set('client_id', 'portico');
    fields.set('refresh_token', credential.identityToken);
    answer = await fetch(url, {
      ...ask,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: Buffer.from(fields.toString()),
    });
  } else {
    for (const [name, value] of fields) url.searchParams.append(name, value);
    answer = await fetch(url, {
      ...ask,
      headers: credential === undefined ? {} : { authorization: basic(credential) },
    });
  }
  if (answer.status !== 200)
    throw await registryError(answer, `a token of ${url.host}`, secretsIn(credential));
  return tokenIn(await readBody(answer, MAX_TOKEN_BYTES), url, asking.now());
}

/**
 * Returns the registry's own credential if the token server is its neighbour or is named by a person. A registry that chooses its
 * token server must send our password nowhere else, and must not make us use the login of another registry.
 */
function credentialAtRealm(
  realm: URL,
  { registry, credential, isTokenHost }: Asking,
): RegistryCredential | undefined {
  if (credential === undefined) return undefined;
  if (isNeighbour(registry.hostname, realm.hostname) || isTokenHost(realm.host)) return credential;
  throw new PorticoError(
    'REGISTRY_AUTH',
    `${registry.host} says that ${realm.host} issues its tokens, and the credentials for ${registry.host} are not for that host`,
    {
      blame: 'user',
      hint: `Nothing was sent there. If ${realm.host} really issues them, pass --token-host ${realm.host}; on a server, list it under hosts of the credential.`,
    },
  );
}

/** The same host, or one below what the registry's own name is below: `auth.docker.io` for `registry-1.docker.io`. */
function isNeighbour(registry: string, other: string): boolean {
  if (registry === other) return true;
  const labels = registry.split('.');
  // Numbers have no neighbours.
  if (isIP(registry.replaceAll(/^\[|\]$/g, '')) !== 0 || labels.length < 2) return false;
  const above = labels.length === 2 ? registry : labels.slice(1).join('.');
  return other === above || other.endsWith(`.${above}`);
}

function tokenIn(bytes: Uint8Array, { host }: URL, now: number): Authorization {
  const unusable = (): PorticoError =>
    new PorticoError('REGISTRY_AUTH', `${host} gave no token that can be used`, {
      blame: 'user',
      hint: 'Ask the operator of the registry.',
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw unusable();
  }
  const read = tokenAnswer.safeParse(parsed);
  const token = read.data?.token ?? read.data?.access_token ?? '';
  // Anything else could not be, or should not be, part of a header.
  if (!/^[\u0021-\u007e]+$/.test(token)) throw unusable();
  const seconds = read.data?.expires_in ?? TOKEN_SECONDS;
  // A tenth less: it takes a while to use it.
  return { header: `Bearer ${token}`, until: now + seconds * 900 };
}

/** What nobody may read of a credential, in the forms that it is sent in. */
export function secretsIn(credential: RegistryCredential | undefined): readonly string[] {
  if (credential === undefined) return [];
  if ('identityToken' in credential) return [credential.identityToken];
  return [credential.password, basic(credential).slice('Basic '.length)].filter((one) => one !== '');
}

/** The header for a user name and password. */
export function basic({
  username,
  password,
}: {
  readonly username: string;
  readonly password: string;
}): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}
