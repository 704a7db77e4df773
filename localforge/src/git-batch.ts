import type { ChildProcessWithoutNullStreams } from 'node:child_process';

import { startGit } from './git-process.ts';

/** The answer to one question: the first line, and for `contents` the bytes after it. */
interface BatchAnswer {
  readonly header: string;
  readonly content: Buffer | undefined;
}

/** One `git cat-file --batch-command` process, started when needed and again when it died. */
export interface GitBatch {
  /** `name` must not come from a user unless it was checked; it cannot have a newline. Undefined when missing or ambiguous. */
  ask(kind: 'contents' | 'info', name: string): Promise<BatchAnswer | undefined>;
  close(): void;
}

interface Question {
  readonly kind: 'contents' | 'info';
  readonly resolve: (answer: BatchAnswer | undefined) => void;
  readonly reject: (error: Error) => void;
}

/** How many such processes may be alive; those that were used longest ago end first. */
const MAX_ALIVE = 160;
const alive = new Set<() => void>();

/** A `git cat-file --batch` process over a repository, started at the first question and stopped when idle. */
export function openBatch(directory: string): GitBatch {
  let child: ChildProcessWithoutNullStreams | undefined;
  let questions: Question[] = [];

  const stop = (): void => {
    alive.delete(stopWhenIdle);
    child?.stdin.end();
    child = undefined;
  };
  const stopWhenIdle = (): void => {
    if (questions.length === 0) stop();
  };
  const start = (): ChildProcessWithoutNullStreams => {
    const started = startGit(['cat-file', '--batch-command'], { directory });
    const waiting: Question[] = [];
    questions = waiting;
    const fail = (): void => {
      if (child === started) stop();
      for (const question of waiting.splice(0)) question.reject(new Error('git cat-file ended unexpectedly'));
    };
    readAnswers(started, waiting);
    started.on('error', fail);
    started.on('close', fail);
    started.stdin.on('error', fail);
    started.stderr.resume();
    return started;
  };

  return {
    ask: (kind, name) => {
      if (/[\n\0]/.test(name)) return Promise.resolve(undefined);
      child ??= start();
      alive.delete(stopWhenIdle);
      alive.add(stopWhenIdle);
      const { promise, resolve, reject } = Promise.withResolvers<BatchAnswer | undefined>();
      questions.push({ kind, resolve, reject });
      child.stdin.write(`${kind} ${name}\n`);
      if (alive.size > MAX_ALIVE) for (const other of [...alive].slice(0, alive.size - MAX_ALIVE)) other();
      return promise;
    },
    close: stop,
  };
}

/** Takes the answers off the stream and gives them to the questions in order. */
function readAnswers(child: ChildProcessWithoutNullStreams, questions: Question[]): void {
  let chunks: Buffer[] = [];
  let length = 0;
  let header: string | undefined;
  let size = 0;

  const joined = (): Buffer => {
    const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
    chunks = [all];
    return all;
  };
  const take = (count: number): Buffer => {
    const all = joined();
    chunks = [all.subarray(count)];
    length -= count;
    return all.subarray(0, count);
  };
  const answerOne = (): boolean => {
    if (header === undefined) {
      const end = joined().indexOf(10);
      if (end < 0) return false;
      const line = take(end + 1).toString('utf8', 0, end);
      const question = questions[0];
      const found = /^[0-9a-f]{40,64} (?:commit|tree|blob|tag) (\d+)$/.exec(line);
      if (found === null || question?.kind !== 'contents') {
        questions.shift()?.resolve(found === null ? undefined : { header: line, content: undefined });
        return true;
      }
      header = line;
      size = Number(found[1]);
    }
    if (length < size + 1) return false;
    const content = Buffer.from(take(size + 1).subarray(0, size));
    questions.shift()?.resolve({ header, content });
    header = undefined;
    return true;
  };

  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (header !== undefined && length < size + 1) return;
    let more = true;
    while (more) more = length > 0 && answerOne();
  });
}
