/** The environment of the server, checked once and typed: Probot's names where Probot has one. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { addressesOf } from './addresses.ts';
import {
  readCredentialsFile,
  readEither,
  readPreviousKeys,
  readPrivateKey,
  readSealKeys,
  type CredentialsFile,
  type EnvironmentFiles,
  type Variables,
} from './environment-files.ts';

/** An App speaks. */
export interface Environment extends Settings {
  /** PEM. */
  readonly privateKey: string;
  readonly workflow?: undefined;
}

/** The token of a workflow speaks, for one repository. */
export interface WorkflowEnvironment extends Settings {
  readonly privateKey?: undefined;
  readonly workflow: { readonly token: string; readonly repository: string };
}

export interface Settings {
  /** Of GitHub Actions where a workflow's token speaks. */
  readonly appId: number;
  /** Secrets that records on the forge are sealed with, newest first. Without any, the private key seals. */
  readonly sealKeys?: readonly string[];
  /** PEM of private keys that the App had before: what they sealed still counts. */
  readonly previousPrivateKeys?: readonly string[];
  /** The current secret first, then the previous one while a rotation lasts. */
  readonly webhookSecrets: readonly string[];
  /** The channel of a relay that webhooks come by, too; see intake/relay.ts. */
  readonly relayUrl?: string | undefined;
  /** API base address; see `addressesOf`. */
  readonly apiUrl: string;
  /** Base address of repositories and pages, `https://github.com` or `https://HOST`. */
  readonly gitUrl: string;
  /** Who makes commits and tags, in the place of the App's bot. */
  readonly committer?: { readonly name: string; readonly email: string } | undefined;
  /** An SSH key that signs commits and tags of `committer`, whose account has it as a signing key. */
  readonly signingKey?: string | undefined;
  readonly port: number;
  readonly host: string;
  /** Addresses and networks of proxies before the server that say truly whom they heard from. */
  readonly trustedProxies?: readonly string[];
  readonly databaseUrl: string | undefined;
  /** Where mirrors and the embedded database live. */
  readonly dataDirectory: string;
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';
  readonly logFormat: 'json' | 'text' | 'auto';
  readonly contentPerMinute: number;
  readonly contentPerHour: number;
  /** Points of calls that an installation may spend in a minute: a read is one, a write five. Default: 900. */
  readonly pointsPerMinute?: number;
  readonly sweepMinutes: number;
  /** How long is believed what an address of a source leads to. Default: 15 minutes, or a little less than a sweep. */
  readonly sourceMinutes?: number;
  /** What pauses between tries of one call of the forge are counted in, in milliseconds; absent: 500. */
  readonly retryMs?: number;
  /** How long a dashboard waits for more news; absent: 30 seconds, and a new one hardly at all. */
  readonly dashboardSeconds?: number | undefined;
  /** How long CI is given to begin before an update merges itself. Default: 60 seconds. */
  readonly settleSeconds?: number;
  /** What is kept of one repository outside of the installations, in MB. Default: 500. */
  readonly outsideMegabytes?: number;
  /** Hosts of one's own network that addresses of others may lead to, as `INSIDE_HOSTS` has them. */
  readonly insideHosts?: string | undefined;
  /** Hosts that gates of rollouts may ask, see bot/url-gate.ts. */
  readonly gateHosts?: readonly string[];
  /** Where it is told what happened to rollouts, see bot/notifier.ts; an address may hold a secret. */
  readonly notify?:
    | { readonly url: string; readonly secret: string | undefined; readonly format: 'json' | 'slack' }
    | undefined;
  /** The file of credentials that repositories say by name. */
  readonly credentialsFile?: CredentialsFile | undefined;
  /** Whether `/metrics` answers. */
  readonly metrics: boolean;
  /** Whether `/api/v1/` answers. Default: it does. */
  readonly api?: boolean;
  /** Where OpenTelemetry traces go; undefined: nowhere. */
  readonly tracesTo?: string | undefined;
}

/** What no one may use: Probot falls back to it when no secret is set, so everybody knows it. */
const DEFAULT_SECRET = 'development';

const integer = (low: number, high: number, absent: number) =>
  z
    .string()
    .regex(/^[0-9]{1,9}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= low && value <= high, `must be from ${low} to ${high}`)
    .default(absent);

const secret = z
  .string('is missing; set it to the secret of the App, a long random text')
  .refine((value) => value.trim() !== '', 'is empty')
  .refine(
    (value) => value.trim() !== DEFAULT_SECRET,
    `must not be "${DEFAULT_SECRET}", which is publicly known`,
  );

/** `host` or `host:port`, and nothing that would change the address that it is put into. */
const HOST_NAME = /^[A-Za-z0-9.-]+(?::[0-9]{1,5})?$/;

