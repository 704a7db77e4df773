import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

import { parseForgeConfig, type ForgeConfig } from '@portico/localforge/config';
import { parse } from 'yaml';

import { readLocalSettings } from '../config/environment.ts';
import { PorticoError } from '../error.ts';
import { readyText, type DevReady } from './dev-ready.ts';
import { EXIT } from './exit-code.ts';
import { asPorticoError, startLocalPortico } from './local-portico.ts';
import { portOption } from './port.ts';
import { realisticOption } from './realistic.ts';
import { until } from './serve.ts';
import type { Call } from './verb.ts';

/** `portico dev`: GitHub in a box and the bot, until told to stop. When ready it says where. */
export async function dev(call: Call): Promise<number> {
  const configFile = call.text('config');
  const config = configFile === undefined ? undefined : readConfig(call.path(configFile));
  const port = portOption(call) ?? 0;
  await using local = await startLocalPortico({
    dataDir: call.path(call.text('data') ?? '.portico'),
    port,
    ...(config !== undefined && { config }),
    ...(configFile !== undefined && { configDirectory: dirname(call.path(configFile)) }),
    realistic: realisticOption(call),
    logLevel: 'warn',
    settings: readLocalSettings(process.env, { read: (path) => readFileSync(path, 'utf8') }),
  });
  const { forge } = local;
  const ready: DevReady = {
    event: 'ready',
    api: forge.apiUrl,
    git: forge.gitUrl,
    web: forge.url,
    bot: local.webhookUrl,
    app: {
      id: forge.app.id,
      slug: forge.app.slug,
      privateKeyFile: forge.app.privateKeyFile,
      webhookSecretFile: forge.app.webhookSecretFile,
    },
  };
  call.terminal.print(call.terminal.json ? JSON.stringify(ready) : readyText(ready));
  await until(call.signal);
  await local.stop();
  return EXIT.ok;
}

function readConfig(file: string): ForgeConfig {
  try {
    return parseForgeConfig(parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    const known = asPorticoError(cause);
    if (known instanceof PorticoError) throw known;
    throw new PorticoError('FORGE_CONFIG', `cannot read ${file}`, {
      blame: 'user',
      hint: 'It must be YAML with tokens, users, orgs, repos and app.',
      cause,
    });
  }
}
