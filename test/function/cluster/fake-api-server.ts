/**
 * A small API server of Kubernetes over real HTTP and WebSocket: Jobs, pods, NetworkPolicies and `attach`. A pod is a
 * process of this machine, which begins when somebody attaches.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

export interface Job {
  readonly metadata: {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly creationTimestamp?: string;
  };
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly containers: readonly [
          { readonly resources: { readonly limits: { readonly memory: string } } },
        ];
      };
    };
  };
}

/** Not there, or an answer of a server that is overloaded or starts. */
type Fault = 'reset' | { readonly status: number; readonly retryAfter?: string };

/** What becomes of pods, which a test may change at any time. */
export interface Behaviour {
  token: string;
  /** For `sh -c`. */
  script: string;
  /** In the place of running. */
  waiting?: { readonly reason: string; readonly message?: string };
  /** The pod ended before anybody attached. */
  early?: true;
  unschedulable?: string;
  /** The Job has no pod, for this reason. */
  uncreated?: string;
  /** Status of the pod after its end. */
  ended?: { readonly reason: string; readonly message: string };
  /** The version that the server speaks. */
  protocol: string;
  /** The connection is cut after so many bytes of output, as often as it says. */
  cut?: { readonly afterBytes: number; times: number };
  /** What the next calls get in place of an answer, after they were carried out. */
  faults: Fault[];
  policies: object[];
  forbidden?: string;
}

export interface FakeApiServer extends AsyncDisposable {
  readonly url: string;
  readonly jobs: Map<string, Job>;
  /** Method and path of each call. */
  readonly calls: string[];
  readonly behaviour: Behaviour;
  running(): number;
}

interface PodState {
  child?: ChildProcess;
  exitCode?: number;
  outOfMemory?: boolean;
}

export const NAMESPACE = 'portico-functions';
export const DENY_ALL = {
  metadata: { name: 'no-network' },
  spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
};

