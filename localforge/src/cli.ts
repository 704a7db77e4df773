#!/usr/bin/env node
/** `localforge`: the forge from a shell. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { parse } from 'yaml';

import { HELP, readCommandLine, seededConfig, type Start } from './cli-options.ts';
import { parseForgeConfig, type ForgeConfig } from './config.ts';
import { ForgeError } from './error.ts';
import { startForge, type LocalForge } from './forge.ts';

const EXIT = { usage: 64, input: 65 } as const;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const line = readCommandLine(args);
  switch (line.kind) {
    case 'help':
      process.stdout.write(`${HELP}\n`);
      return 0;
    case 'version':
      process.stdout.write(`${version()}\n`);
      return 0;
    case 'wrong':
      return fail(
        { code: 'USAGE', message: line.message, hint: 'See: localforge --help' },
        line.json,
        EXIT.usage,
      );
    case 'start':
      try {
        await serve(line);
        return 0;
      } catch (error) {
        if (!(error instanceof ForgeError)) throw error;
        return fail(error, line.json, EXIT.input);
      }
  }
}

/** Until the first SIGINT or SIGTERM. */
async function serve(start: Start): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop.abort());
  const config = start.configFile === undefined ? {} : readConfig(start.configFile);
  const seeded = seededConfig(config, {
    ...start,
    // Folders of the command line are relative to the shell, those of the file to the file.
    repositories: start.repositories.map((one) => ({
      ...one,
      ...(one.from !== undefined && { from: place(one.from) }),
    })),
  });
  await using forge = await startForge({
    config: seeded,
    configDirectory: start.configFile === undefined ? process.cwd() : dirname(resolve(start.configFile)),
    port: start.port,
    realistic: start.realistic,
    apiOrigin: start.ownApiOrigin ? 'own' : 'same',
    log: (message, detail) =>
      process.stderr.write(`${message} ${detail === undefined ? '' : JSON.stringify(detail)}\n`),
    ...(start.host !== undefined && { host: start.host }),
    ...(start.name !== undefined && { name: start.name }),
    ...(start.dataDir !== undefined && { dataDir: resolve(start.dataDir) }),
    ...(start.manifestFile !== undefined && { manifestFile: start.manifestFile }),
  });
  if (start.webhookUrl !== undefined) forge.setAppWebhookUrl(start.webhookUrl);
  const ready = describe(forge, seeded, start.webhookUrl);
  process.stdout.write(start.json ? `${JSON.stringify(ready)}\n` : asText(ready));
  if (!stop.signal.aborted) await once(stop.signal, 'abort');
}

function place(from: string): string {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(from) ? from : resolve(from);
}

function readConfig(file: string): ForgeConfig {
  let value: unknown;
  try {
    value = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new ForgeError('FORGE_CONFIG', `cannot read ${file}`, {
      hint: 'It must be YAML or JSON with tokens, users, orgs, repos and app.',
      cause,
    });
  }
  return parseForgeConfig(value);
}

interface Ready {
  readonly event: 'ready';
  readonly web: string;
  readonly api: string;
  readonly graphql: string;
  readonly git: string;
  readonly app: {
    readonly id: number;
    readonly slug: string;
    readonly clientId: string;
    readonly privateKeyFile: string;
    readonly webhookSecretFile: string;
    readonly webhookSecret: string;
    readonly webhookUrl: string | null;
  };
  readonly installations: readonly { readonly id: number; readonly account: string }[];
  readonly tokens: Readonly<Record<string, string>>;
  readonly repositories: readonly { readonly name: string; readonly clone: string }[];
}

/** What whoever points an App at the forge has to know. Tokens are told of as far as this start named them. */
function describe(forge: LocalForge, config: ForgeConfig, webhookUrl: string | undefined): Ready {
  const { records, urls } = forge.context;
  const { id, slug, clientId, privateKeyFile, webhookSecretFile, webhookSecret } = forge.app;
  return {
    event: 'ready',
    web: forge.url,
    api: forge.apiUrl,
    graphql: `${forge.apiUrl.replace(/\/v3$/, '')}/graphql`,
    git: forge.gitUrl,
    app: {
      id,
      slug,
      clientId,
      privateKeyFile,
      webhookSecretFile,
      webhookSecret,
      webhookUrl: webhookUrl ?? null,
    },
    installations: records.installations
      .all()
      .map((one) => ({ id: one.id, account: records.account(one.accountId).login })),
    tokens: Object.fromEntries(
      Object.entries(config.tokens ?? {}).map(([token, { login }]) => [token, login]),
    ),
    repositories: records.repositories
      .all()
      .map((one) => ({ name: urls.fullName(one), clone: `${forge.gitUrl}/${urls.fullName(one)}.git` })),
  };
}

function asText({ web, api, graphql, git, app, installations, tokens, repositories }: Ready): string {
  const rows: readonly (readonly [string, string])[] = [
    ['pages', `${web} (a click on a name signs in)`],
    ['REST', api],
    ['GraphQL', graphql],
    ['git', `${git}/OWNER/NAME.git`],
    ['App', `id ${app.id}, slug ${app.slug}, client id ${app.clientId}`],
    ['private key', app.privateKeyFile],
    ['webhook secret', `${app.webhookSecret} (${app.webhookSecretFile})`],
    ['webhooks', app.webhookUrl ?? 'go nowhere: see --webhook'],
    ...installations.map(({ id, account }) => ['installation', `${id}, on ${account}`] as const),
    ...Object.entries(tokens).map(([token, login]) => ['token', `${token}, of ${login}`] as const),
    ...repositories.map(({ clone }) => ['repository', clone] as const),
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(15)} ${value}\n`);
  return `The local forge is ready at ${web}\n\n${lines.join('')}\nStop it with Ctrl+C.\n`;
}

function fail(
  {
    code,
    message,
    hint,
  }: { readonly code: string; readonly message: string; readonly hint: string | undefined },
  json: boolean,
  exit: number,
): number {
  process.stderr.write(`error: ${message}\n${hint === undefined ? '' : `${hint}\n`}`);
  if (json) process.stdout.write(`${JSON.stringify({ error: { code, message, hint } })}\n`);
  return exit;
}

function version(): string {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    readonly version: string;
  };
  return manifest.version;
}
