/** Container images as functions: one container for each run, with nothing in it but the image. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Refusal } from '../../error.ts';
import type { PrintedOutput } from '../../package/render/function-runtime.ts';
import { printedBy, refused } from '../sandbox/answer.ts';
import type { Limits } from '../sandbox/limits.ts';
import { heldTooMuch, supervise } from '../sandbox/supervise.ts';
import type { Ended } from '../sandbox/supervise.ts';
import type { EngineSettings } from './settings.ts';

const PULL: Limits = {
  timeoutMs: 300_000,
  outputBytes: 1024 * 1024,
  memoryBytes: Infinity,
  processes: Infinity,
};
const CONTROL: Limits = { ...PULL, timeoutMs: 30_000 };

/** The exit code by which the programs say that they themselves could not do it. */
const NOT_STARTED = new Set([125, 126, 127]);
const KILLED = 137;

/**
 * Runs an image, named with its digest. It is pulled where it is not there, as a step of its own and with a limit of
 * its own; the container itself has no network.
 */
export async function runContainer({
  reference,
  stdin,
  limits,
  settings,
  signal,
}: {
  readonly reference: string;
  readonly stdin: string;
  readonly limits: Limits;
  readonly settings: EngineSettings;
  readonly signal?: AbortSignal | undefined;
}): Promise<PrintedOutput> {
  const absent = await fetchImage(reference, settings, signal);
  if (absent !== undefined) return { output: refused(absent) };
  const name = `portico-function-${randomBytes(8).toString('hex')}`;
  const args = ['run', ...flagsOf(name, limits, settings), reference];
  // Podman's monitor leaves a file `oom` where it was started, when a container ran out of memory.
  const cwd = await mkdtemp(join(tmpdir(), 'portico-container-'));
  const { program, env } = settings;
  let ended: Ended;
  try {
    ended = await supervise(
      { program, args, env, cwd, stdin, name: reference, limits, watch: false },
      signal,
    );
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
  // Ending the client does not end the container.
  if (ended.cut !== undefined || signal?.aborted === true) await remove(name, settings);
  signal?.throwIfAborted();
  return printedBy(explain(ended, reference, limits));
}

/** The image, by digest and by nothing else: no tag is asked for, and nothing is pulled while a function runs. */
async function fetchImage(
  reference: string,
  settings: EngineSettings,
  signal: AbortSignal | undefined,
): Promise<Refusal | undefined> {
  const here = await control(['image', 'inspect', reference], CONTROL, settings, signal);
  if (here.exitCode === 0) return undefined;
  const pulled = await control(['pull', '--quiet', reference], PULL, settings, signal);
  if (pulled.exitCode === 0 && pulled.cut === undefined) return undefined;
  const reason = pulled.cut?.message ?? lastLines(pulled.stderr);
  return {
    code: 'CONTAINER_PULL',
    message: `The image ${reference} could not be pulled: ${reason}`,
    hint: 'Fix the image in the configuration, or pull it on this machine beforehand.',
  };
}

function flagsOf(name: string, limits: Limits, { kind, flags }: EngineSettings): string[] {
  const memory = `${Math.floor(limits.memoryBytes / 1024 / 1024)}m`;
  const ownLimits = flags.some((flag) => flag.startsWith('--ulimit'));
  const seconds = Math.ceil(limits.timeoutMs / 1000) + 5;
  const text = [
    `--rm --interactive --name ${name} --label portico=function`,
    '--pull never --network none --read-only --user 65534:65534',
    '--tmpfs /tmp:rw,noexec,nosuid,nodev,size=64m',
    '--cap-drop ALL --security-opt no-new-privileges --ipc none --log-driver none',
    `--pids-limit ${limits.processes} --memory ${memory} --memory-swap ${memory} --cpus 1`,
    `${ownLimits ? '' : '--ulimit nofile=1024:1024 '}--ulimit core=0:0 --stop-timeout 0`,
    // The second line of defence, should this process end before the container does.
    ...(kind === 'podman' ? [`--timeout ${seconds} --http-proxy=false --read-only-tmpfs=false`] : []),
  ];
  return [...text.join(' ').split(' '), ...flags];
}

async function remove(name: string, settings: EngineSettings): Promise<void> {
  await control(['rm', '--force', name], CONTROL, settings, undefined);
}

async function control(
  args: readonly string[],
  limits: Limits,
  settings: EngineSettings,
  signal: AbortSignal | undefined,
): Promise<Ended> {
  signal?.throwIfAborted();
  const { program, env, kind } = settings;
  const ended = await supervise({ program, args, env, stdin: '', name: kind, limits, watch: false }, signal);
  signal?.throwIfAborted();
  return ended;
}

function explain(ended: Ended, reference: string, limits: Limits): Ended {
  if (ended.cut !== undefined) return ended;
  if (NOT_STARTED.has(ended.exitCode)) {
    const message = `The container of ${reference} could not be started: ${lastLines(ended.stderr)}`;
    const hint = 'PORTICO_CONTAINER_FLAGS can hold what this machine needs; docs/functions.md says more.';
    return { ...ended, cut: { code: 'CONTAINER_FAILED', message, hint } };
  }
  // Nobody but the kernel kills it here: memory is what it ran out of.
  return ended.exitCode === KILLED ? { ...ended, cut: heldTooMuch(reference, limits) } : ended;
}

function lastLines(stderr: string): string {
  const text = stderr.trim();
  return text === '' ? 'it gives no reason.' : text.slice(-500);
}