export async function startFakeApiServer(tls?: { key: string; cert: string }): Promise<FakeApiServer> {
  const jobs = new Map<string, Job>();
  const pods = new Map<string, PodState>();
  const calls: string[] = [];
  const behaviour: Behaviour = {
    token: 'first-token',
    script: 'cat',
    protocol: 'v5.channel.k8s.io',
    policies: [DENY_ALL],
    faults: [],
  };

  const onRequest = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const url = new URL(request.url!, 'http://fake');
    calls.push(`${request.method} ${url.pathname}`);
    const fault = behaviour.faults.shift();
    const answer = (status: number, body: object): void => {
      if (fault === 'reset') return void request.socket.destroy();
      if (fault !== undefined) {
        const { retryAfter } = fault;
        response.writeHead(fault.status, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
        return void response.end(JSON.stringify({ kind: 'Status', message: 'not now' }));
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    const fail = (status: number, message: string): void => answer(status, { kind: 'Status', message });
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (request.headers.authorization !== `Bearer ${behaviour.token}`) return fail(401, 'Unauthorized');
    if (behaviour.forbidden !== undefined && url.pathname.includes(behaviour.forbidden))
      return fail(403, `User "system:serviceaccount:portico:portico" cannot reach ${behaviour.forbidden}`);
    const [, group, name] =
      /\/namespaces\/portico-functions\/(\w+)(?:\/([\w.-]+))?$/.exec(url.pathname) ?? [];
    const wanted = url.searchParams.get('labelSelector')?.split(',') ?? [];
    const chosen = [...jobs.values()].filter(({ metadata: { labels } }) =>
      wanted.every((pair) => labels[pair.split('=')[0]!] === pair.split('=')[1]),
    );
    if (group === 'networkpolicies') return answer(200, { metadata: {}, items: behaviour.policies });
    if (group === 'events') return answer(200, { items: [...jobs.keys()].flatMap(eventsOf) });
    if (group === 'pods' && behaviour.uncreated !== undefined) return answer(200, { items: [] });
    if (group === 'pods') return answer(200, { items: chosen.map((job) => podOf(job)) });
    if (group !== 'jobs') return fail(404, 'not found');
    if (request.method === 'POST') {
      const job = JSON.parse(text) as Job;
      if (jobs.has(job.metadata.name)) return fail(409, `jobs.batch "${job.metadata.name}" already exists`);
      jobs.set(job.metadata.name, job);
      pods.set(job.metadata.name, behaviour.early ? { exitCode: 2 } : {});
      return answer(201, job);
    }
    if (request.method === 'GET') return answer(200, { items: chosen });
    if (!jobs.delete(name!)) return fail(404, 'not found');
    end(pods.get(name!)?.child);
    pods.delete(name!);
    return answer(200, { kind: 'Status', status: 'Success' });
  };

  /** As controllers write them: one for each try, oldest not always first, among those of other Jobs. */
  const eventsOf = (job: string): object[] =>
    [
      { name: job, reason: 'FailedCreate', message: behaviour.uncreated, at: '2030-01-01T00:00:02Z' },
      { name: job, reason: 'FailedCreate', message: 'an older reason', at: '2030-01-01T00:00:01Z' },
      { name: `${job}-abcde`, reason: 'MissingClusterDNS', message: 'no matter', at: '2030-01-01T00:00:03Z' },
      { name: 'another', reason: 'FailedCreate', message: 'of another', at: '2030-01-01T00:00:04Z' },
    ].map(({ name, at, ...rest }) => ({
      ...rest,
      involvedObject: { name },
      lastTimestamp: at,
      eventTime: null,
    }));

  const podOf = ({ metadata }: Job): object => {
    const { exitCode, outOfMemory } = pods.get(metadata.name) ?? {};
    const name = `${metadata.name}-abcde`;
    if (behaviour.unschedulable !== undefined) {
      const condition = { type: 'PodScheduled', status: 'False', message: behaviour.unschedulable };
      return { metadata: { name }, status: { phase: 'Pending', conditions: [condition] } };
    }
    const ended = exitCode !== undefined;
    const reason = outOfMemory === true ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error';
    const state = behaviour.waiting
      ? { waiting: behaviour.waiting }
      : ended
        ? { terminated: { exitCode, reason } }
        : { running: { startedAt: '2030-01-01T00:00:00Z' } };
    return {
      metadata: { name },
      status: {
        phase: ended ? (exitCode === 0 ? 'Succeeded' : 'Failed') : 'Running',
        ...(ended && behaviour.ended),
        containerStatuses: [{ name: 'function', state }],
      },
    };
  };

  const onUpgrade = (request: http.IncomingMessage, socket: Socket): void => {
    const url = new URL(request.url!, 'http://fake');
    calls.push(`${request.method} ${url.pathname}`);
    const refuse = (status: string, message: string): void =>
      void socket.end(
        `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: ${message.length}\r\n\r\n${message}`,
      );
    if (request.headers.authorization !== `Bearer ${behaviour.token}`)
      return refuse('401 Unauthorized', 'no');
    if (behaviour.forbidden === 'attach')
      return refuse('403 Forbidden', 'User "system:serviceaccount:portico:portico" cannot reach attach');
    const asked = String(request.headers['sec-websocket-protocol']).split(/, */);
    const job = /pods\/(.+)-abcde\/attach$/.exec(url.pathname)?.[1] ?? '';
    const pod = pods.get(job);
    if (pod === undefined || pod.exitCode !== undefined) return refuse('400 Bad Request', 'not running');
    const protocol = asked.includes(behaviour.protocol) ? behaviour.protocol : 'v4.channel.k8s.io';
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`,
    );
    const { cut } = behaviour;
    const cutAfter = cut !== undefined && cut.times > 0 ? cut.afterBytes : undefined;
    if (cut !== undefined) cut.times -= 1;
    runPod(pod, jobs.get(job)!, socket, { script: behaviour.script, cutAfter });
  };

  const settled = (request: http.IncomingMessage, response: http.ServerResponse): void =>
    void onRequest(request, response).catch((error: unknown) => response.destroy(error as Error));
  const server = tls === undefined ? http.createServer(settled) : https.createServer(tls, settled);
  server.on('upgrade', (request, socket) => onUpgrade(request, socket as Socket));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    jobs,
    calls,
    behaviour,
    running: () => [...pods.values()].filter(({ child, exitCode }) => child && exitCode === undefined).length,
    async [Symbol.asyncDispose]() {
      for (const { child } of pods.values()) end(child);
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

function end(child: ChildProcess | undefined): void {
  try {
    if (child?.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** Runs the pod's process with the memory that the Job allows it. */
function runPod(
  pod: PodState,
  job: Job,
  socket: Socket,
  { script, cutAfter }: { readonly script: string; readonly cutAfter: number | undefined },
): void {
  const memoryKi = Number.parseInt(job.spec.template.spec.containers[0].resources.limits.memory) * 1024;
  const child = spawn('sh', ['-c', `ulimit -v ${memoryKi}; ${script}`], { detached: true });
  pod.child = child;
  let said = '';
  let sent = 0;
  const send = (channel: number, bytes: Buffer): void => {
    sent += bytes.length;
    if (cutAfter !== undefined && sent > cutAfter) return void socket.destroy();
    // In two fragments with a ping between them, as RFC 6455 allows.
    const half = Math.floor(bytes.length / 2);
    socket.write(frame(0x02, Buffer.concat([Buffer.from([channel]), bytes.subarray(0, half)])));
    socket.write(frame(0x89, Buffer.from('ping')));
    socket.write(frame(0x80, bytes.subarray(half)));
  };
  child.stdout.on('data', (bytes: Buffer) => send(1, bytes));
  child.stderr.on('data', (bytes: Buffer) => {
    said += String(bytes);
    send(2, bytes);
  });
  child.stdin.on('error', () => undefined);
  let rest: Buffer = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    for (let next = unframe(rest); next !== undefined; next = unframe(rest)) {
      rest = rest.subarray(next.size);
      // As the real one does, which reads nothing more after it has said how the pod ended.
      if (next.opcode === 8)
        return void (socket instanceof TLSSocket ? socket.destroy() : socket.resetAndDestroy());
      if (next.opcode !== 2) continue;
      if (next.payload[0] === 255 && next.payload[1] === 0) child.stdin.end();
      else if (next.payload[0] === 0) child.stdin.write(next.payload.subarray(1));
    }
  });
  socket.on('error', () => undefined);
  child.on('close', (code) => {
    pod.outOfMemory = /memory exhausted|Cannot allocate memory/.test(said);
    pod.exitCode = pod.outOfMemory ? 137 : (code ?? 137);
    if (socket.destroyed) return;
    const status = JSON.stringify({ metadata: {}, status: 'Success' });
    socket.write(frame(0x82, Buffer.concat([Buffer.from([3]), Buffer.from(status)])));
    socket.write(frame(0x88, Buffer.from([0x03, 0xe8])));
  });
}

function frame(first: number, payload: Buffer): Buffer {
  const { length } = payload;
  if (length < 126) return Buffer.concat([Buffer.from([first, length]), payload]);
  const head = Buffer.alloc(length < 65_536 ? 4 : 10);
  head[0] = first;
  head[1] = length < 65_536 ? 126 : 127;
  if (length < 65_536) head.writeUInt16BE(length, 2);
  else head.writeUInt32BE(length, 6);
  return Buffer.concat([head, payload]);
}

/** The first frame of a client, which must be masked; undefined while it is not whole. */
function unframe(bytes: Buffer): { opcode: number; payload: Buffer; size: number } | undefined {
  if (bytes.length < 6) return undefined;
  if ((bytes[1]! & 0x80) === 0) throw new Error('a frame of the client is not masked');
  const short = bytes[1]! & 0x7f;
  const at = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < at + 4) return undefined;
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? bytes.readUInt32BE(6) : short;
  const size = at + 4 + length;
  if (bytes.length < size) return undefined;
  const payload = Buffer.from(bytes.subarray(at + 4, size));
  for (let index = 0; index < length; index += 1) payload[index]! ^= bytes[at + (index % 4)]!;
  return { opcode: bytes[0]! & 0x0f, payload, size };
}
