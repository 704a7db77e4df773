/** The command line of `localforge`: what is typed, as values. */
import { parseArgs } from 'node:util';

import type { ForgeConfig } from './config.ts';

export const HELP = `Usage: localforge [options]

A local GitHub for authors of GitHub Apps: REST, GraphQL, git over HTTP, webhooks and pages in one process. When it is
ready, it prints its addresses, and it serves until it is stopped.

  --repo OWNER/NAME[=FROM]  a repository, with the App installed on its owner; FROM is a directory of files or a git
                            repository (directory, bundle or address) with its content. May be repeated
  --private                 the repositories of --repo are private
  --user LOGIN              a user, whose token is LOGIN-token (default: alice). May be repeated; users own the
                            organizations of --repo
  --config FILE             further configuration in YAML or JSON: tokens, users, orgs, repos, app
  --manifest FILE           the manifest of your App: name, default_permissions, default_events
  --webhook URL             address for the App's webhooks (default: none)
  --port N                  the port (default: 0, a free port)
  --host HOST               the address to listen on (default: 127.0.0.1)
  --name NAME               the host name in its addresses, if others reach it by another name (with --host 0.0.0.0)
  --data DIR                directory for all data, which is reused if it exists (default: a temporary directory)
  --own-api-origin          serve the API on its own origin, as on github.com (default: below /api/v3)
  --realistic               be slow, inconsistent and briefly unavailable, as GitHub can be
  --seed N                  seed of the random behaviour of --realistic (default: 1)
  --json                    print one line of JSON when ready
  --help, --version

Exit code: 0 when stopped by a signal, 64 for wrong usage, 65 if it cannot start.
Example: localforge --repo acme/web=./my-files --webhook http://127.0.0.1:3000/api/github/webhooks`;

/** A repository to make, as `--repo` names it. */
export interface SeededRepository {
  readonly owner: string;
  readonly name: string;
  readonly from?: string;
}

export interface Start {
  readonly kind: 'start';
  readonly users: readonly string[];
  readonly repositories: readonly SeededRepository[];
  readonly isPrivate: boolean;
  readonly configFile: string | undefined;
  readonly manifestFile: string | undefined;
  readonly webhookUrl: string | undefined;
  readonly port: number;
  readonly host: string | undefined;
  readonly name: string | undefined;
  readonly dataDir: string | undefined;
  readonly ownApiOrigin: boolean;
  /** The seed; false: not realistic. */
  readonly realistic: number | false;
  readonly json: boolean;
}

export type CommandLine =
  | Start
  | { readonly kind: 'help' | 'version' }
  | { readonly kind: 'wrong'; readonly message: string; readonly json: boolean };

const OPTIONS = {
  repo: { type: 'string', multiple: true },
  private: { type: 'boolean' },
  user: { type: 'string', multiple: true },
  config: { type: 'string' },
  manifest: { type: 'string' },
  webhook: { type: 'string' },
  port: { type: 'string' },
  host: { type: 'string' },
  name: { type: 'string' },
  data: { type: 'string' },
  'own-api-origin': { type: 'boolean' },
  realistic: { type: 'boolean' },
  seed: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const;

/** Reads the arguments after the program's name. */
export function readCommandLine(args: readonly string[]): CommandLine {
  const wrong = (message: string): CommandLine => ({ kind: 'wrong', message, json: args.includes('--json') });
  let values;
  try {
    ({ values } = parseArgs({ args: [...args], options: OPTIONS, strict: true, allowPositionals: false }));
  } catch (error) {
    return wrong((error as Error).message);
  }
  if (values.help === true) return { kind: 'help' };
  if (values.version === true) return { kind: 'version' };
  const port = wholeNumber(values.port ?? '0', 65_535);
  if (port === undefined) return wrong(`--port takes a number from 0 to 65535, not \`${values.port}\``);
  const seed = wholeNumber(values.seed ?? '1', 999_999_999);
  if (seed === undefined)
    return wrong(`--seed takes a whole number of up to nine digits, not \`${values.seed}\``);
  if (values.seed !== undefined && values.realistic !== true) return wrong('--seed needs --realistic');
  if (values.webhook !== undefined && !/^https?:$/.test(URL.parse(values.webhook)?.protocol ?? '')) {
    return wrong(
      `--webhook takes an address such as http://127.0.0.1:3000/webhooks, not \`${values.webhook}\``,
    );
  }
  if (values.name !== undefined && !/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i.test(values.name))
    return wrong(`--name takes a host name such as forge.test, not \`${values.name}\``);
  const repositories: SeededRepository[] = [];
  for (const typed of values.repo ?? []) {
    const repository = readRepository(typed);
    if (repository === undefined)
      return wrong(`--repo takes OWNER/NAME or OWNER/NAME=FROM, not \`${typed}\``);
    repositories.push(repository);
  }
  return {
    kind: 'start',
    users: values.user ?? [],
    repositories,
    isPrivate: values.private ?? false,
    configFile: values.config,
    manifestFile: values.manifest,
    webhookUrl: values.webhook,
    port,
    host: values.host,
    name: values.name,
    dataDir: values.data,
    ownApiOrigin: values['own-api-origin'] ?? false,
    realistic: values.realistic === true && seed,
    json: values.json ?? false,
  };
}

function wholeNumber(text: string, most: number): number | undefined {
  return /^\d{1,9}$/.test(text) && Number(text) <= most ? Number(text) : undefined;
}

function readRepository(typed: string): SeededRepository | undefined {
  const [, owner, name, from] = /^([^/=]+)\/([^/=]+)(?:=(.+))?$/s.exec(typed) ?? [];
  if (owner === undefined || name === undefined) return undefined;
  return { owner, name, ...(from !== undefined && { from }) };
}

/**
 * A configuration with the people and repositories of the command line. Owners that are nobody yet become organizations
 * of all people.
 */
export function seededConfig(
  config: ForgeConfig,
  start: Pick<Start, 'users' | 'repositories' | 'isPrivate'>,
): ForgeConfig {
  const { users = [], tokens = {}, orgs = [], repos = [], app = {} } = config;
  const known = new Set([
    ...users.map(({ login }) => login),
    ...Object.values(tokens).map(({ login }) => login),
    ...orgs.map(({ login }) => login),
  ]);
  const noTokens = Object.keys(tokens).length === 0;
  const people = start.users.length > 0 ? start.users : noTokens ? ['alice'] : [];
  for (const login of people) known.add(login);
  const everybody = [
    ...people,
    ...users.map(({ login }) => login),
    ...Object.values(tokens).map(({ login }) => login),
  ];
  const owners = [...new Set(start.repositories.map(({ owner }) => owner))];
  const installed = new Set((app.installations ?? []).map(({ account }) => account));
  return {
    tokens: { ...tokens, ...Object.fromEntries(people.map((login) => [`${login}-token`, { login }])) },
    users: [...users, ...people.map((login) => ({ login }))],
    orgs: [
      ...orgs,
      ...owners
        .filter((login) => !known.has(login))
        .map((login) => ({
          login,
          members: Object.fromEntries(everybody.map((one) => [one, 'admin' as const])),
        })),
    ],
    repos: [
      ...repos,
      ...start.repositories.map((repository) => ({ ...repository, private: start.isPrivate })),
    ],
    app: {
      ...app,
      installations: [
        ...(app.installations ?? []),
        ...owners.filter((login) => !installed.has(login)).map((account) => ({ account })),
      ],
    },
  };
}
