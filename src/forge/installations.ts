import type { Octokit } from '@octokit/rest';

import type { RawInstallation } from './answer-shapes.ts';
import { APP_PERMISSIONS, type Permissions } from './app-permissions.ts';
import { createAppSigner } from './app-token.ts';
import type { Installation } from './forge-types.ts';
import type { ClientShare } from './octokit.ts';
import { createClient } from './octokit.ts';
import { requestOf } from './repository-context.ts';
import type { ForgeToken, RefusedToken } from './token-cache.ts';
import { createTokenCache } from './token-cache.ts';

/** And Workflows where an owner granted it beyond what app.yml asks for. */
const WANTED: Permissions = { ...APP_PERMISSIONS, workflows: 'write' };

/** What an installation granted is asked again after so long, in case an owner accepted more. */
const GRANT_MS = 10 * 60_000;

/** The clients of an App: its own, and those of its installations. */
export interface Installations {
  /** Speaks with the App's own token. */
  readonly app: Octokit;
  /** May only read metadata of all repositories of the installation. */
  installation(installationId: number): Octokit;
  /** May act on this repository alone. */
  repository(installationId: number, repositoryId: number): Octokit;
  /** A token for the contents of this repository alone. */
  gitToken(installationId: number, repositoryId: number, signal?: AbortSignal): Promise<string>;
  /** The token to try after that one was refused; null where none would help. */
  gitTokenAfter(
    refused: RefusedToken,
    installationId: number,
    repositoryId: number,
    signal?: AbortSignal,
  ): Promise<string | null>;
}

/** The installations of the App, with a client and tokens for each repository. */
export function createInstallations(
  share: ClientShare,
  appId: number | string,
  privateKey: string,
): Installations {
  const signer = createAppSigner(appId, privateKey);
  const tokens = createTokenCache(2 * share.backoffMs);
  const grants = new Map<
    number,
    { readonly at: number; readonly permissions: Promise<Installation['permissions']> }
  >();

  const app = createClient(share, {
    installationId: null,
    repositoryId: null,
    authorize: () => Promise.resolve(`Bearer ${signer.jwt()}`),
    authorizeAfter: ({ status, times, date }) => {
      if (status !== 401 || times > 1) return Promise.resolve(null);
      signer.correctClock(date);
      return Promise.resolve(`Bearer ${signer.jwt()}`);
    },
  });

  /** A token cannot ask for more than the installation granted: the forge would refuse to make it. */
  const granted = (installationId: number): Promise<Installation['permissions']> => {
    const known = grants.get(installationId);
    if (known && Date.now() - known.at < GRANT_MS) return known.permissions;
    const permissions = readGrant(app, installationId);
    grants.set(installationId, { at: Date.now(), permissions });
    permissions.catch(() => grants.delete(installationId));
    return permissions;
  };

  // No signal goes in: several callers may share what is asked here.
  const mint = async (
    installationId: number,
    repositoryId: number | null,
    wanted: Permissions,
  ): Promise<ForgeToken> => {
    const { data } = await app.rest.apps.createInstallationAccessToken({
      installation_id: installationId,
      permissions: lesser(wanted, await granted(installationId)),
      ...(repositoryId === null ? {} : { repository_ids: [repositoryId] }),
    });
    return { token: data.token, expiresAt: data.expires_at };
  };

  const speak = (installationId: number, repositoryId: number | null, wanted: Permissions): Octokit => {
    const key = keyOf(installationId, repositoryId, wanted);
    const make = (): Promise<ForgeToken> => mint(installationId, repositoryId, wanted);
    return createClient(share, {
      installationId,
      repositoryId,
      authorize: async () => `token ${await tokens.get(key, make)}`,
      authorizeAfter: async ({ authorization, ...refused }, signal) => {
        const token = authorization.slice('token '.length);
        const next = await tokens.after({ ...refused, token }, key, make, signal);
        return next === null ? null : `token ${next}`;
      },
    });
  };

  return {
    app,
    installation: (installationId) => speak(installationId, null, { metadata: 'read' }),
    repository: (installationId, repositoryId) => speak(installationId, repositoryId, WANTED),
    gitToken: async (installationId, repositoryId, signal) => {
      signal?.throwIfAborted();
      const key = keyOf(installationId, repositoryId, FOR_GIT);
      return await tokens.get(key, () => mint(installationId, repositoryId, FOR_GIT));
    },
    gitTokenAfter: (refused, installationId, repositoryId, signal) => {
      const key = keyOf(installationId, repositoryId, FOR_GIT);
      return tokens.after(refused, key, () => mint(installationId, repositoryId, FOR_GIT), signal);
    },
  };
}

const FOR_GIT: Permissions = { metadata: 'read', contents: 'write', workflows: 'write' };

function keyOf(installationId: number, repositoryId: number | null, wanted: Permissions): string {
  return `${installationId} ${repositoryId} ${Object.keys(wanted).join()}`;
}

export function toInstallation(raw: RawInstallation): Installation {
  return {
    id: raw.id,
    account: raw.account?.login ?? raw.account?.slug ?? '',
    accountType: raw.account?.type === 'User' ? 'User' : 'Organization',
    suspended: raw.suspended_at !== null && raw.suspended_at !== undefined,
    permissions: grantsOf(raw.permissions),
  };
}

async function readGrant(app: Octokit, installation_id: number): Promise<Installation['permissions']> {
  const { data } = await app.rest.apps.getInstallation({ installation_id, request: requestOf(undefined) });
  return grantsOf(data.permissions);
}

/** A permission that was not granted is not there, or null. */
function grantsOf(permissions: object): Readonly<Record<string, string>> {
  const all: [string, unknown][] = Object.entries(permissions);
  return Object.fromEntries(all.filter((one): one is [string, string] => typeof one[1] === 'string'));
}

function lesser(wanted: Permissions, grant: Installation['permissions']): Record<string, 'read' | 'write'> {
  const both = Object.entries(wanted).flatMap(([name, access]) => {
    const given = grant[name];
    if (given === undefined) return [];
    return [[name, given === 'read' ? 'read' : access] as const];
  });
  return Object.fromEntries(both);
}
