/**
 * A forge reached with the token that a workflow of GitHub Actions has: one repository, without an App of its own. What
 * an App is asked for is answered as far as such a token can tell.
 * https://docs.github.com/en/actions/concepts/security/github_token
 */

import { PorticoError } from '../error.ts';
import type { Forge } from './forge-api.ts';
import { orNull } from './forge-error.ts';
import type { AppIdentity, ForgeOptions, Installation } from './forge-types.ts';
import { assemble, shareOf } from './forge.ts';
import { createClient } from './octokit.ts';
import { requestOf } from './repository-context.ts';
import { toRepository } from './repository.ts';

export interface WorkflowForgeOptions extends Omit<ForgeOptions, 'appId' | 'privateKey'> {
  readonly token: string;
  /** `owner/name` */
  readonly repository: string;
}

/** Stands where an App has numbers of installations; GitHub's begin at 1. */
const WORKFLOW_INSTALLATION = 0;
/** Where an organisation keeps its defaults: a workflow's token reads it where it is public. */
const DEFAULTS_REPOSITORY = '.github';

/** The App of GitHub Actions on github.com. */
const ACTIONS: AppIdentity = {
  id: 15_368,
  slug: 'github-actions',
  name: 'GitHub Actions',
  botLogin: 'github-actions[bot]',
  isShared: true,
};

const app = (): Promise<AppIdentity> => Promise.resolve(ACTIONS);

/** Makes no call itself. The token is what it is: one that is refused is not replaced. */
export function connectWorkflowForge(options: WorkflowForgeOptions): Forge {
  const share = shareOf(options);
  const speak = (repositoryId: number | null) =>
    createClient(share, {
      installationId: WORKFLOW_INSTALLATION,
      repositoryId,
      authorize: () => Promise.resolve(`token ${options.token}`),
      authorizeAfter: () => Promise.resolve(null),
    });
  const { rest } = speak(null);
  const [owner = '', repo = ''] = options.repository.split('/');
  const isOwn = (name: string, of: string): boolean =>
    `${of}/${name}`.toLowerCase() === options.repository.toLowerCase();
  const installation: Installation = {
    id: WORKFLOW_INSTALLATION,
    account: owner,
    accountType: 'Organization',
    suspended: false,
    permissions: {},
  };
  return {
    app,
    installations: () => Promise.resolve([installation]),
    repositories: async (_installation, signal) => {
      const { data } = await rest.repos.get({ owner, repo, request: requestOf(signal) });
      const request = requestOf(signal);
      const defaults =
        repo === DEFAULTS_REPOSITORY
          ? null
          : await orNull(rest.repos.get({ owner, repo: DEFAULTS_REPOSITORY, request }));
      return [data, ...(defaults === null ? [] : [defaults.data])].map(toRepository);
    },
    accountId: async (_installation, username, signal) => {
      const answer = await orNull(rest.users.getByUsername({ username, request: requestOf(signal) }));
      return answer?.data.id ?? null;
    },
    repositoryInstallation: (of, name) => Promise.resolve(isOwn(name, of) ? installation : null),
    repositoryAt: async (of, name, signal) => {
      if (!isOwn(name, of)) return null;
      const answer = await orNull(rest.repos.get({ owner, repo, request: requestOf(signal) }));
      return answer && { id: answer.data.id };
    },
    // Only an App has webhooks of its own.
    failedDeliveries: () => Promise.resolve([]),
    redeliver: () =>
      Promise.reject(
        new PorticoError('FORGE_FORBIDDEN', "a workflow's token cannot have webhooks sent again", {
          blame: 'bug',
        }),
      ),
    repository: (id, key) =>
      assemble({ octokit: speak(key.id), key, app, looks: share.looksOf(id) }, share.backoffMs),
    tokenFor: () => Promise.resolve(options.token),
    tokenAfter: () => Promise.resolve(null),
  };
}
