/**
 * The token that a workflow has (`GITHUB_TOKEN`): of an installation of GitHub Actions, for the one repository that the
 * workflow is in (https://docs.github.com/en/actions/concepts/security/github_token).
 */

import type { ForgeContext } from '../context.ts';
import type { AccountRecord, TokenRecord } from '../records.ts';
import type { Viewer } from '../viewer.ts';
import { ACTIONS_APP } from './apps.ts';

const BOT_LOGIN = `${ACTIONS_APP.slug}[bot]`;

/** Whose name stands at what workflows do; made on first use. */
export function actionsBot({ records, now }: Pick<ForgeContext, 'records' | 'now'>): AccountRecord {
  const { accounts, accountByLogin } = records;
  const bot = { login: BOT_LOGIN, type: 'Bot', name: ACTIONS_APP.slug, email: null } as const;
  return accountByLogin(BOT_LOGIN) ?? accounts.insert({ ...bot, createdAt: now() });
}

/** What is done with such a token starts no further workflows: docs.github.com, "Triggering a workflow from a workflow". */
export function isByWorkflow({ login }: Pick<AccountRecord, 'login'>): boolean {
  return login === BOT_LOGIN;
}

/** Undefined where the repository is gone. */
export function workflowViewer(
  context: ForgeContext,
  token: TokenRecord,
  repositoryId: number,
): Viewer | undefined {
  const repository = context.records.repositories.get(repositoryId);
  if (repository === undefined) return undefined;
  const permissions = token.permissions ?? {};
  return {
    kind: 'installation',
    appId: ACTIONS_APP.id,
    user: actionsBot(context),
    installation: {
      id: 0,
      accountId: repository.ownerId,
      selection: 'selected',
      repositoryIds: [repositoryId],
      permissions,
      events: [],
      suspendedAt: null,
      createdAt: repository.createdAt,
      updatedAt: repository.createdAt,
    },
    repositoryIds: [repositoryId],
    permissions,
    tokenId: token.id,
  };
}
