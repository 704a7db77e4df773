import { resolve } from 'node:path';

import { parseArguments } from './cli/arguments.ts';
import { EXIT, exitCodeOf, usageError } from './cli/exit-code.ts';
import { generalHelp, groupHelp, verbHelp } from './cli/help.ts';
import { withoutGroup } from './cli/kpt-names.ts';
import { systemError } from './cli/system-error.ts';
import { VERBS } from './cli/table.ts';
import { processTerminal } from './cli/terminal.ts';
import type { Terminal } from './cli/terminal.ts';
import type { Verb } from './cli/verb.ts';
import { PorticoError } from './error.ts';
import { closestWord } from './package/closest-word.ts';
import { scrubSecrets } from './text/secrets.ts';
import { VERSION } from './version.ts';

/**
 * Runs one command line and gives the exit code. Only the module of the asked verb is loaded. Never throws.
 *
 * @param argv the arguments after the program's name
 */
export async function main(argv: string[]): Promise<number> {
  ignoreBrokenPipe();
  const terminal = processTerminal(argv.slice(0, untilRest(argv)).includes('--json'));
  const stop = new AbortController();
  const stopped = listenForSignals(stop);
  try {
    return await run(argv, terminal, stop.signal);
  } catch (error) {
    terminal.progress('');
    if (stop.signal.aborted) {
      terminal.say('Stopped.');
      return stopped();
    }
    return report(systemError(error, workingDirectoryOr('/')) ?? error, terminal);
  }
}

async function run(argv: string[], terminal: Terminal, signal: AbortSignal): Promise<number> {
  const [first = '--help', ...others] = withoutGroup(argv);
  if (first === '--version' || first === '-V') {
    terminal.print(VERSION);
    return EXIT.ok;
  }
  if (first === '--help' || first === '-h' || first === 'help') {
    terminal.print(first === 'help' ? await helpAbout(others) : generalHelp(VERBS));
    return argv.length === 0 ? EXIT.usage : EXIT.ok;
  }

  const verb = await verbNamed(first);
  const { help, positionals, rest, values } = parseArguments(verb, others);
  if (help) {
    terminal.print(verbHelp(verb));
    return EXIT.ok;
  }
  const from = workingDirectory();
  const perform = await verb.load();
  return perform({
    positionals,
    rest,
    has: (option) => values.has(option),
    text: (option) => values.get(option)?.[0],
    list: (option) => values.get(option) ?? [],
    path: (typed) => resolve(from, typed),
    terminal,
    signal,
  });
}

/** The help of what follows `help`: a verb by either name, or one of kpt's groups. */
async function helpAbout(words: readonly string[]): Promise<string> {
  const [word] = words;
  if (word === undefined) return generalHelp(VERBS);
  const group = words.length === 1 ? groupHelp(word, VERBS) : undefined;
  return group ?? verbHelp(await verbNamed(withoutGroup(words)[0] ?? word));
}

/** Commands of comments that `portico draft` has too; init is a verb by itself. */
const DRAFT_VERBS: readonly string[] = ['clone', 'copy', 'edit', 'rollback'];

async function verbNamed(name: string): Promise<Verb> {
  const verb = VERBS.find((candidate) => candidate.name === name || candidate.alias === name);
  if (verb !== undefined) return verb;
  const names = VERBS.map((candidate) => candidate.name);
  // What is decided where people review is said there.
  if (DRAFT_VERBS.includes(name)) {
    throw usageError(
      `portico has no verb ${name}`,
      `Write: portico draft ${name}. See: portico draft --help`,
    );
  }
  const { COMMAND_NAMES } = await import('./command/table.ts');
  if (COMMAND_NAMES.includes(name)) {
    throw usageError(
      `portico has no verb ${name}: it is a slash-command for comments`,
      `Write /portico ${name} in a comment on a pull request or issue; /portico help ${name} explains it.`,
    );
  }
  const near = names.find((known) => known.startsWith(name)) ?? closestWord(name, names);
  throw usageError(
    `portico has no verb ${name}${near === undefined ? '' : `; did you mean ${near}?`}`,
    'See: portico --help',
  );
}

/** npm runs scripts in the package's directory; the paths that the user typed are relative to where npm was called. */
function workingDirectory(): string {
  const { npm_package_name: name, npm_lifecycle_event: script, INIT_CWD: called } = process.env;
  const ours = name === 'portico' && ['portico', 'start', 'dev', 'demo'].includes(script ?? '');
  return ours && called !== undefined ? called : process.cwd();
}

/** The directory may be gone. */
function workingDirectoryOr(otherwise: string): string {
  try {
    return workingDirectory();
  } catch {
    return otherwise;
  }
}

function report(error: unknown, terminal: Terminal): number {
  const known = error instanceof PorticoError ? error : undefined;
  // What was typed may have held a credential; the document goes to stdout, which is written as it is.
  const message = seenFromHere(scrubSecrets(error instanceof Error ? error.message : String(error)));
  terminal.say(`${terminal.style('red', 'error:', 'stderr')} ${message}`);
  if (known?.hint !== undefined) terminal.say(known.hint);
  if (known === undefined || known.blame === 'bug') {
    const stack = error instanceof Error ? error.stack : undefined;
    if (process.env['PORTICO_DEBUG'] !== undefined && stack !== undefined) terminal.say(stack);
    else terminal.say('This is a bug in Portico. Set PORTICO_DEBUG=1 to see where it happened.');
  }
  if (terminal.json) {
    const { code, hint } = known ?? { code: 'INTERNAL', hint: undefined };
    terminal.document({ error: { code, message, ...(hint === undefined ? {} : { hint }) } });
  }
  return exitCodeOf(error);
}

/** Paths below the working directory as the person would write them. */
function seenFromHere(message: string): string {
  const here = workingDirectoryOr('/');
  if (here === '/') return message;
  const [first = '', ...others] = message.replaceAll(`${here}/`, '').split(here);
  // The directory itself, and none whose name begins like its.
  return others.reduce((text, next) => `${text}${/^[\s:,;'")]|^$/.test(next) ? '.' : here}${next}`, first);
}

/** The first signal asks the verb to stop; a second one ends the process at once. */
function listenForSignals(stop: AbortController): () => number {
  let code = 1;
  const listen = (signal: NodeJS.Signals, exit: number): void => {
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(exit);
      code = exit;
      stop.abort(new PorticoError('STOPPED', `stopped by ${signal}`, { blame: 'user' }));
    });
  };
  listen('SIGINT', 130);
  listen('SIGTERM', 143);
  return () => code;
}

/** `portico tree | head` closes the pipe early; that is no error. */
function ignoreBrokenPipe(): void {
  process.stdout.on('error', leave);
  process.stderr.on('error', leave);
}

function leave(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') process.exit();
  throw error;
}

function untilRest(argv: readonly string[]): number {
  const at = argv.indexOf('--');
  return at === -1 ? argv.length : at;
}
