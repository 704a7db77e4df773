/** Programs as functions: a ResourceList on stdin, a ResourceList on stdout. */
import type { FunctionOutput } from '../package/render/function-runtime.ts';
import { splitCommand } from './command-line.ts';
import { printResourceList } from './resource-list.ts';
import type { RuntimeOptions } from './runtime-options.ts';
import { printedBy, readPrinted, refused } from './sandbox/answer.ts';
import type { FunctionInput } from './sandbox/answer.ts';
import { hasBubblewrap, inBubblewrap } from './sandbox/bubblewrap.ts';
import { makeControlGroup } from './sandbox/control-group.ts';
import { execEnvironment, execView, findProgram } from './sandbox/exec-view.ts';
import { EXEC_LIMITS } from './sandbox/limits.ts';
import type { Limits } from './sandbox/limits.ts';
import { heldTooMuch, supervise } from './sandbox/supervise.ts';
import type { Ended } from './sandbox/supervise.ts';

/** As shells say that a signal ended it. */
const KILLED = 137;

/**
 * Runs a command line such as `fn-label --verbose`, split as a shell would, without a shell: in bubblewrap where that
 * works, unless PORTICO_EXEC_SANDBOX is `off`; where it does not work, the answer says so.
 */
export async function runExec(
  command: string,
  input: FunctionInput,
  options: RuntimeOptions,
  signal?: AbortSignal,
): Promise<FunctionOutput> {
  const [word, ...args] = splitCommand(command);
  if (word === undefined) {
    const message = 'The exec entry has no program.';
    return refused({ code: 'EXEC_EMPTY', message, hint: 'Name a program.' });
  }
  if (command.includes('\0')) {
    const message = 'The exec entry holds a NUL character.';
    return refused({ code: 'EXEC_INVALID', message, hint: 'Correct it.' });
  }
  const host = options.environment ?? process.env;
  const cwd = options.workingDirectory ?? process.cwd();
  const program = findProgram(word, cwd, host['PATH'] ?? '');
  if (program === undefined) {
    const message = `${word} cannot be started: there is no such program.`;
    return refused({ code: 'EXEC_FAILED', message, hint: 'Install the program, or fix its path.' });
  }
  const limits: Limits = { ...EXEC_LIMITS, ...options.execLimits };
  const wanted = host['PORTICO_EXEC_SANDBOX'] !== 'off';
  const boxed = wanted && (await (options.hasSandbox ?? hasBubblewrap)());
  signal?.throwIfAborted();
  const group = boxed ? makeControlGroup(limits) : undefined;
  const stdin = printResourceList(input);
  const rest = { stdin, name: word, limits };
  let ended: Ended;
  try {
    const inside = inBubblewrap(program, args, execView(program, args, cwd, host), limits);
    ended = boxed
      ? await supervise({ ...(group?.wrap(inside) ?? inside), env: {}, ...rest }, signal)
      : await supervise({ program, args, cwd, env: execEnvironment(host), ...rest }, signal);
  } finally {
    await group?.close();
  }
  signal?.throwIfAborted();
  const answer = readPrinted(printedBy(boxed ? explain(ended, word, limits) : ended), input.items);
  return wanted && !boxed ? { ...answer, unconfined: unconfined(word) } : answer;
}

/** Whoever relies on the sandbox must not miss that there was none. */
function unconfined(name: string): string {
  return (
    `${name} ran WITHOUT A SANDBOX: it could read, write and send whatever you can, because bubblewrap is not ` +
    'installed or may make no namespaces. Install bubblewrap, or set PORTICO_EXEC_SANDBOX=off where that is meant.'
  );
}

/** A program that misses something inside the sandbox is told of the sandbox. */
function explain(ended: Ended, name: string, limits: Limits): Ended {
  // Nobody but the kernel kills it there: memory is what it ran out of.
  if (ended.cut === undefined && ended.exitCode === KILLED)
    return { ...ended, cut: heldTooMuch(name, limits) };
  if (ended.exitCode === 0 || !/No such file|not found|Permission denied|Read-only/i.test(ended.stderr))
    return ended;
  const note =
    'It ran in a sandbox without the files of this machine: PORTICO_EXEC_READ names files and directories that it may read.';
  return { ...ended, stderr: `${ended.stderr.trimEnd()}\n${note}\n` };
}
