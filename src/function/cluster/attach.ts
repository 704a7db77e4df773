/**
 * The standard streams of a container, over a WebSocket of the API server. Nothing needs to be in the image for it,
 * neither a shell nor a mounted file, its input may be larger than the 1 MiB of a Secret, and stdout comes whole and
 * apart from stderr, which logs do not promise.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Readable, type Duplex } from 'node:stream';

import { z } from 'zod';

import { PorticoError } from '../../error.ts';
import {
  apiFault,
  parsed,
  patiently,
  readAnswer,
  refusedBy,
  requestOf,
  unreached,
  wordsOf,
  type Failure,
} from './api.ts';
import { createFrameReader, frameOf, MAX_FRAME_BYTES, OPCODE } from './frames.ts';
import type { ClusterSettings } from './settings.ts';

/**
 * The version that can close stdin alone, which every function waits for; servers know it from Kubernetes 1.30 on.
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-api-machinery/4006-transition-spdy-to-websockets
 */
const PROTOCOL = 'v5.channel.k8s.io';

/** The first byte of each message. */
const CHANNEL = { stdin: 0, stdout: 1, stderr: 2, status: 3, close: 255 } as const;

/** RFC 6455, section 1.3. */
const ACCEPT_SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** Bytes of stdin in one message, as kubectl sends them. */
const PIECE_BYTES = 32 * 1024;
/** How long the API server may take to connect. */
const CONNECT_MS = 30_000;

/** The connection to a container, by which nothing was sent yet. */
export interface Connection {
  readonly socket: Duplex;
  /** What came with the answer. */
  readonly head: Buffer;
}

export interface Attached {
  readonly path: string;
  readonly stdin: string;
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Buffer) => void;
}

/**
 * Gives a container its stdin, and takes what it writes until it ends.
 * @throws PorticoError CLUSTER_API where the connection ends before all was received; after an abort, the signal's reason
 */
export async function exchange(
  { socket, head }: Connection,
  what: Attached,
  signal: AbortSignal,
): Promise<void> {
  const fault = (reason: string, cause?: unknown): Error => apiFault('attach', what.path, reason, cause);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => void socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  const input = Readable.from(stdinFrames(what.stdin));
  let status: string | undefined;
  let message: Buffer = Buffer.alloc(0);
  const readFrames = createFrameReader();
  const take = (bytes: Buffer): void => {
    for (const { opcode, payload, final } of readFrames(bytes)) {
      if (opcode === OPCODE.close) socket.end(frameOf(OPCODE.close, payload));
      else if (opcode === OPCODE.ping) socket.write(frameOf(OPCODE.pong, payload));
      else if (opcode !== OPCODE.pong) {
        message = message.length === 0 ? payload : Buffer.concat([message, payload]);
        if (message.length > MAX_FRAME_BYTES) throw new Error('a message is too long');
        if (!final) continue;
        const channel = message[0];
        const content = message.subarray(1);
        message = Buffer.alloc(0);
        if (content.length === 0) continue;
        if (channel === CHANNEL.stdout) what.onOutput('stdout', content);
        else if (channel === CHANNEL.stderr) what.onOutput('stderr', content);
        else if (channel === CHANNEL.status) status = content.toString('utf8');
      }
    }
  };
  const onData = (bytes: Buffer): void => {
    try {
      take(bytes);
    } catch (cause) {
      reject(fault(cause instanceof Error ? cause.message : 'a frame cannot be read', cause));
      socket.destroy();
    }
  };
  // API servers reset a connection once they have said how it ended; what they said is what counts.
  let broken: Error | undefined;
  socket.on('error', (cause) => (broken = cause));
  socket.on('close', () => {
    if (succeeded(status)) resolve();
    else if (status !== undefined) reject(fault(wordsOf(status)));
    else reject(fault(broken?.message ?? 'the connection ended before the function did', broken));
  });
  socket.on('data', onData);
  if (signal.aborted) abort();
  if (head.length > 0) onData(head);
  input.pipe(socket, { end: false });
  try {
    await promise;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', abort);
    input.destroy();
    socket.destroy();
  }
}

function* stdinFrames(stdin: string): Generator<Buffer> {
  const bytes = Buffer.from(stdin);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    yield frameOf(OPCODE.binary, Buffer.concat([Buffer.from([CHANNEL.stdin]), piece]));
  }
  yield frameOf(OPCODE.binary, Buffer.from([CHANNEL.close, CHANNEL.stdin]));
}

const SUCCESS = z.object({ status: z.literal('Success') });

/** What came is whole only where the server says so. */
function succeeded(status: string | undefined): boolean {
  return status !== undefined && SUCCESS.safeParse(parsed(status)).success;
}

/**
 * Connects to a container, patiently.
 * @throws PorticoError CLUSTER_API where that is refused; after an abort, the signal's reason
 */
export async function connect(
  settings: ClusterSettings,
  path: string,
  signal: AbortSignal,
): Promise<Connection> {
  return patiently(settings, () => tryToConnect(settings, path, signal), signal);
}

async function tryToConnect(
  settings: ClusterSettings,
  path: string,
  signal: AbortSignal,
): Promise<Connection | Failure> {
  const key = randomBytes(16).toString('base64');
  const request = await requestOf(settings, 'GET', path, {
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': key,
    'sec-websocket-protocol': PROTOCOL,
  });
  const { promise, resolve, reject } = Promise.withResolvers<Connection | Failure>();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_MS)]);
  const abort = (): void => void request.destroy(new Error('it did not connect in time'));
  limit.addEventListener('abort', abort, { once: true });
  request.on('error', (cause) => resolve(unreached('attach', path, cause)));
  request.on('response', (response: IncomingMessage) => {
    readAnswer(response).then((answer) => resolve(refusedBy('attach', path, answer)), reject);
  });
  request.on('upgrade', (response: IncomingMessage, socket: Duplex, head: Buffer) => {
    const accept = createHash('sha1')
      .update(key + ACCEPT_SALT)
      .digest('base64');
    const agreed = response.headers['sec-websocket-protocol'] === PROTOCOL;
    if (agreed && response.headers['sec-websocket-accept'] === accept) return resolve({ socket, head });
    socket.destroy();
    return reject(apiFault('attach', path, `it does not speak ${PROTOCOL}, as Kubernetes 1.30 and later do`));
  });
  if (limit.aborted) abort();
  request.end();
  try {
    const tried = await promise;
    if ('fault' in tried) signal.throwIfAborted();
    return tried;
  } catch (cause) {
    signal.throwIfAborted();
    return cause instanceof PorticoError ? { fault: cause } : unreached('attach', path, cause);
  } finally {
    limit.removeEventListener('abort', abort);
  }
}
