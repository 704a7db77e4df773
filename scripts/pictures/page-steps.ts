/** The shell commands of a page of the documentation, run one block after the other, as its reader does. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';

/** A block of commands, and the pictures that the page shows between it and the next block. */
export interface PageStep {
  readonly commands: string;
  /** Names without directory and extension. */
  readonly pictures: readonly string[];
}

/** Pure: the blocks of a page, in its order. Pictures before the first block are left out. */
export function stepsOf(page: string): readonly PageStep[] {
  const [, ...parts] = page.split(/^```sh\n/m);
  return parts.map((part) => {
    const [commands = '', text = ''] = part.split(/^```$/m);
    return { commands, pictures: picturesIn(text) };
  });
}

/** Pure: the pictures that a page shows, by name. */
export function picturesIn(page: string): readonly string[] {
  return [...page.matchAll(/!\[[^\]]*\]\(pictures\/([\w-]+)\.png\)/g)].map(([, name = '']) => name);
}

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Between blocks, bash says on this descriptor which is done, and reads from the next that it may go on. */
const DONE = 3;
const GO = 4;

/**
 * Runs all blocks in one bash, which stops at the first command that fails, and ends all jobs that are left.
 * `after` is called between a block and the next one; where it throws, bash is ended.
 */
export async function runSteps(
  steps: readonly PageStep[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  after: (step: PageStep) => Promise<void> = () => Promise.resolve(),
): Promise<Outcome> {
  const blocks = steps.map(({ commands }, at) => `${commands}\necho ${at} >&${DONE}; read -r <&${GO}`);
  const script = `set -m; trap 'for job in $(jobs -p); do kill -- -$job; done 2>/dev/null' EXIT\n${blocks.join('\n')}`;
  const bash = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  bash.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  bash.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const ended = new Promise<number | null>((resolve, reject) => {
    bash.on('error', reject);
    bash.on('close', resolve);
  });
  const go = bash.stdio[GO] as Writable;
  // A bash that has failed reads no more.
  go.on('error', () => {});
  try {
    for await (const line of createInterface({ input: bash.stdio[DONE] as NodeJS.ReadableStream })) {
      const step = steps[Number(line)];
      if (step !== undefined) await after(step);
      go.write('\n');
    }
  } catch (error) {
    bash.kill('SIGTERM');
    await ended;
    throw error;
  }
  return { code: await ended, stdout, stderr };
}
