import { createServer, request as send, type IncomingMessage, type ServerResponse } from 'node:http';

/** One call of the bot before the forge sees it. */
export interface Call {
  readonly method: string;
  readonly path: string;
  /** A REST call that changes something, or a push of git. */
  readonly writes: boolean;
  /** What calls of one path differ in: names of checks, of refs that are pushed. */
  readonly about: string;
}

/**
 * What becomes of a call. `answer`: the forge never sees it. `lost-answer`: the forge acts, and the bot gets this
 * instead of the answer. `reset` and `lost-reset`: the connection breaks before, or after the forge acted and `before`
 * is done. `slow`: the answer comes drop by drop over so many milliseconds. `hang` and `lost-hang`: no answer ever comes,
 * and the forge did not see the call, or did what was asked. `cut`: of the answer 60 % come, with its ETag and as if it were whole.
 */
export type Fault =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
    }
  | { readonly kind: 'lost-answer'; readonly status: number }
  | { readonly kind: 'reset' }
  | { readonly kind: 'lost-reset'; readonly before?: () => Promise<void> }
  | { readonly kind: 'hang' }
  | { readonly kind: 'lost-hang' }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'cut' };

export type Judge = (call: Call) => Fault | undefined;

/** A real HTTP proxy on a port of its own; the bot takes it for the forge, for REST as for git. */
export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  judge(judge: Judge | null): void;
}

export async function openFaultProxy(forgePort: number, port: number): Promise<FaultProxy> {
  let judging: Judge | null = null;
  const server = createServer((incoming, outgoing) => {
    void take(incoming, outgoing).catch(() => outgoing.destroy());
  });
  async function take(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming);
    const path = new URL(incoming.url ?? '/', 'http://forge').pathname;
    const method = incoming.method ?? 'GET';
    const fault = judging?.({
      method,
      path,
      writes: isWrite(method, path, body),
      about: aboutOf(path, body),
    });
    if (fault?.kind === 'answer') answer(outgoing, fault.status, fault.body, fault.headers);
    else if (fault?.kind === 'reset') incoming.socket.resetAndDestroy();
    else if (fault?.kind === 'hang') return;
    else forward({ incoming, outgoing, body, forgePort, fault });
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    judge: (judge) => void (judging = judge),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function isWrite(method: string, path: string, body: Buffer): boolean {
  if (path.endsWith('/git-receive-pack')) return method === 'POST' && body.length > 4;
  if (path.endsWith('/git-upload-pack')) return false;
  if (path.endsWith('/graphql')) return body.toString().includes('mutation');
  return method !== 'GET' && method !== 'HEAD' && !path.endsWith('/access_tokens');
}

function aboutOf(path: string, body: Buffer): string {
  if (path.endsWith('/check-runs')) return /"name":"([^"]*)"/.exec(body.toString())?.[1] ?? '';
  if (!path.endsWith('/git-receive-pack')) return '';
  // The commands come before the objects.
  return [...body.toString('latin1', 0, 4_000).matchAll(/[0-9a-f]{40} (refs\/[\w./-]+)/g)]
    .map(([, ref]) => ref)
    .join();
}

interface Passage {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: Buffer;
  readonly forgePort: number;
  readonly fault: Fault | undefined;
}

function forward({ incoming, outgoing, body, forgePort, fault }: Passage): void {
  const { method, headers, url } = incoming;
  const onward = send({ host: '127.0.0.1', port: forgePort, path: url, method, headers }, (reply) => {
    if (fault?.kind === 'lost-answer') {
      reply.resume().once('end', () => answer(outgoing, fault.status));
    } else if (fault?.kind === 'lost-reset') {
      reply.resume().once('end', () => {
        void (fault.before?.() ?? Promise.resolve()).finally(() => incoming.socket.resetAndDestroy());
      });
    } else if (fault?.kind === 'lost-hang') {
      reply.resume();
    } else if (fault?.kind === 'cut') {
      void cutShort(reply, outgoing).catch(() => outgoing.destroy());
    } else {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      if (fault?.kind === 'slow') void drip(reply, outgoing, fault.ms);
      else reply.pipe(outgoing);
    }
  });
  onward.on('error', () => outgoing.destroy());
  outgoing.on('close', () => onward.destroy());
  onward.end(body);
}

function answer(
  outgoing: ServerResponse,
  status: number,
  body = '{"message":"not now"}',
  headers: Record<string, string> = {},
): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

async function cutShort(reply: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const body = await bytesOf(reply);
  const part = body.subarray(0, Math.ceil(body.length * 0.6));
  const { 'transfer-encoding': _chunked, ...headers } = reply.headers;
  outgoing.writeHead(reply.statusCode ?? 502, { ...headers, 'content-length': part.length }).end(part);
}

async function drip(reply: IncomingMessage, outgoing: ServerResponse, ms: number): Promise<void> {
  const body = await bytesOf(reply);
  const steps = 10;
  const size = Math.max(1, Math.ceil(body.length / steps));
  for (let at = 0; at < body.length; at += size) {
    await new Promise((resolve) => setTimeout(resolve, ms / steps));
    outgoing.write(body.subarray(at, at + size));
  }
  outgoing.end();
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
