/**
 * Plays the tests that need a real Kubernetes: builds the programs of a control plane and the kubelet with Go where
 * that is not yet done, and runs `test/cluster` with them. It says what this machine lacks, and what is skipped for it.
 *
 *   npm run cluster -- [arguments of vitest]
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const MODULE = join(ROOT, 'test/cluster/control-plane');
/** Packages of the module, by the names of their programs. */
const PROGRAMS = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
};

/** Definitions of the kinds of tools that `deploy/` uses, in the modules of those tools. */
const DEFINITIONS = {
  'sigs.k8s.io/gateway-api@v1.4.0': ['config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'],
  'github.com/prometheus-operator/prometheus-operator@v0.85.0': [
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  ],
  'github.com/external-secrets/external-secrets@v1.3.2': [
    'config/crds/bases/external-secrets.io_externalsecrets.yaml',
  ],
};

/** The directory with the programs of the versions that go.mod names. Built once for each state of it, and kept. */
function build(): string {
  const text = readFileSync(join(MODULE, 'go.mod'), 'utf8');
  const directory = join(
    ROOT,
    'node_modules/.cache/portico-cluster',
    createHash('sha256').update(text).digest('hex').slice(0, 16),
  );
  mkdirSync(directory, { recursive: true });
  const [, version = ''] = /k8s\.io\/kubernetes (v\S+)/.exec(text) ?? [];
  const [, major = '', minor = ''] = version.split(/[v.]/);
  const stamp = Object.entries({ gitVersion: version, gitMajor: major, gitMinor: minor })
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
  for (const [name, source] of Object.entries(PROGRAMS)) {
    const file = join(directory, name);
    if (existsSync(file)) continue;
    console.log(`building ${name}; the first time takes minutes`);
    const { status } = spawnSync(
      'go',
      ['build', '-trimpath', '-ldflags', `-s -w ${stamp}`, '-o', file, source],
      {
        cwd: MODULE,
        env: { ...process.env, CGO_ENABLED: '0' },
        stdio: 'inherit',
      },
    );
    if (status !== 0) throw new Error(`go did not build ${name}`);
  }
  const definitions = join(directory, 'definitions');
  mkdirSync(definitions, { recursive: true });
  for (const [module, paths] of Object.entries(DEFINITIONS)) {
    const missing = paths.filter((path) => !existsSync(join(definitions, basename(path))));
    if (missing.length === 0) continue;
    const { status, stdout } = spawnSync('go', ['mod', 'download', '-json', module], {
      cwd: tmpdir(),
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`go did not bring ${module}: ${stdout}`);
    const { Dir } = JSON.parse(stdout) as { Dir: string };
    for (const path of missing) copyFileSync(join(Dir, path), join(definitions, basename(path)));
  }
  return directory;
}

/**
 * A room of its own for a node: mounts, interfaces and processes that are gone with it. What a kubelet sets for the
 * whole machine (whether memory is overcommitted, when the kernel stops) is shown to it as it wants it, and not set.
 */
const ROOM = `set -eu
ip link set lo up
ip link add node0 type bridge
ip addr add 10.245.0.1/32 dev node0
ip link set node0 up
ip route add default dev node0
for directory in /run /var/log /var/lib; do mount -t tmpfs none $directory; done
while read -r name value; do
  file=/run/$(echo $name | tr / .)
  echo $value > $file
  mount --bind $file /proc/sys/$name
done <<END
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END
exec "$@"`;

async function play(programs: string, args: readonly string[]): Promise<number> {
  const vitest = [
    join(ROOT, 'node_modules/.bin/vitest'),
    'run',
    ...(args.length === 0 ? ['test/cluster'] : args),
  ];
  const lacking = lackOfNode();
  if (lacking !== undefined) console.log(`No node: ${lacking}. Tests that need one are skipped.`);
  const [program = '', ...rest] =
    lacking === undefined
      ? [
          'unshare',
          ...'--mount --net --pid --fork --mount-proc --kill-child'.split(' '),
          'sh',
          '-c',
          ROOM,
          'room',
          ...vitest,
        ]
      : vitest;
  const group = `portico-cluster-${process.pid}`;
  const groups = lacking === undefined ? controllers().map((controller) => join(controller, group)) : [];
  for (const directory of groups) mkdirSync(directory);
  const scratch = mkdtempSync(join(tmpdir(), 'portico-'));
  const env = {
    ...process.env,
    TMPDIR: scratch,
    PORTICO_CLUSTER: programs,
    ...(lacking === undefined && { PORTICO_CLUSTER_GROUP: `/${group}` }),
  };
  const child = spawn(program, rest, { cwd: ROOT, env, stdio: 'inherit' });
  // `unshare` listens to no other signal, and what it started ends with it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill('SIGKILL'));
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('exit', (code) => resolve(code ?? 1));
  return promise.finally(() => {
    groups.forEach(removeGroup);
    rmSync(scratch, { recursive: true, force: true });
  });
}

/** Where control groups are made: one place for all, or one for each of what they control. */
function controllers(): string[] {
  const top = '/sys/fs/cgroup';
  if (existsSync(join(top, 'cgroup.controllers'))) return [top];
  return readdirSync(top)
    .map((name) => join(top, name))
    .filter((directory) => existsSync(join(directory, 'cgroup.procs')));
}

/** Groups go from the innermost out; their files are no files. */
function removeGroup(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) removeGroup(join(directory, entry.name));
  }
  rmdirSync(directory);
}

/** Why this machine can be no node; undefined where it can. */
function lackOfNode(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs Linux and root';
  for (const program of ['containerd', 'runc', 'unshare', 'ip', 'iptables', 'busybox']) {
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `${program} is not installed`;
  }
  if (!existsSync('/usr/lib/cni/bridge')) return 'the plugins of containernetworking are not in /usr/lib/cni';
  const room = spawnSync(
    'unshare',
    ['--mount', '--net', '--pid', '--fork', '--mount-proc', 'sh', '-c', ROOM, 'room', 'true'],
    {
      encoding: 'utf8',
    },
  );
  return room.status === 0 ? undefined : `its namespaces cannot be made: ${room.stderr.trim()}`;
}

const go = spawnSync('go', ['version'], { encoding: 'utf8' });
if (go.error !== undefined) {
  console.log(
    'Nothing was tested: Go is not installed, which builds the programs of Kubernetes from their modules.',
  );
  process.exit(0);
}
const programs = build();
process.exitCode = await play(programs, process.argv.slice(2));