/** A host that gates of all accounts may ask, or of one: `acme/prometheus.example.com`. */
const GATE_HOST = /^(?:[A-Za-z0-9_-]{1,100}\/)?[A-Za-z0-9.-]+(?::[0-9]{1,5})?$/;

/** An address, or a network such as `10.0.0.0/8`. */
const network = z.union(
  [z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()],
  'must be addresses or networks such as 10.0.0.0/8, separated by commas',
);

/** What is kept of one repository outside of the installations, where nothing else is said. */
export const OUTSIDE_MEGABYTES = 500;

const variables = z.object({
  APP_ID: z
    .string("is missing; the App's settings page shows it")
    .regex(/^[1-9][0-9]{0,14}$/, "must be the number that the App's settings page shows")
    .transform(Number),
  SEAL_KEYS: z.string().optional(),
  SEAL_KEYS_PATH: z.string().optional(),
  PRIVATE_KEY_PREVIOUS: z.string().optional(),
  PRIVATE_KEY_PREVIOUS_PATH: z.string().optional(),
  WEBHOOK_SECRET: secret,
  WEBHOOK_SECRET_PREVIOUS: secret.optional(),
  WEBHOOK_PROXY_URL: z
    .string()
    .regex(/^https?:\/\/[^\s@]+$/, 'must be the address of a channel, such as https://smee.io/…')
    .optional(),
  GHE_HOST: z
    .string()
    .regex(HOST_NAME, 'must be a host name, with a port if need be, and no path')
    .optional(),
  COMMITTER: z
    .string()
    .regex(
      /^[^<>\n]{1,100} <[^<>\s]{1,100}@[^<>\s]{1,100}>$/,
      'must be a name and an address: Name <address@host>',
    )
    .transform((text) => {
      const [name = '', rest = ''] = text.split(' <');
      return { name: name.trim(), email: rest.slice(0, -1) };
    })
    .optional(),
  GHE_PROTOCOL: z.enum(['https', 'http'], 'must be https or http').default('https'),
  PORT: integer(0, 65_535, 3000),
  HOST: z.string().default('0.0.0.0'),
  TRUSTED_PROXIES: z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim()))
    .pipe(z.array(network))
    .default([]),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(?:ql)?:\/\//, 'must begin with postgres:// or postgresql://')
    .optional(),
  PORTICO_DATA: z.string().default('./data'),
  LOG_LEVEL: z
    .enum(
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
      'must be trace, debug, info, warn, error, fatal or silent',
    )
    .default('info'),
  LOG_FORMAT: z.enum(['json', 'text', 'auto'], 'must be json, text or auto').default('auto'),
  CONTENT_PER_MINUTE: integer(1, 10_000, 80),
  CONTENT_PER_HOUR: integer(1, 100_000, 500),
  POINTS_PER_MINUTE: integer(10, 10_000_000, 900),
  SWEEP_MINUTES: integer(1, 1_440, 15),
  SOURCE_MINUTES: integer(0, 10_080, 0),
  FORGE_RETRY_MS: integer(1, 10_000, 500),
  DASHBOARD_SECONDS: z
    .string()
    .regex(/^[0-9]{1,4}$/, 'must be a whole number of seconds, 9999 at most')
    .transform(Number)
    .optional(),
  AUTOMERGE_SETTLE_SECONDS: integer(0, 86_400, 60),
  OUTSIDE_MAX_MB: integer(1, 100_000, OUTSIDE_MEGABYTES),
  INSIDE_HOSTS: z.string().optional(),
  GATE_HOSTS: z
    .string()
    .transform((list) => list.split(',').map((one) => one.trim()))
    .pipe(
      z.array(
        z
          .string()
          .regex(GATE_HOST, 'must be host names, each with an account before it if need be: acme/host, host'),
      ),
    )
    .default([]),
  NOTIFY_URL: z
    .string()
    .refine(
      (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
      'must be the https address of a webhook',
    )
    .optional(),
  NOTIFY_SECRET: secret.optional(),
  NOTIFY_FORMAT: z.enum(['json', 'slack'], 'must be json or slack').default('json'),
  METRICS: z.enum(['on', 'off'], 'must be on or off').default('on'),
  API: z.enum(['on', 'off'], 'must be on or off').default('on'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .regex(/^https?:\/\/[^\s@]+$/, 'must be the http or https address of a collector')
    .optional(),
});

/** Only a server hears webhooks, and a workflow's token needs no App. */
const BY_USE = {
  server: variables,
  once: variables.partial({ WEBHOOK_SECRET: true }),
  workflow: variables.partial({ WEBHOOK_SECRET: true, APP_ID: true }),
};

/** The App of GitHub Actions on github.com. */
const ACTIONS_APP_ID = 15_368;

type Use = keyof typeof BY_USE;

