import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { slugOf, type AppManifest } from './app-manifest.ts';
import type { AppIdentity } from './context.ts';
import type { Records } from './records-store.ts';
import type { Store } from './store.ts';

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
