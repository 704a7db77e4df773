import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readEnvironment } from '../config/environment.ts';
import type { Environment } from '../config/environment.ts';
import { secretsOf } from '../config/secrets.ts';
import { serve } from '../main.ts';
import type { ServeOptions } from '../main.ts';
import { createLog } from '../telemetry/log.ts';
import type { Portico } from '../trial/portico.ts';
import { trialCounts, trialTable } from '../trial/report.ts';
import { ROWS } from '../trial/rows/table.ts';
import { runTrial } from '../trial/run.ts';
import { routeEvent } from '../webhook/route.ts';
import { EXIT, usageError } from './exit-code.ts';
import type { Call } from './verb.ts';

/** `portico trial`: asks a real forge whether it is as Portico assumes. */
export async function trial(call: Call): Promise<number> {
  const { terminal, signal } = call;
  const organization = call.text('organization');
  if (organization === undefined) {
    throw usageError(
      'portico trial needs --organization',
      'Name the account that has the throw-away App installed.',
    );
  }
  const repositories = call.list('repository');
  if (repositories.length !== 0 && new Set(repositories).size !== 2) {
    throw usageError('portico trial needs two repositories, or none', 'Write --repository twice.');
  }
  const only = rowNumbers(call.list('row'));
  const environment = readTrialEnvironment(call);
  const report = await runTrial({
    ...environment,
    organization,
    repositories,
    signal,
    ...(only !== undefined && { only }),
    paceMs: paceOf(call),
    program: porticoFor(environment),
    say: (text) => terminal.say(text),
    onRow: ({ number, belief }, index, of) =>
      terminal.progress(`${index + 1} of ${of}: #${number} ${belief}`),
  });
  terminal.progress('');
  if (terminal.json) terminal.document(report);
  else terminal.print(trialTable(report.rows));
  terminal.say(trialCounts(report.rows));
  const isOtherwise = report.rows.some(({ verdict }) => verdict === 'otherwise');
  return isOtherwise || report.left.length > 0 ? EXIT.failed : EXIT.ok;
}

/** As `portico serve` reads it; options go before variables, and no webhook's secret is needed. */
function readTrialEnvironment(call: Call): Environment {
  const keyFile = call.text('private-key');
  const given = {
    ...process.env,
    ...(call.text('app-id') !== undefined && { APP_ID: call.text('app-id') }),
    ...(keyFile !== undefined && { PRIVATE_KEY: '', PRIVATE_KEY_PATH: call.path(keyFile) }),
    ...(call.text('host') !== undefined && { GHE_HOST: call.text('host') }),
    // Nobody sends webhooks to a trial.
    WEBHOOK_SECRET: randomBytes(32).toString('hex'),
    DATABASE_URL: '',
  };
  return readEnvironment(given, { read: (path) => readFileSync(path, 'utf8') });
}

function rowNumbers(texts: readonly string[]): ReadonlySet<number> | undefined {
  if (texts.length === 0) return undefined;
  if (!texts.every((text) => /^[0-9]{1,3}$/.test(text))) {
    throw usageError('--row must be the number of a row', 'Such as: --row 9 --row 26');
  }
  const there = new Set(ROWS.map(({ number }) => number));
  const missing = texts.find((text) => !there.has(Number(text)));
  if (missing !== undefined) {
    throw usageError(`there is no row ${missing}`, `Rows: ${[...there].join(', ')}`);
  }
  return new Set(texts.map(Number));
}

function paceOf(call: Call): number {
  const text = call.text('pace') ?? '1000';
  if (/^[0-9]{1,5}$/.test(text)) return Number(text);
  throw usageError('--pace must be milliseconds', 'Such as: --pace 2000');
}

/** What whoever starts many servers shares among them. */
export interface Prepared extends Pick<ServeOptions, 'contentPools'> {
  /** Puts a database there. */
  readonly fill?: (store: string) => Promise<void>;
}

/** The server in this process, with a store of its own that is gone afterwards. */
export function porticoFor(environment: Environment, prepared: Prepared = {}): Portico {
  return {
    reads: (event, payload) => routeEvent(event, payload).unreadable === undefined,
    async start(repositories) {
      const ids = new Set(repositories.map(({ id }) => id));
      const directory = await mkdtemp(join(tmpdir(), 'portico-trial-store-'));
      const settings = {
        ...environment,
        databaseUrl: undefined,
        dataDirectory: directory,
        port: 0,
        host: '127.0.0.1',
        // Trials look when they want to, and make no dashboards.
        sweepMinutes: 1_440,
        dashboardSeconds: 9_999,
      };
      const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
      const log = createLog({ level: 'error', format: 'text', secrets: secretsOf(settings) });
      try {
        await prepared.fill?.(join(directory, 'store'));
        const { contentPools } = prepared;
        const server = await serve({
          environment: settings,
          log,
          only: ids,
          ...(contentPools && { contentPools }),
        });
        return {
          async look(signal) {
            await server.bot.sweep();
            await server.idle(signal);
          },
          async [Symbol.asyncDispose]() {
            await server.stop(5_000);
            await remove();
          },
        };
      } catch (error) {
        await remove();
        throw error;
      }
    },
  };
}