/**
 * Reads the environment of `portico serve`, or of one run that hears no webhooks. An empty variable counts as absent, except a secret.
 * @throws PorticoError CONFIG_ENVIRONMENT that names every variable that is missing or wrong, one a line, never its value.
 */
export function readEnvironment(
  env: Variables,
  files: EnvironmentFiles,
  use: Exclude<Use, 'workflow'> = 'server',
): Environment {
  const key = readPrivateKey(env, files);
  const settings = readSettings(env, files, use, 'fault' in key ? [key.fault] : []);
  return { ...settings, privateKey: 'pem' in key ? key.pem : '' };
}

/**
 * The same for a workflow's token, which needs keys of its own to tell Portico's records.
 * @throws PorticoError CONFIG_ENVIRONMENT
 */
export function readWorkflowEnvironment(
  env: Variables,
  files: EnvironmentFiles,
  workflow: WorkflowEnvironment['workflow'],
): WorkflowEnvironment {
  const settings = readSettings(env, files, 'workflow', []);
  if ((settings.sealKeys ?? []).length > 0) return { ...settings, workflow };
  throw new PorticoError('CONFIG_ENVIRONMENT', 'the environment is not complete:\nSEAL_KEYS is missing', {
    blame: 'user',
    hint: "Without an App's key, only SEAL_KEYS tell Portico's own records. Make one with: openssl rand -hex 32",
  });
}

function readSettings(
  env: Variables,
  files: EnvironmentFiles,
  use: Use,
  keyFaults: readonly string[],
): Settings {
  const given = Object.entries(env).filter(
    ([name, value]) => value !== '' || name.startsWith('WEBHOOK_SECRET'),
  );
  const parsed = BY_USE[use].safeParse(Object.fromEntries(given));
  const previous = readPreviousKeys(env, files);
  const seals = readSealKeys(env, files);
  const signing = readEither(env, files, ['SIGNING_KEY', 'SIGNING_KEY_PATH']);
  const held = readCredentialsFile(env, files);
  const faults = (parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);
  faults.push(...keyFaults);
  for (const read of [previous, seals, signing, held]) if ('fault' in read) faults.push(read.fault);
  const signs = 'text' in signing && signing.text.trim() !== '';
  if (signs && (env['COMMITTER'] ?? '') === '')
    faults.push('COMMITTER is missing: SIGNING_KEY signs for the account with that address');
  if (!parsed.success || 'fault' in previous || 'fault' in seals || faults.length > 0) {
    throw new PorticoError('CONFIG_ENVIRONMENT', `the environment is not complete:\n${faults.join('\n')}`, {
      blame: 'user',
      hint: `Set ${[...new Set(faults.map((fault) => fault.split(' ', 1)[0]))].join(', ')} and start again.`,
    });
  }
  const { data } = parsed;
  return {
    appId: data.APP_ID ?? ACTIONS_APP_ID,
    sealKeys: seals.keys,
    previousPrivateKeys: previous.pems,
    webhookSecrets: [data.WEBHOOK_SECRET, data.WEBHOOK_SECRET_PREVIOUS].filter((one) => one !== undefined),
    relayUrl: data.WEBHOOK_PROXY_URL,
    ...addressesOf(data.GHE_PROTOCOL, data.GHE_HOST),
    committer: data.COMMITTER,
    signingKey: signs ? signing.text : undefined,
    port: data.PORT,
    host: data.HOST,
    trustedProxies: data.TRUSTED_PROXIES,
    databaseUrl: data.DATABASE_URL,
    dataDirectory: data.PORTICO_DATA,
    logLevel: data.LOG_LEVEL,
    logFormat: data.LOG_FORMAT,
    contentPerMinute: data.CONTENT_PER_MINUTE,
    contentPerHour: data.CONTENT_PER_HOUR,
    pointsPerMinute: data.POINTS_PER_MINUTE,
    sweepMinutes: data.SWEEP_MINUTES,
    ...(data.SOURCE_MINUTES > 0 && { sourceMinutes: data.SOURCE_MINUTES }),
    retryMs: data.FORGE_RETRY_MS,
    dashboardSeconds: data.DASHBOARD_SECONDS,
    settleSeconds: data.AUTOMERGE_SETTLE_SECONDS,
    outsideMegabytes: data.OUTSIDE_MAX_MB,
    insideHosts: data.INSIDE_HOSTS,
    gateHosts: data.GATE_HOSTS,
    notify:
      data.NOTIFY_URL === undefined
        ? undefined
        : { url: data.NOTIFY_URL, secret: data.NOTIFY_SECRET, format: data.NOTIFY_FORMAT },
    credentialsFile: 'fault' in held ? undefined : held.file,
    metrics: data.METRICS === 'on',
    api: data.API === 'on',
    tracesTo: data.OTEL_EXPORTER_OTLP_ENDPOINT,
  };
}
