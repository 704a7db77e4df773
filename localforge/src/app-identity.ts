import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { PorticoError } from '../../src/error.ts';
import type { AppIdentity } from './context.ts';
import type { Records } from './records-store.ts';
import type { Permissions } from './records.ts';
import type { Store } from './store.ts';

/** What the App asks for, as `app.yml` says it. */
export interface AppManifest {
  readonly permissions: Permissions;
  readonly events: readonly string[];
}

const DEFAULT_MANIFEST: AppManifest = {
  permissions: {
    metadata: 'read',
    contents: 'write',
    pull_requests: 'write',
    checks: 'write',
    issues: 'write',
    members: 'read',
    statuses: 'read',
    deployments: 'read',
    merge_queues: 'read',
  },
  events: [
    'check_run',
    'check_suite',
    'create',
    'delete',
    'deployment_status',
    'issue_comment',
    'issues',
    'member',
    'membership',
    'merge_group',
    'pull_request',
    'pull_request_review',
    'pull_request_review_comment',
    'push',
    'release',
    'repository',
    'status',
  ],
};

const SLUG = 'portico';

const manifestSchema = z.object({
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])),
  default_events: z.array(z.string()),
});

/**
 * What an App manifest asks for; without a file, what Portico does.
 * @throws PorticoError FORGE_MANIFEST when it cannot be read
 */
export function readManifest(file: string | undefined): AppManifest {
  if (file === undefined) return DEFAULT_MANIFEST;
  try {
    const { default_permissions, default_events } = manifestSchema.parse(parse(readFileSync(file, 'utf8')));
    return { permissions: default_permissions, events: default_events };
  } catch (cause) {
    throw new PorticoError('FORGE_MANIFEST', `${file} is not a manifest of a GitHub App.`, {
      hint: 'It needs default_permissions and default_events.',
      cause,
    });
  }
}

/** Makes the App with its key and secret on first use; afterwards reads them back from the data directory. */
export function openApp(dataDir: string, store: Store, records: Records, now: string): AppIdentity {
  const privateKeyFile = join(dataDir, 'app-private-key.pem');
  const webhookSecretFile = join(dataDir, 'app-webhook-secret');
  const privateKeyPem = readOrMake(privateKeyFile, makeKey);
  const webhookSecret = readOrMake(webhookSecretFile, () => randomBytes(24).toString('hex'));
  const apps = store.collection<AppDocument>('app');
  const account = (login: string, type: 'Bot' | 'Organization', name: string): number =>
    (
      records.accountByLogin(login) ??
      records.accounts.insert({ login, type, name, email: null, createdAt: now })
    ).id;
  const document = store.transaction(
    () =>
      apps.all({ limit: 1 })[0] ??
      apps.insert({
        id: 1001,
        clientId: `Iv23li${randomBytes(7).toString('hex')}`,
        ownerId: account('local-forge', 'Organization', 'Local forge'),
        botId: account(`${SLUG}[bot]`, 'Bot', SLUG),
        createdAt: now,
      }),
  );
  return {
    ...document,
    slug: SLUG,
    name: 'Portico',
    privateKeyPem,
    privateKeyFile,
    publicKeyPem: publicKeyOf(privateKeyPem),
    webhookSecret,
    webhookSecretFile,
  };
}

interface AppDocument {
  readonly id: number;
  readonly clientId: string;
  readonly ownerId: number;
  readonly botId: number;
  readonly createdAt: string;
}

/** Makes another private key for the App, in the file of the one before. */
export function replaceAppKey(app: AppIdentity): Pick<AppIdentity, 'privateKeyPem' | 'publicKeyPem'> {
  rmSync(app.privateKeyFile);
  const privateKeyPem = readOrMake(app.privateKeyFile, makeKey);
  return { privateKeyPem, publicKeyPem: publicKeyOf(privateKeyPem) };
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

function publicKeyOf(privateKeyPem: string): string {
  return createPublicKey(privateKeyPem).export({ type: 'spki', format: 'pem' }).toString();
}

/** Only the owner may read it; written whole or not at all. */
function readOrMake(file: string, make: () => string | Buffer): string {
  if (!existsSync(file)) {
    writeFileSync(`${file}.new`, make().toString(), { mode: 0o600 });
    renameSync(`${file}.new`, file);
  }
  return readFileSync(file, 'utf8');
}
