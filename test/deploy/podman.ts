/** Podman as far as the machine has it: images built from a Containerfile, containers that are gone after the test. */
import { setTimeout as pause } from 'node:timers/promises';

import { run, type Outcome } from '../cli/run-portico.ts';

/** What starts a container: nothing more; or, in an environment that is itself confined, another runtime and lower limits. */
const WAYS_TO_START = [
  [],
  ['--runtime=runc', '--ulimit=nofile=1024:1024', '--ulimit=nproc=1024:1024'],
] as const;

/** How a server is confined by deploy/compose.yaml, and the network of the machine, on which the forge is. */
const CONFINED = [
  '--network=host',
  '--read-only',
  '--read-only-tmpfs=false',
  '--tmpfs=/tmp',
  '--cap-drop=all',
  '--security-opt=no-new-privileges',
] as const;

/** Runs podman to its end. @throws with what it said, when it failed */
export async function podman(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run('podman', args);
  if (code !== 0) throw new Error(`podman ${args.join(' ')}: ${stderr.slice(-4000)}`);
  return stdout.trim();
}

/** Builds an image without what it needs of the machine's own runtime. */
export async function buildImageOf(
  context: string,
  { tag, args = {} }: { readonly tag: string; readonly args?: Readonly<Record<string, string>> },
): Promise<void> {
  const values = Object.entries(args).map(([name, value]) => `--build-arg=${name}=${value}`);
  const how = ['--isolation=chroot', '--network=host', '--layers=false', '--force-rm'];
  await podman('build', ...how, ...values, `--tag=${tag}`, context);
}

/** The options with which this podman starts containers of the image. @throws when it starts none */
export async function waysToStart(image: string): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const options of WAYS_TO_START) {
    const tried = await runOnce(image, options, ['--entrypoint=/bin/true'], []);
    if (tried.code === 0) return options;
    refusals.push(tried.stderr);
  }
  throw new Error(`podman starts no container: ${refusals.join('\n')}`);
}

/** A program of the image, confined as the server is, to its end. */
export async function inImage(
  { image, start }: { readonly image: string; readonly start: readonly string[] },
  entrypoint: string | undefined,
  ...args: readonly string[]
): Promise<Outcome> {
  return runOnce(image, start, entrypoint === undefined ? [] : [`--entrypoint=${entrypoint}`], args);
}

async function runOnce(
  image: string,
  start: readonly string[],
  more: readonly string[],
  args: readonly string[],
): Promise<Outcome> {
  return run('podman', ['run', '--rm', '--timeout=120', ...start, ...CONFINED, ...more, image, ...args]);
}

export interface Container extends AsyncDisposable {
  /** What it wrote to stderr and stdout. */
  log(): Promise<string>;
  /** Sends SIGTERM and waits; the exit code. After 30 s, podman kills it, which is 137. */
  stop(): Promise<number>;
}

/** The server of an image in a container of its own; what it writes goes to the volume. */
export async function startServer(options: {
  readonly image: string;
  readonly start: readonly string[];
  readonly volume: string;
  readonly secrets: string;
  readonly env: Readonly<Record<string, string>>;
}): Promise<Container> {
  const id = await podman(
    'run',
    '--detach',
    '--timeout=600',
    ...options.start,
    ...CONFINED,
    `--volume=${options.volume}:/data`,
    `--volume=${options.secrets}:/secrets:ro`,
    ...Object.entries(options.env).map(([name, value]) => `--env=${name}=${value}`),
    options.image,
  );
  return {
    async log() {
      const { stdout, stderr } = await run('podman', ['logs', id]);
      return stdout + stderr;
    },
    async stop() {
      await podman('stop', '--time=30', id);
      const state = (): Promise<string> => podman('inspect', '--format={{.State.Status}}', id);
      while ((await state()) !== 'exited') await pause(100);
      return Number(await podman('inspect', '--format={{.State.ExitCode}}', id));
    },
    async [Symbol.asyncDispose]() {
      await podman('rm', '--force', '--time=0', id);
    },
  };
}
