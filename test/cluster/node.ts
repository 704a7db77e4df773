/**
 * A node of the cluster: containerd, which pulls and starts real containers, and the kubelet. Only where `npm run
 * cluster` has made namespaces for it, in which its mounts, interfaces and processes are.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { run } from '../cli/run-portico.ts';
import { freePort } from '../e2e/portico-process.ts';
import type { ControlPlane } from './control-plane.ts';
import { GROUP } from './programs.ts';
import { startProgram } from './started-program.ts';

const NODE = 'worker';

/** @param pause the image that holds a pod's namespaces */
export async function startNode(plane: ControlPlane, pause: string): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const at = (name: string): string => join(plane.directory, name);
  const socket = at('containerd.sock');
  mkdirSync(at('net.d'));
  // Pods reach each other and this machine: whether a NetworkPolicy is enforced is the network plugin's affair.
  writeFileSync(
    at('net.d/10-pods.conflist'),
    JSON.stringify({
      cniVersion: '0.4.0',
      name: 'pods',
      plugins: [
        {
          type: 'bridge',
          bridge: 'pods0',
          isGateway: true,
          ipam: { type: 'host-local', dataDir: at('addresses'), ranges: [[{ subnet: '10.244.0.0/24' }]] },
        },
      ],
    }),
  );
  writeFileSync(
    at('containerd.toml'),
    `version = 2
root = ${JSON.stringify(at('containerd'))}
state = "/run/containerd"
[grpc]
address = ${JSON.stringify(socket)}
[plugins."io.containerd.internal.v1.opt"]
path = ${JSON.stringify(at('opt'))}
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = ${JSON.stringify(pause)}
# Machines that are sandboxes themselves may not be allowed to make a process safer from the kernel's killer.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = ${JSON.stringify(at('net.d'))}
`,
  );
  started.use(
    await startProgram(
      ['containerd', '--config', at('containerd.toml')],
      at('containerd.log'),
      async () => (await run('ctr', ['--address', socket, 'plugins', 'ls'])).code === 0,
    ),
  );
  writeFileSync(
    at('kubelet.json'),
    JSON.stringify({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
      authorization: { mode: 'AlwaysAllow' },
      cgroupDriver: 'cgroupfs',
      cgroupRoot: GROUP,
      containerRuntimeEndpoint: `unix://${socket}`,
      evictionHard: { 'memory.available': '1Mi' },
      failCgroupV1: false,
      failSwapOn: false,
      healthzPort: 0,
      imageMinimumGCAge: '1h',
      podLogsDir: at('logs'),
      podPidsLimit: 64,
      port: await freePort(),
      resolvConf: '',
    }),
  );
  started.use(
    await startProgram(
      [
        join(plane.programs, 'kubelet'),
        `--config=${at('kubelet.json')}`,
        `--kubeconfig=${plane.kubeconfig('system:node:worker')}`,
        `--root-dir=${at('kubelet')}`,
        `--hostname-override=${NODE}`,
        '--node-ip=10.245.0.1',
      ],
      at('kubelet.log'),
      async () => {
        const { stdout } = await plane.kubectl([
          'get',
          'node',
          NODE,
          '--output',
          'jsonpath={.status.conditions[?(@.type=="Ready")].status}',
        ]);
        return stdout === 'True';
      },
    ),
  );
  const all = started.move();
  return { [Symbol.asyncDispose]: () => all.disposeAsync() };
}
