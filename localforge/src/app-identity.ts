import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import type { AppIdentity } from './context.ts';
import { ForgeError } from './error.ts';
import type { Records } from './records-store.ts';
import type { Permissions } from './records.ts';
import type { Store } from './store.ts';

/** Who the App is and what it asks for, as the manifest of a GitHub App says it. */
export interface AppManifest {
  /** Its slug and the login of its bot are made of it. Default: `Local App`. */
  readonly name?: string | undefined;
  readonly permissions: Permissions;
  readonly events: readonly string[];
}

/** What bots of pull requests commonly ask for; never Administration or Workflows. */
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

const manifestSchema = z.object({
  name: z
    .string()
    .regex(/[A-Za-z0-9]/)
    .max(34)
    .optional(),
  default_permissions: z.record(z.string(), z.enum(['read', 'write', 'admin'])),
  default_events: z.array(z.string()),
});

/**
 * Reads the manifest of a GitHub App (https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest),
 * in YAML or JSON; without a file it is one that suits bots of pull requests.
 * @throws ForgeError FORGE_MANIFEST when it cannot be read
 */
export function readManifest(file: string | undefined): AppManifest {
  if (file === undefined) return DEFAULT_MANIFEST;
  try {
    const read = manifestSchema.parse(parse(readFileSync(file, 'utf8')));
    return { name: read.name, permissions: read.default_permissions, events: read.default_events };
  } catch (cause) {
    throw new ForgeError('FORGE_MANIFEST', `${file} is not a manifest of a GitHub App.`, {
      hint: 'It needs default_permissions and default_events, and may have a name of up to 34 characters.',
      cause,
    });
  }
}

/** As GitHub makes it of a name: lower case, and a hyphen for each stretch of other characters. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/**
 * Makes the App with its key and secret on first use; afterwards reads them back from the data directory. It has the
 * manifest's name of today.
 */
export function openApp(
  dataDir: string,
  { store, records, now }: { readonly store: Store; readonly records: Records; readonly now: string },
  { name = 'Local App' }: Pick<AppManifest, 'name'>,
): AppIdentity {
  const slug = slugOf(name);
  const botLogin = `${slug}[bot]`;
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
        botId: account(botLogin, 'Bot', slug),
        createdAt: now,
      }),
  );
  if (records.accounts.get(document.botId)?.login !== botLogin) {
    records.accounts.update(document.botId, { login: botLogin, name: slug });
  }
  return {
    ...document,
    slug,
    name,
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
