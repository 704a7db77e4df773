import { createHash, createVerify, randomBytes } from 'node:crypto';

import { actionsBot, workflowViewer } from './actors/workflow-token.ts';
import type { ForgeContext } from './context.ts';
import { refuseYoung, tokenMade } from './realism/fresh-tokens.ts';
import type { InstallationRecord, Permissions, RepositoryRecord, TokenRecord } from './records.ts';
import { refusal } from './refusal.ts';
import type { Viewer } from './viewer.ts';

/** GitHub's limits for the App's own tokens, in seconds. */
const JWT_MAX_LIFE = 600;
const CLOCK_SKEW = 60;
const INSTALLATION_TOKEN_LIFE = 3600;

/** Takes the credential out of an `Authorization` header: `Bearer X`, `token X`, or Basic with the token as password (or as user name). */
export function credentialOf(header: string | undefined): string | undefined {
  const match = /^(bearer|token|basic) +(\S+)$/i.exec(header ?? '');
  const value = match?.[2];
  if (match?.[1]?.toLowerCase() !== 'basic' || value === undefined) return value;
  const text = Buffer.from(value, 'base64').toString();
  const colon = text.indexOf(':');
  const password = colon < 0 ? '' : text.slice(colon + 1);
  return password === '' ? text.slice(0, colon < 0 ? undefined : colon) : password;
}

/**
 * Who a credential belongs to; none is `anonymous`.
 * @throws a 401 refusal for one that is unknown, expired or wrongly signed
 */
export function viewerOf(context: ForgeContext, credential: string | undefined): Viewer {
  if (credential === undefined) return { kind: 'anonymous' };
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(credential)) {
    checkJwt(context, credential);
    return { kind: 'app' };
  }
  const token = context.records.tokens.first('hash', [hashOf(credential)]);
  const expires = Date.parse(token?.expiresAt ?? '9999-01-01');
  const expired = expires <= context.clock().getTime();
  const viewer = token === undefined || expired ? undefined : viewerOfToken(context, token);
  if (viewer === undefined) throw refusal(401, 'Bad credentials');
  return viewer;
}

function viewerOfToken(context: ForgeContext, token: TokenRecord): Viewer | undefined {
  const { accounts, installations } = context.records;
  if (token.userId !== null) {
    const user = accounts.get(token.userId);
    return user && { kind: 'user', user, tokenId: token.id };
  }
  if (token.workflowOf !== undefined) return workflowViewer(context, token, token.workflowOf);
  const installation = installations.get(token.installationId ?? 0);
  const user = accounts.get(context.app.botId);
  if (installation === undefined || user === undefined) return undefined;
  if (installation.suspendedAt !== null) throw refusal(403, 'This installation has been suspended');
  refuseYoung(context, token.id);
  return {
    kind: 'installation',
    appId: context.app.id,
    user,
    installation,
    repositoryIds: token.repositoryIds,
    permissions: token.permissions ?? installation.permissions,
    tokenId: token.id,
  };
}

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Makes a token for an installation; the clear text is in the answer alone. */
export function issueInstallationToken(
  context: ForgeContext,
  installation: InstallationRecord,
  scope: { readonly repositoryIds: readonly number[] | null; readonly permissions: Permissions | null },
): { readonly token: string; readonly record: TokenRecord } {
  const token = `ghs_${randomBytes(27).toString('base64url').replaceAll(/[-_]/g, 'x')}`;
  const expires = new Date(context.clock().getTime() + INSTALLATION_TOKEN_LIFE * 1000);
  const record = context.records.tokens.insert({
    hash: hashOf(token),
    userId: null,
    installationId: installation.id,
    ...scope,
    expiresAt: expires.toISOString().replace(/\.\d+Z$/, 'Z'),
  });
  tokenMade(context, record.id);
  return { token, record };
}

/** Makes the token of a workflow in a repository; the clear text is the answer alone. */
export function issueWorkflowToken(
  context: ForgeContext,
  repository: RepositoryRecord,
  permissions: Permissions,
): string {
  const token = `ghs_${randomBytes(27).toString('base64url').replaceAll(/[-_]/g, 'x')}`;
  const expires = new Date(context.clock().getTime() + INSTALLATION_TOKEN_LIFE * 1000);
  actionsBot(context);
  context.records.tokens.insert({
    hash: hashOf(token),
    userId: null,
    installationId: null,
    repositoryIds: [repository.id],
    permissions,
    expiresAt: expires.toISOString().replace(/\.\d+Z$/, 'Z'),
    workflowOf: repository.id,
  });
  return token;
}

function checkJwt(context: ForgeContext, jwt: string): void {
  const [head = '', body = '', signature = ''] = jwt.split('.');
  const header = decodePart(head);
  const claims = decodePart(body);
  if (header === undefined || claims === undefined || header['alg'] !== 'RS256') {
    throw refusal(401, 'A JSON web token could not be decoded');
  }
  const verify = createVerify('RSA-SHA256').update(`${head}.${body}`);
  const issuers = [String(context.app.id), context.app.clientId];
  if (
    !issuers.includes(String(claims['iss'])) ||
    !verify.verify(context.app.publicKeyPem, signature, 'base64url')
  ) {
    throw refusal(401, 'A JSON web token could not be decoded');
  }
  const now = context.clock().getTime() / 1000;
  const { exp, iat } = claims;
  if (typeof exp !== 'number' || exp <= now) {
    throw refusal(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (exp > now + JWT_MAX_LIFE + CLOCK_SKEW) {
    throw refusal(401, "'Expiration time' claim ('exp') is too far in the future");
  }
  if (typeof iat !== 'number' || iat > now + CLOCK_SKEW) {
    throw refusal(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
}

function decodePart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
