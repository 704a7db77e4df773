/**
 * Structured logs: one JSON document a line (or one line of text for a person at a terminal). Every line passes the
 * scrubber as a whole, after it was serialised, so that no field, message or stack can carry a secret past it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { inspect } from 'node:util';

import { pino, type DestinationStream, type Logger } from 'pino';

import { scrubSecrets } from '../text/secrets.ts';
import { VERSION } from '../version.ts';
import { createRepeats } from './repeats.ts';

export type Log = Logger;
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent';

export interface LogOptions {
  readonly level?: LogLevel;
  /** `text` is for people and never parsed by a program; `json` when absent. */
  readonly format?: 'json' | 'text';
  /** Literal secrets (webhook secret, private key) that no pattern can know; shorter than six characters are ignored. */
  readonly secrets?: readonly string[];
  /** Called with the error of each warning and error, also of lines that are left out. */
  readonly onError?: (error: unknown) => void;
  /** Where lines go; standard error when absent, because standard output belongs to `--json` documents. */
  readonly stream?: DestinationStream;
}

/** Fields of every line that a piece of work logs, however deep. */
type WorkFields = Readonly<Record<string, string | number>>;

const work = new AsyncLocalStorage<WorkFields>();

/** Does something, and gives each line that it logs these fields. A line's own fields have priority. */
export function logWith<Result>(fields: WorkFields, task: () => Result): Result {
  return work.run({ ...work.getStore(), ...fields }, task);
}

/** The fields of the work that calls this. */
export function workFields(): WorkFields {
  return work.getStore() ?? {};
}

/**
 * The logger of the process. Every line names the version, and what the work is about that logs it (`logWith`). Of a warning or an error that
 * repeats, one line a minute is written, with the number of lines that were left out.
 * Errors belong under `err`; of an error only name, message, code, hint, blame, status, stack and causes are written,
 * never the request or the response that a client hung on it.
 */
export function createLog(options: LogOptions = {}): Log {
  const scrub = createScrubber(options.secrets);
  const text = options.format === 'text';
  const repeats = createRepeats(workFields);
  return pino(
    {
      level: options.level ?? 'info',
      base: { version: VERSION },
      // A copy: pino writes the fields of the line into it.
      mixin: () => ({ ...workFields() }),
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError, error: describeError },
      hooks: {
        streamWrite: (line) => scrub(text ? textLine(line) : line),
        logMethod(args, method, level) {
          const write = (given: readonly unknown[]): void => {
            method.apply(this, given as typeof args);
          };
          if (level < WARN) return write(args);
          const [fields] = args as readonly unknown[];
          if (typeof fields === 'object' && fields !== null && 'err' in fields) options.onError?.(fields.err);
          repeats.write(args, write);
        },
      },
    },
    options.stream ?? pino.destination({ fd: 2, sync: true }),
  );
}

/** pino's number for `warn`. */
const WARN = 40;

/** GitHub's token prefixes: https://docs.github.com/en/authentication/keeping-your-account-and-data-secure/about-authentication-to-github */
const PREFIXES = ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'];
const MASK = '***';

/** What a line needs beside the forge's patterns: a key that was cut off ends with its JSON string, and base64 hides a prefix. */
const PATTERNS: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?="|$))/g,
];
const BASE64 = /[A-Za-z0-9+/]+=*/g;
const HIDDEN = new RegExp(`(?:${PREFIXES.flatMap(base64Cores).join('|')})[A-Za-z0-9+/]{6}`);

/** Returns a function that replaces every secret in a text: the given ones, their base64, and all that looks like one. */
export function createScrubber(secrets: readonly string[] = []): (text: string) => string {
  const literal = secrets
    .filter((secret) => secret.length >= 6)
    .flatMap((secret) => [
      secret,
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('base64'),
    ]);
  const known = [...new Set(literal)].sort((a, b) => b.length - a.length);
  return (text) => {
    let clean = text;
    for (const secret of known) clean = clean.replaceAll(secret, MASK);
    for (const pattern of PATTERNS) clean = clean.replace(pattern, MASK);
    // Whole words are looked at once: an expression for it all would begin anew at each character.
    clean = clean.replace(BASE64, (word) => (HIDDEN.test(word) ? MASK : word));
    return scrubSecrets(clean);
  };
}

/** The base64 characters that a prefix always produces, for each of the three positions that it can have in a group of three bytes. */
function base64Cores(prefix: string): string[] {
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('\0'.repeat(offset) + prefix).toString('base64');
    const bits = (offset + prefix.length) * 8;
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(bits / 6)).replaceAll('+', '\\+');
  });
}

function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : describeObject(error);
  const extra = error as Error &
    Partial<Record<'code' | 'hint' | 'blame' | 'status' | 'retryAfter', unknown>>;
  return {
    type: error.name,
    message: error.message,
    code: extra.code,
    hint: extra.hint,
    blame: extra.blame,
    status: extra.status,
    retryAfter: extra.retryAfter,
    stack: error.stack,
    cause: error.cause === undefined || depth >= 3 ? undefined : describeError(error.cause, depth + 1),
  };
}

/** Libraries report copies of errors, which are plain objects. */
function describeObject(error: unknown): Record<string, unknown> {
  const { message, code, stack } = (error ?? {}) as Readonly<Record<string, unknown>>;
  return { message: typeof message === 'string' ? message : inspect(error, { depth: 1 }), code, stack };
}

function textLine(line: string): string {
  const { level, time, msg, err, version: _, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const pairs = Object.entries(fields).map(
    ([name, value]) => `${name}=${onOneLine(typeof value === 'string' ? value : JSON.stringify(value))}`,
  );
  const failure = err as { message?: string; hint?: string; stack?: string } | undefined;
  const lines = [
    [
      String(time).slice(11, 19),
      String(level).toUpperCase().padEnd(5),
      onOneLine(String(msg)),
      ...pairs,
    ].join(' '),
  ];
  if (failure !== undefined) {
    const text = failure.stack ?? failure.message ?? JSON.stringify(failure);
    lines.push(...text.split('\n').map((part) => `  ${onOneLine(part)}`));
  }
  if (failure?.hint !== undefined) lines.push(`  ${onOneLine(failure.hint)}`);
  return `${lines.join('\n')}\n`;
}

/** Text of others makes no line that looks like one of ours, and tells the terminal nothing. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
}
