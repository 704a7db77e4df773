/** Variables of the server, by name: their form and their defaults. What they mean is in environment-table.ts. */
import { z } from 'zod';

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

/** Each variable that the server is configured by, as it must be; an absent one has its default. */
export const variables = z.object({
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
