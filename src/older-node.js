// Plain JavaScript for Node 18 and newer, which has no way to replace its own process by another program.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { constants } from 'node:os';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';

/** The terminal sends these to the child itself. */
const FROM_KEYBOARD = new Set(['SIGINT', 'SIGQUIT']);

/** Runs this command line with the Node that `npm ci` installs, and ends as that ends. */
export function runWithInstalledNode() {
  const node = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url));
  // An outdated node_modules can hold an older Node too, which must not start itself again and again.
  if (!existsSync(node) || realpathSync(node) === process.execPath) return explain();

  const argv = [...process.execArgv, ...process.argv.slice(1)];
  // On a terminal, Ctrl-C reaches both processes, and git can ask for a password only in the terminal's own session. Elsewhere the child gets
  // a process group of its own: a signal to the group would reach it twice, and the second ends it before it has cleaned up.
  const onTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  const child = spawn(node, argv, { stdio: 'inherit', detached: !onTerminal });
  // Such as a Node for glibc on Alpine Linux.
  child.on('error', explain);
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'])
    process.on(signal, () => {
      if (!onTerminal || !FROM_KEYBOARD.has(signal)) child.kill(signal);
    });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
    if (signal === null) return;
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function explain() {
  process.stderr.write(
    `portico needs Node 24.12 or newer, and this is ${process.version}. Install Node 24, or run npm ci in the clone of Portico, which brings it on Linux.\n`,
  );
  process.exitCode = 64;
}
