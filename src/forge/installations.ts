import type { Octokit } from '@octokit/rest';

import { createAppSigner } from './app-token.ts';
import type { Installation } from './forge-types.ts';
import type { ClientShare } from './octokit.ts';
import { createClient } from './octokit.ts';
import { requestOf } from './repository-context.ts';
import type { ForgeToken } from './token-cache.ts';
import { createTokenCache } from './token-cache.ts';

type Access = 'read' | 'write';
type Permissions = Readonly<Record<string, Access>>;

/** What Portico asks for (see app.yml), never Administration; and Workflows where an owner granted it beyond that. */
const WANTED: Permissions = {
  metadata: 'read',
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  checks: 'write',
  statuses: 'read',
  deployments: 'read',
  members: 'read',
  workflows: 'write',
};

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
  gitToken(
    installationId: number,
    repositoryId: number,
    refresh: boolean,
    signal?: AbortSignal,
  ): Promise<string>;
}

export function createInstallations(
  share: ClientShare,
  appId: number | string,
  privateKey: string,
): Installations {
  const signer = createAppSigner(appId, privateKey);
  const tokens = createTokenCache();
  const grants = new Map<number, { readonly at: number; readonly permissions: Promise<Permissions> }>();

  const app = createClient(share, {
    installationId: null,
    authorize: (refresh) => {
      if (refresh) signer.correctClock(refresh.date);
      return Promise.resolve(`Bearer ${signer.jwt()}`);
    },
  });

  /** A token cannot ask for more than the installation granted: the forge would refuse to make it. */
  const granted = (installationId: number): Promise<Permissions> => {
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

  const tokenOf = (
    installationId: number,
    repositoryId: number | null,
    wanted: Permissions,
    refresh: boolean,
  ) => {
    const key = `${installationId} ${repositoryId} ${Object.keys(wanted).join()}`;
    return tokens.get(key, () => mint(installationId, repositoryId, wanted), refresh);
  };

  const speak = (installationId: number, repositoryId: number | null, wanted: Permissions): Octokit =>
    createClient(share, {
      installationId,
      authorize: async (refresh) =>
        `token ${await tokenOf(installationId, repositoryId, wanted, refresh !== undefined)}`,
    });

  return {
    app,
    installation: (installationId) => speak(installationId, null, { metadata: 'read' }),
    repository: (installationId, repositoryId) => speak(installationId, repositoryId, WANTED),
    gitToken: async (installationId, repositoryId, refresh, signal) => {
      signal?.throwIfAborted();
      const wanted = { metadata: 'read', contents: 'write', workflows: 'write' } as const;
      return await tokenOf(installationId, repositoryId, wanted, refresh);
    },
  };
}

interface RawInstallation {
  readonly id: number;
  readonly account: { readonly login?: string; readonly slug?: string; readonly type?: string } | null;
  readonly suspended_at: string | null;
  readonly permissions: object;
}

export function toInstallation(raw: RawInstallation): Installation {
  return {
    id: raw.id,
    account: raw.account?.login ?? raw.account?.slug ?? '',
    accountType: raw.account?.type === 'User' ? 'User' : 'Organization',
    suspended: raw.suspended_at !== null && raw.suspended_at !== undefined,
    permissions: { ...(raw.permissions as Record<string, string>) },
  };
}

async function readGrant(app: Octokit, installation_id: number): Promise<Permissions> {
  const { data } = await app.rest.apps.getInstallation({ installation_id, request: requestOf(undefined) });
  return data.permissions as Permissions;
}

function lesser(wanted: Permissions, grant: Permissions): Record<string, Access> {
  const both = Object.entries(wanted).flatMap(([name, access]) => {
    const given = grant[name];
    if (given === undefined) return [];
    return [[name, given === 'read' ? 'read' : access] as const];
  });
  return Object.fromEntries(both);
}
