import { setTimeout as pause } from 'node:timers/promises';

import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { APP_PERMISSIONS, type Permissions } from '../forge/app-permissions.ts';
import type { AppSigner } from '../forge/app-token.ts';
import type { Answer, Rest } from './rest.ts';
import { read, reasonOf, answerText } from './rest.ts';

const tokenSchema = z.object({ token: z.string(), expires_at: z.string() });

/** Tokens of one installation. */
export interface Tokens {
  /** The plain answer to asking for a token. */
  readonly mint: (permissions: Permissions, repositoryIds?: readonly number[]) => Promise<Answer>;
  /** A token that is kept as long as it lasts, and has been taken by the forge once. */
  readonly token: (permissions: Permissions, repositoryIds?: readonly number[]) => Promise<string>;
}

interface Setting {
  readonly asApp: Rest;
  readonly restWith: (token: string) => Rest;
  readonly installationId: number;
  readonly signal: AbortSignal;
}

const A_MINUTE = 60_000;
/** New tokens may be refused for seconds (octokit/auth-app.js#65); row 19 looks at that, the others wait. */
const TRIES = 6;

export function createTokens({ asApp, restWith, installationId, signal }: Setting): Tokens {
  const kept = new Map<string, { readonly token: string; readonly until: number }>();
  const mint: Tokens['mint'] = (permissions, repositoryIds) =>
    asApp.ask('POST', `/app/installations/${installationId}/access_tokens`, {
      body: { permissions, ...(repositoryIds === undefined ? {} : { repository_ids: repositoryIds }) },
    });
  return {
    mint,
    async token(permissions, repositoryIds) {
      const key = JSON.stringify([permissions, repositoryIds]);
      const known = kept.get(key);
      if (known !== undefined && known.until > Date.now() + A_MINUTE) return known.token;
      const { token, expires_at } = read(tokenSchema, await mint(permissions, repositoryIds));
      for (let tries = 1; tries < TRIES; tries += 1) {
        const { status } = await restWith(token).ask('GET', '/installation/repositories?per_page=1');
        if (status !== 401 && status !== 403) break;
        await pause(1_000, undefined, { signal });
      }
      kept.set(key, { token, until: Date.parse(expires_at) });
      return token;
    },
  };
}

const installationSchema = z.object({
  id: z.number(),
  permissions: z.record(z.string(), z.string()),
  suspended_at: z.string().nullish(),
});
const appSchema = z.object({ id: z.number(), slug: z.string() });

export interface Installed {
  readonly app: { readonly id: number; readonly slug: string };
  readonly id: number;
  readonly permissions: Readonly<Record<string, string>>;
}

/**
 * The App and its installation of that account.
 * @throws PorticoError TRIAL_FORGE, TRIAL_APP, TRIAL_NOT_INSTALLED
 */
export async function findInstallation(
  { asApp, apiUrl, signal }: Pick<Setting, 'asApp' | 'signal'> & { readonly apiUrl: string },
  signer: AppSigner,
  account: string,
): Promise<Installed> {
  let answer: Answer;
  try {
    answer = await asApp.ask('GET', '/app');
  } catch (cause) {
    signal.throwIfAborted();
    throw new PorticoError('TRIAL_FORGE', `${apiUrl} does not answer: ${reasonOf(cause)}`, {
      blame: 'forge',
      hint: 'Check --host or GHE_HOST; GHE_PROTOCOL=http is for a forge without https, and environment.md lists the variables of proxies and certificates.',
      cause,
    });
  }
  if (answer.status === 401) {
    signer.correctClock(answer.headers.get('date') ?? undefined);
    answer = await asApp.ask('GET', '/app');
  }
  if (answer.status !== 200) {
    throw new PorticoError('TRIAL_APP', `the forge does not know this App: ${answerText(answer)}`, {
      blame: 'user',
      hint: 'Check --app-id, --private-key and --host, or APP_ID, PRIVATE_KEY and GHE_HOST.',
    });
  }
  const app = read(appSchema, answer);
  for (const kind of ['orgs', 'users']) {
    const found = await asApp.ask('GET', `/${kind}/${account}/installation`);
    if (found.status !== 200) continue;
    const { id, permissions } = read(installationSchema, found);
    return { app, id, permissions };
  }
  throw new PorticoError('TRIAL_NOT_INSTALLED', `the App is not installed on ${account}`, {
    blame: 'user',
    hint: `Install it there, on all repositories or on two empty ones: its page is /apps/${app.slug} of the forge.`,
  });
}

/** Rights of app.yml that the installation lacks, such as `contents: write`. */
export function missingRights(permissions: Readonly<Record<string, string>>): string[] {
  const isEnough = (name: string, wanted: string): boolean =>
    permissions[name] === 'write' || permissions[name] === 'admin' || permissions[name] === wanted;
  return Object.entries(APP_PERMISSIONS)
    .filter(([name, wanted]) => !isEnough(name, wanted))
    .map(([name, wanted]) => `${name}: ${wanted}`);
}
