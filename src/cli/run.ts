import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { readOneShotEnvironment } from '../config/one-shot-environment.ts';
import { PorticoError } from '../error.ts';
import { runOnce, type OneShotReport } from '../one-shot.ts';
import { counted } from '../text/counted.ts';
import { readGivenEvent, saysOnlyWhen, type GivenEvent } from '../webhook/given-event.ts';
import { EXIT, usageError } from './exit-code.ts';
import type { Call } from './verb.ts';

/** Bytes: GitHub sends no larger webhook. */
const MAX_PAYLOAD = 25 * 1024 * 1024;
const MINUTES = 30;
const MAX_MINUTES = 360;

/** What the token of a workflow cannot do; said at each run, since nothing else would tell. */
const WORKFLOW_TOKEN_LIMITS: readonly string[] = [
  "The workflow's token speaks, for this repository alone:",
  '- What it pushes and opens starts no workflows: CI does not run on updates and rendered commits by itself.',
  '- It cannot approve, and opens pull requests only if the repository lets Actions create them.',
  '- It reads no teams: rules that name a team let no one pass.',
  '- Everyone who may push can write checks with such a token. For approvals that hold against them, use an App.',
];

/** `portico run`: what the server does, once, without a server. */
export async function run(call: Call): Promise<number> {
  const { terminal } = call;
  const event = readEvent(call);
  const minutes = minutesOf(call);
  using directory = dataDirectory();
  const read = readOneShotEnvironment(process.env, { read: (path) => readFileSync(path, 'utf8') });
  const environment = {
    ...read,
    dataDirectory: directory.path,
    dashboardSeconds: read.dashboardSeconds ?? 0,
  };
  if (environment.workflow !== undefined) for (const line of WORKFLOW_TOKEN_LIMITS) terminal.say(line);
  const time = AbortSignal.timeout(minutes * 60_000);
  const report = await runOnce({ environment, event, signal: AbortSignal.any([call.signal, time]) });
  call.signal.throwIfAborted();
  if (terminal.json) terminal.document(report);
  else terminal.print(textOf(report));
  return report.failed.length === 0 && report.complete ? EXIT.ok : EXIT.failed;
}

/** Null: everything is looked at. */
function readEvent(call: Call): GivenEvent | null {
  const name = call.text('event');
  const file = call.text('payload');
  if (call.has('sweep') === (name !== undefined) || (file !== undefined && name === undefined)) {
    throw usageError('portico run takes --sweep, or --event with --payload', 'See: portico run --help');
  }
  if (name === undefined || saysOnlyWhen(name)) return null;
  if (file === undefined) {
    throw usageError(`--event ${name} needs --payload`, 'Name the file with the body of the webhook.');
  }
  const path = call.path(file);
  if (statSync(path).size > MAX_PAYLOAD) {
    throw new PorticoError('EVENT_UNREADABLE', `${file} is larger than 25 MiB`, {
      blame: 'user',
      hint: 'No webhook of GitHub is so large; give the body of the webhook as it was sent.',
    });
  }
  return readGivenEvent(name, readFileSync(path, 'utf8'));
}

function minutesOf(call: Call): number {
  const minutes = Number(call.text('minutes') ?? MINUTES);
  if (Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_MINUTES) return minutes;
  throw usageError(`--minutes must be a whole number from 1 to ${MAX_MINUTES}`, 'See: portico run --help');
}

/** PORTICO_DATA where it is set, so that mirrors are kept from run to run; else one that goes with the run. */
function dataDirectory(): Disposable & { readonly path: string } {
  const named = process.env['PORTICO_DATA'] ?? '';
  if (named !== '') return { path: named, [Symbol.dispose]: () => {} };
  const path = mkdtempSync(join(tmpdir(), 'portico-run-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** What a run came to, for people. */
function textOf({ rounds, changed, waiting, failed, complete }: OneShotReport): string {
  return [
    ...failed.map(({ job, code, message }) => `Failed: ${job}: ${message} (${code})`),
    changed.length === 0
      ? 'Everything is as it should be; nothing was changed.'
      : `Changed: ${changed.join(', ')}; ${counted(rounds, 'round')}.`,
    ...(waiting === 0
      ? []
      : [`${counted(waiting, 'job')} for a later time; the next run finds what they are about.`]),
    ...(complete ? [] : ['The run ended before all was done: run it again, or give it more --minutes.']),
  ].join('\n');
}
