/** The files with which a server starts as the new App: `.env` and the private key. Nothing that exists is overwritten. */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

import { PorticoError } from '../error.ts';
import type { NewApp } from './conversion.ts';

export interface EnvironmentFiles extends Disposable {
  readonly environment: string;
  readonly key: string;
  /** Writes both. Without it, they are gone with this object. */
  write(app: NewApp, host: { readonly name: string | undefined; readonly protocol: string }): void;
}

/**
 * Takes both names before anything is created, so that no credential is without a place.
 * @throws PorticoError FILE_EXISTS
 */
export function reserveFiles(directory: string): EnvironmentFiles {
  const environment = join(directory, '.env');
  const key = join(directory, 'portico.private-key.pem');
  const opened: { readonly path: string; readonly handle: number }[] = [];
  let written = false;
  const release = (): void => {
    for (const { path, handle } of opened.splice(0)) {
      closeSync(handle);
      if (!written) rmSync(path, { force: true });
    }
  };
  for (const path of [environment, key]) {
    try {
      opened.push({ path, handle: openSync(path, 'wx', 0o600) });
    } catch (cause) {
      release();
      if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
      throw new PorticoError('FILE_EXISTS', `${path} exists and is not overwritten`, {
        blame: 'user',
        hint: 'Move it away, or run this in another directory.',
        cause,
      });
    }
  }
  return {
    environment,
    key,
    write(app, host) {
      const [env, pem] = opened;
      if (env === undefined || pem === undefined) return;
      // The key first: it is given once.
      writeSync(pem.handle, app.pem);
      writeSync(env.handle, environmentText(app, key, host));
      written = true;
    },
    [Symbol.dispose]: release,
  };
}

function environmentText(
  app: NewApp,
  key: string,
  { name, protocol }: { readonly name: string | undefined; readonly protocol: string },
): string {
  const secret = app.webhook_secret ?? '';
  return [
    '# Secrets of the GitHub App. portico serve reads this file in the directory in which it is started.',
    `APP_ID=${app.id}`,
    `PRIVATE_KEY_PATH=${quoted(key)}`,
    `WEBHOOK_SECRET=${quoted(secret === '' ? randomBytes(24).toString('hex') : secret)}`,
    `SEAL_KEYS=${randomBytes(32).toString('hex')}`,
    ...(name === undefined ? [] : [`GHE_HOST=${name}`]),
    ...(protocol === 'https' ? [] : [`GHE_PROTOCOL=${protocol}`]),
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return /^[\w./:-]*$/.test(text) ? text : `'${text}'`;
}
