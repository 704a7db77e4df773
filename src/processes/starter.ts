/**
 * Starting a process takes the longer the more memory the starting one holds, because its page tables are copied, and
 * nothing else goes on meanwhile: 50 ms were seen for a server of 500 MB. So a server lets a small process start its
 * programs. Where nobody asked for that, as at the command line, programs are started directly.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { holdChild } from './hold-child.ts';
import {
  runHere,
  type Program,
  type ProgramEnd,
  type ProgramOptions,
  type RunningProgram,
} from './program.ts';
import type { StarterAnswer, StarterRequest } from './starter-child.ts';

interface Waiting {
  readonly resolve: (end: ProgramEnd) => void;
  readonly reject: (error: Error) => void;
}

interface Starter {
  readonly child: ChildProcess;
  readonly waiting: Map<number, Waiting>;
  /** Nobody will ask it any more: it ends with the last that runs. */
  retired: boolean;
}

let holders = 0;
let starter: Starter | undefined;
let lastId = 0;

/** From now until it is disposed of, programs are started by a process of their own. May be held several times. */
export function holdStarter(): Disposable {
  holders += 1;
  let held = true;
  return {
    [Symbol.dispose]() {
      if (!held) return;
      held = false;
      holders -= 1;
      if (holders === 0) releaseStarter();
    },
  };
}

/** Runs a program to its end, by the starter where one is held. */
export function runProgram(program: Program, options: ProgramOptions = {}): RunningProgram {
  if (holders === 0) return runHere(program, options);
  starter ??= startStarter();
  const { child, waiting } = starter;
  const id = (lastId += 1);
  const { promise, resolve, reject } = Promise.withResolvers<ProgramEnd>();
  // Whoever waits keeps this process alive, and an idle starter does not.
  if (waiting.size === 0) holdChild(child, true);
  waiting.set(id, { resolve, reject });
  send(child, { id, program, options });
  return { ended: promise, stop: () => waiting.has(id) && send(child, { id, stop: true }) };
}

function startStarter(): Starter {
  const file = fileURLToPath(new URL('./starter-child.ts', import.meta.url));
  const child = fork(file, [], {
    env: {},
    execArgv: ['--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Ctrl-C at a terminal is for the server alone, which needs its starter to end well.
    detached: true,
  });
  const waiting = new Map<number, Waiting>();
  const own: Starter = { child, waiting, retired: false };
  const gone = (): void => {
    if (starter?.child === child) starter = undefined;
    for (const { reject } of waiting.values()) reject(new Error('the process that starts others has ended'));
    waiting.clear();
  };
  child.once('exit', gone);
  // One that could not be started has no exit; one that could be ends by the signal.
  child.on('error', () => (child.pid === undefined ? gone() : child.kill('SIGKILL')));
  child.on('message', (answer: StarterAnswer) => {
    const one = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) rest(own);
    if ('end' in answer) one?.resolve(answer.end);
    else one?.reject(Object.assign(new Error(answer.failed.message), { code: answer.failed.code }));
  });
  holdChild(child, false);
  return own;
}

function releaseStarter(): void {
  const last = starter;
  starter = undefined;
  if (last === undefined) return;
  last.retired = true;
  if (last.waiting.size === 0) rest(last);
}

function rest({ child, retired }: Starter): void {
  holdChild(child, false);
  if (retired && child.connected) child.disconnect();
}

function send(child: ChildProcess, request: StarterRequest): void {
  child.send(request, (error) => {
    if (error !== null) child.kill('SIGKILL');
  });
}
