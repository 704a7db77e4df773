import type { ChildProcess } from 'node:child_process';

import { PorticoError } from '../error.ts';
import { endGroup } from '../processes/program.ts';
import { orAborted } from './abort.ts';
import { gitError } from './git-error.ts';
import type { GitSetup } from './run.ts';
import { notStarted, startGit } from './run.ts';

export interface ObjectInfo {
  readonly id: string;
  readonly type: 'blob' | 'tree' | 'commit' | 'tag';
  readonly size: number;
}

export interface GitObject extends ObjectInfo {
  readonly bytes: Buffer;
}

/**
 * One `git cat-file --batch-command` process per mirror, started at need and ended when idle. Requests are pipelined.
 * Names are object ids, or `<id>:<path>` and `<id>^{tree}`; they hold no line break. Null means there is no such object.
 */
export interface ObjectReader extends Disposable {
  info(name: string, signal?: AbortSignal): Promise<ObjectInfo | null>;
  read(name: string, signal?: AbortSignal): Promise<GitObject | null>;
  /** The next request goes to a new process: for when the repository was replaced. */
  restart(): void;
}

interface Request {
  readonly line: string;
  readonly wantsBytes: boolean;
  readonly resolve: (object: GitObject | null) => void;
  readonly reject: (error: unknown) => void;
}

interface Running {
  readonly child: ChildProcess;
  readonly waiting: Request[];
  readonly input: ByteQueue;
  header: ObjectInfo | null;
  stderr: string;
}

const IDLE_MS = 5_000;
const STUCK_MS = 120_000;

/** Reads objects of a repository by batches through one `git cat-file` process, which is started when it is needed. */
export function openObjectReader(setup: GitSetup): ObjectReader {
  let running: Running | null = null;
  let timer: NodeJS.Timeout | undefined;

  const watch = (current: Running): void => {
    clearTimeout(timer);
    const idle = current.waiting.length === 0;
    // Whoever waits keeps the process alive; an idle reader must not.
    timer = setTimeout(() => (idle ? close(current) : endGroup(current.child)), idle ? IDLE_MS : STUCK_MS);
    timer.unref();
  };

  const close = (current: Running): void => {
    if (running === current) running = null;
    current.child.stdin?.end();
  };

  const restart = (): void => {
    clearTimeout(timer);
    if (running) close(running);
  };

  const start = (): Running => {
    const child = startGit(setup, ['cat-file', '--batch-command']);
    const current: Running = { child, waiting: [], input: byteQueue(), header: null, stderr: '' };
    const fail = (cause: unknown): void => {
      if (running === current) running = null;
      const error =
        cause ?? gitError({ command: 'cat-file', exitCode: child.exitCode, stderr: current.stderr });
      for (const request of current.waiting.splice(0)) request.reject(error);
    };
    child.stdin?.on('error', () => {});
    child.stderr?.on('data', (chunk: Buffer) => {
      current.stderr = (current.stderr + chunk.toString('utf8')).slice(-4_096);
    });
    child.stdout?.on('data', (chunk: Buffer) => {
      current.input.push(chunk);
      try {
        answer(current);
      } catch (error) {
        fail(error);
        endGroup(child);
      }
      watch(current);
    });
    child.once('error', (cause) => fail(notStarted(cause)));
    child.once('close', () => fail(undefined));
    return current;
  };

  const ask = (
    name: string,
    wantsBytes: boolean,
    signal: AbortSignal | undefined,
  ): Promise<GitObject | null> => {
    if (/[\n\r\0]/.test(name)) return Promise.resolve(null);
    const { promise, resolve, reject } = Promise.withResolvers<GitObject | null>();
    running ??= start();
    const line = `${wantsBytes ? 'contents' : 'info'} ${name}\n`;
    running.waiting.push({ line, wantsBytes, resolve, reject });
    const { stdin } = running.child;
    // What is asked at once is written at once.
    if (stdin?.writableCorked === 0) {
      stdin.cork();
      process.nextTick(() => stdin.uncork());
    }
    stdin?.write(line);
    watch(running);
    return orAborted(promise, signal);
  };

  return {
    info: (name, signal) => ask(name, false, signal),
    read: (name, signal) => ask(name, true, signal),
    restart,
    [Symbol.dispose]: restart,
  };
}

/** Hands out every answer that has arrived whole: `<id> <type> <size>\n`, with bytes and `\n` behind it if asked. */
function answer(running: Running): void {
  for (;;) {
    const request = running.waiting[0];
    if (request === undefined) return;
    if (running.header === null) {
      const line = running.input.takeLine();
      if (line === null) return;
      const info = parseHeader(line);
      if (info === null || !request.wantsBytes) {
        running.waiting.shift();
        request.resolve(info && { ...info, bytes: NO_BYTES });
        continue;
      }
      running.header = info;
    }
    const bytes = running.input.take(running.header.size + 1);
    if (bytes === null) return;
    const object = { ...running.header, bytes: bytes.subarray(0, -1) };
    running.header = null;
    running.waiting.shift();
    request.resolve(object);
  }
}

const NO_BYTES = Buffer.alloc(0);
const TYPES = ['blob', 'tree', 'commit', 'tag'] as const;

/** Answers are remembered in great number, so no string in one is a slice of the line. */
function parseHeader(line: Buffer): ObjectInfo | null {
  const text = line.toString('utf8');
  const match = /^([0-9a-f]{40,64}) (blob|tree|commit|tag) (\d+)$/.exec(text);
  const type = TYPES.find((one) => one === match?.[2]);
  if (match?.[1] !== undefined && type !== undefined) {
    return { id: line.toString('latin1', 0, match[1].length), type, size: Number(match[3]) };
  }
  if (/ (?:missing|ambiguous)$/.test(text)) return null;
  throw new PorticoError('GIT_CORRUPT', 'git cat-file gave an answer that cannot be read', { blame: 'bug' });
}

interface ByteQueue {
  push(chunk: Buffer): void;
  /** Up to and without the next line feed; null while there is none. */
  takeLine(): Buffer | null;
  /** Exactly so many bytes; null while there are fewer. */
  take(size: number): Buffer | null;
}

/** Chunks as they come; joined only when a whole piece is there, so that a big blob costs one copy. */
function byteQueue(): ByteQueue {
  let chunks: Buffer[] = [];
  let length = 0;
  const take = (size: number): Buffer | null => {
    if (length < size) return null;
    const all = chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
    const rest = all.subarray(size);
    chunks = rest.length > 0 ? [rest] : [];
    length = rest.length;
    return all.subarray(0, size);
  };
  return {
    push: (chunk) => {
      chunks.push(chunk);
      length += chunk.length;
    },
    takeLine: () => {
      let before = 0;
      for (const chunk of chunks) {
        const at = chunk.indexOf(10);
        if (at >= 0) return take(before + at + 1)?.subarray(0, before + at) ?? null;
        before += chunk.length;
      }
      return null;
    },
    take,
  };
}
