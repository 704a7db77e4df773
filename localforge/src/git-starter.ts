/**
 * Starting a process takes the longer the more memory the starting one holds, because its page tables are copied, and
 * nothing else goes on meanwhile: 50 ms were seen in a test process of 500 MB, for each of the many git processes of a
 * push. So while a forge is open, a small process starts git for it.
 */
import { fork } from 'node:child_process';
import { extname } from 'node:path';

import { runGitHere, type GitProgram, type GitProgramEnd } from './git-program.ts';
import type { GitReply, GitRequest } from './git-starter-child.ts';

interface GitStarter {
  readonly alive: () => boolean;
  readonly run: (program: GitProgram) => Promise<GitProgramEnd>;
  /** Nobody will ask it any more: it ends with the last git process that runs. */
  readonly retire: () => void;
}

/** All forges of this process share one. */
let holders = 0;
let shared: GitStarter | undefined;

/** From now until it is disposed of, git is started by a process of its own. May be held several times. */
export function holdGitStarter(): Disposable {
  const held = new DisposableStack();
  holders += 1;
  held.defer(() => {
    holders -= 1;
    if (holders > 0) return;
    shared?.retire();
    shared = undefined;
  });
  return held;
}

/**
 * Runs git to its end, by the starter where one is held.
 * @throws the system's error where git cannot be started
 */
export function runGitProgram(program: GitProgram): Promise<GitProgramEnd> {
  if (holders === 0) return runGitHere(program);
  if (shared?.alive() !== true) shared = forkStarter();
  return shared.run(program);
}

function forkStarter(): GitStarter {
  const file = new URL(`./git-starter-child${extname(import.meta.url)}`, import.meta.url);
  const child = fork(file, [], {
    env: {},
    execArgv: ['--no-warnings'],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    // Ctrl-C at a terminal is for the forge alone, which needs its starter to end well.
    detached: true,
  });
  const waiting = new Map<number, PromiseWithResolvers<GitProgramEnd>>();
  let lastId = 0;
  let isRetired = false;
  let isGone = false;
  // Whoever waits keeps this process alive, and an idle starter does not.
  const wait = (): void => {
    child.ref();
    child.channel?.ref();
  };
  const rest = (): void => {
    child.unref();
    child.channel?.unref();
    if (isRetired && child.connected) child.disconnect();
  };
  const lost = (): void => {
    isGone = true;
    for (const { reject } of waiting.values()) reject(new Error('the process that starts git has ended'));
    waiting.clear();
  };
  child.once('exit', lost);
  // One that could not be started has no exit; one that could be ends by the signal.
  child.on('error', () => (child.pid === undefined ? lost() : child.kill('SIGKILL')));
  child.on('message', (reply: GitReply) => {
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) rest();
    if ('end' in reply) asked?.resolve(reply.end);
    else asked?.reject(Object.assign(new Error(reply.failed.message), { code: reply.failed.code }));
  });
  rest();
  return {
    alive: () => !isGone,
    run(program) {
      const asked = Promise.withResolvers<GitProgramEnd>();
      const request: GitRequest = { id: (lastId += 1), program };
      if (waiting.size === 0) wait();
      waiting.set(request.id, asked);
      child.send(request, (error) => {
        if (error !== null) child.kill('SIGKILL');
      });
      return asked.promise;
    },
    retire() {
      isRetired = true;
      if (waiting.size === 0) rest();
    },
  };
}
