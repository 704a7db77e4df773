/** bubblewrap: a process without network, without other processes, and with only those files that it is shown. */
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { homedir } from 'node:os';

import type { Limits } from './limits.ts';

export interface View {
  /** Files and directories to be seen, read-only, under their own names. */
  readonly readable: readonly string[];
  /** Directory to be in; an empty one where nothing of it is readable. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const BWRAP = '/usr/bin/bwrap';
const PRLIMIT = '/usr/bin/prlimit';

/** What programs need of a system, and nothing of its users: no /etc/passwd, no /home, no /var, no /run. */
const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/etc/alternatives',
  '/etc/ld.so.cache',
  '/etc/ld.so.conf',
  '/etc/ld.so.conf.d',
  '/etc/localtime',
];

const SCRATCH_BYTES = 64 * 1024 * 1024;
const PROBE_MS = 5_000;

let probe: Promise<boolean> | undefined;

/** True where bubblewrap is installed and may make namespaces, found out once by trying. */
export function hasBubblewrap(): Promise<boolean> {
  probe ??= new Promise((resolve) => {
    if (!existsSync(BWRAP)) resolve(false);
    else {
      const args = bubblewrapArgs({ readable: [], cwd: '/', env: {} });
      execFile(BWRAP, [...args, '/usr/bin/env'], { timeout: PROBE_MS, env: {} }, (error) =>
        resolve(error === null),
      );
    }
  });
  return probe;
}

/** The command line that runs a program inside, with limits of its own on each process. */
export function inBubblewrap(
  program: string,
  args: readonly string[],
  view: View,
  limits: Limits | undefined,
): { readonly program: string; readonly args: readonly string[] } {
  const inner = limits !== undefined && existsSync(PRLIMIT) ? [PRLIMIT, ...resourceLimits(limits), '--'] : [];
  return { program: BWRAP, args: [...bubblewrapArgs(view), '--', ...inner, program, ...args] };
}

/**
 * A little above what the watch allows, so that it is the watch that ends the function and says why; the kernel holds
 * what is faster than the watch. Root is not counted by the kernel's limit of processes.
 */
function resourceLimits({ memoryBytes, processes, timeoutMs }: Limits): string[] {
  return [
    `--data=${Math.ceil(memoryBytes * 1.25)}`,
    `--nproc=${processes * 2}`,
    `--cpu=${Math.ceil(timeoutMs / 1000) * 4}`,
    `--fsize=${SCRATCH_BYTES}`,
    '--nofile=1024',
    '--core=0',
  ];
}

function bubblewrapArgs({ readable, cwd, env }: View): string[] {
  return [
    '--unshare-all',
    '--unshare-user',
    ...'--uid 65534 --gid 65534 --hostname function'.split(' '),
    ...'--die-with-parent --new-session --cap-drop ALL --clearenv'.split(' '),
    ...SYSTEM.filter((path) => existsSync(path)).flatMap(systemPlace),
    ...'--proc /proc --dev /dev'.split(' '),
    ...`--size ${SCRATCH_BYTES} --tmpfs /tmp`.split(' '),
    '--dir',
    homedir(),
    '--dir',
    cwd,
    ...readable.flatMap((path) => ['--ro-bind', path, path]),
    ...'--remount-ro /dev --remount-ro /'.split(' '),
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    cwd,
  ];
}

/** /bin is a link to /usr/bin on many systems: it stays one. */
function systemPlace(path: string): string[] {
  return lstatSync(path).isSymbolicLink() && !path.startsWith('/etc/')
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path];
}
