/**
 * The control plane of a Kubernetes cluster on this machine: etcd, API server, controllers and scheduler, as
 * `npm run cluster` builds them. All of it is reached at 127.0.0.1 and gone afterwards.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { run, type Outcome } from '../cli/run-portico.ts';
import { freePort } from '../e2e/portico-process.ts';
import { realTools } from '../processors/real-tools.ts';
import { startProgram, type StartedProgram } from './started-program.ts';

/** Who may call the API server, by static token; controllers and scheduler have the rights that a cluster gives them. */
const CALLERS = {
  admin: 'system:masters',
  'system:kube-controller-manager': '',
  'system:kube-scheduler': '',
  'system:node:worker': 'system:nodes',
} as const;
type Caller = keyof typeof CALLERS;

export interface ControlPlane extends AsyncDisposable {
  readonly url: string;
  readonly caFile: string;
  /** For what belongs to the cluster. `npm run cluster` removes it, once nothing is mounted there. */
  readonly directory: string;
  readonly programs: string;
  kubeconfig(caller: Caller): string;
  /** As an administrator. */
  kubectl(args: readonly string[], input?: string): Promise<Outcome>;
  /** What `kubectl get --output json` says. */
  get(...args: readonly string[]): Promise<unknown>;
  /** What a pod of that service account has in its file. */
  tokenOf(namespace: string, serviceAccount: string): Promise<string>;
  stopApiServer(): Promise<void>;
  startApiServer(): Promise<void>;
}

/** @param programs the directory with the programs */
export async function startControlPlane(programs: string): Promise<ControlPlane> {
  const directory = mkdtempSync(join(tmpdir(), 'portico-cluster-'));
  await using started = new AsyncDisposableStack();
  const at = (name: string): string => join(directory, name);
  const program = (name: string): string => join(programs, name);
  const [etcdPort, peerPort, port] = [await freePort(), await freePort(), await freePort()];
  const [etcdUrl, url] = [`http://127.0.0.1:${etcdPort}`, `https://127.0.0.1:${port}`];
  makeCertificates(directory);
  writeFileSync(
    at('tokens.csv'),
    Object.entries(CALLERS)
      .map(([user, group]) => `token-of-${user},${user},${user},"${group}"`)
      .join('\n'),
    { mode: 0o600 },
  );
  const kubeconfig = (caller: Caller): string => {
    const file = at(`${caller.replaceAll(':', '-')}.kubeconfig`);
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: named('cluster', { server: url, 'certificate-authority': at('ca.crt') }),
        users: named('user', { token: `token-of-${caller}` }),
        contexts: named('context', { cluster: 'here', user: 'here' }),
        'current-context': 'here',
      }),
    );
    return file;
  };

  const use = async (
    stack: AsyncDisposableStack,
    name: string,
    flags: readonly string[],
    ready: () => Promise<boolean>,
  ) => stack.use(await startProgram([program(name), ...flags], at(`${name}.log`), ready));
  const admin = kubeconfig('admin');
  const kubectl = (args: readonly string[], input?: string): Promise<Outcome> =>
    run('kubectl', ['--kubeconfig', admin, ...args], {
      cwd: directory,
      env: { ...realTools(), HOME: directory },
      ...(input !== undefined && { input }),
    });

  await use(
    started,
    'etcd',
    [
      `--data-dir=${at('etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync',
    ],
    async () => (await fetch(`${etcdUrl}/health`)).ok,
  );
  let apiServer: StartedProgram | undefined;
  started.defer(() => apiServer?.[Symbol.asyncDispose]());
  const startApiServer = async (): Promise<void> => {
    apiServer = await startProgram(
      [
        program('kube-apiserver'),
        `--etcd-servers=${etcdUrl}`,
        `--secure-port=${port}`,
        '--bind-address=127.0.0.1',
        `--tls-cert-file=${at('server.crt')}`,
        `--tls-private-key-file=${at('server.key')}`,
        `--token-auth-file=${at('tokens.csv')}`,
        '--authorization-mode=Node,RBAC',
        '--service-account-issuer=https://kubernetes.default.svc',
        `--service-account-signing-key-file=${at('accounts.key')}`,
        `--service-account-key-file=${at('accounts.key')}`,
        '--service-cluster-ip-range=10.96.0.0/24',
        '--endpoint-reconciler-type=none',
        '--kubelet-preferred-address-types=InternalIP',
      ],
      at('kube-apiserver.log'),
      async () => (await kubectl(['get', '--raw', '/readyz'])).stdout === 'ok',
    );
  };
  await startApiServer();
  await use(
    started,
    'kube-controller-manager',
    [
      `--kubeconfig=${kubeconfig('system:kube-controller-manager')}`,
      '--use-service-account-credentials',
      `--service-account-private-key-file=${at('accounts.key')}`,
      `--root-ca-file=${at('ca.crt')}`,
      '--leader-elect=false',
      '--secure-port=0',
    ],
    atOnce,
  );
  await use(
    started,
    'kube-scheduler',
    [`--kubeconfig=${kubeconfig('system:kube-scheduler')}`, '--leader-elect=false', '--secure-port=0'],
    atOnce,
  );
  const all = started.move();
  return {
    url,
    caFile: at('ca.crt'),
    directory,
    programs,
    kubeconfig,
    kubectl,
    async get(...args) {
      const { code, stdout, stderr } = await kubectl(['get', '--output', 'json', ...args]);
      if (code !== 0) throw new Error(stderr);
      return JSON.parse(stdout);
    },
    async tokenOf(namespace, serviceAccount) {
      const { code, stdout, stderr } = await kubectl([
        'create',
        'token',
        serviceAccount,
        '--namespace',
        namespace,
      ]);
      if (code !== 0) throw new Error(stderr);
      return stdout;
    },
    stopApiServer: async () => apiServer?.kill(),
    startApiServer,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** What only asks the API server is waited for by whoever needs what it does. */
async function atOnce(): Promise<boolean> {
  return true;
}

/** The one entry of a list in a kubeconfig. */
function named(kind: string, value: object): object[] {
  return [{ name: 'here', [kind]: value }];
}

/** An authority, the API server's certificate from it, and the key that signs tokens of service accounts. */
function makeCertificates(directory: string): void {
  mkdirSync(directory, { recursive: true });
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: directory, stdio: ['ignore', 'ignore', 'pipe'] });
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2'.split(' ');
  openssl('req', '-x509', ...key, '-subj', '/CN=authority', '-keyout', 'ca.key', '-out', 'ca.crt');
  openssl(
    'req',
    '-x509',
    '-CA',
    'ca.crt',
    '-CAkey',
    'ca.key',
    ...key,
    '-subj',
    '/CN=kube-apiserver',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
    '-addext',
    'basicConstraints=CA:FALSE',
    '-keyout',
    'server.key',
    '-out',
    'server.crt',
  );
  openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', 'accounts.key');
  for (const name of ['ca.crt', 'server.crt', 'accounts.key']) readFileSync(join(directory, name));
}
