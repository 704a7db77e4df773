/** The environment of the server, checked once and typed: Probot's names where Probot has one. */
import { PorticoError } from '../error.ts';
import { addressesOf, hasNoLimits } from './addresses.ts';
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
import { variables } from './environment-variables.ts';

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

/** Variables that mean the same where the forge is in the same process. */
const LOCAL = [
  'SWEEP_MINUTES',
  'SOURCE_MINUTES',
  'DASHBOARD_SECONDS',
  'INSIDE_HOSTS',
  'GATE_HOSTS',
  'NOTIFY_URL',
  'NOTIFY_SECRET',
  'NOTIFY_FORMAT',
  'PORTICO_CREDENTIALS',
];

export type LocalSettings = Pick<
  Settings,
  | 'sweepMinutes'
  | 'sourceMinutes'
  | 'dashboardSeconds'
  | 'insideHosts'
  | 'gateHosts'
  | 'notify'
  | 'credentialsFile'
>;

/**
 * What `portico dev` obeys of the environment; the rest of it belongs to a server.
 * @throws PorticoError CONFIG_ENVIRONMENT
 */
export function readLocalSettings(env: Variables, files: EnvironmentFiles): LocalSettings {
  const given = Object.fromEntries(LOCAL.map((name) => [name, env[name]]));
  const { sweepMinutes, sourceMinutes, dashboardSeconds, insideHosts, gateHosts, notify, credentialsFile } =
    readSettings(given, files, 'workflow', []);
  return {
    sweepMinutes,
    ...(sourceMinutes !== undefined && { sourceMinutes }),
    dashboardSeconds,
    insideHosts,
    ...(gateHosts !== undefined && { gateHosts }),
    notify,
    credentialsFile,
  };
}

/** The largest values, in place of GitHub's documented limits. */
const NO_LIMITS = { CONTENT_PER_MINUTE: '10000', CONTENT_PER_HOUR: '100000', POINTS_PER_MINUTE: '10000000' };

function readSettings(
  env: Variables,
  files: EnvironmentFiles,
  use: Use,
  keyFaults: readonly string[],
): Settings {
  const given = Object.entries(env).filter(
    ([name, value]) => value !== '' || name.startsWith('WEBHOOK_SECRET'),
  );
  const limits = hasNoLimits(env['GHE_HOST'] ?? '') ? NO_LIMITS : {};
  const parsed = BY_USE[use].safeParse({ ...limits, ...Object.fromEntries(given) });
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
