import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of a trial, whole. */
export interface DoorCall {
  readonly method: string;
  /** With its query, below `/api/v3` where it is there. */
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface DoorAnswer {
  readonly status: number;
  /** Parsed JSON. */
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** How a forge is otherwise than believed: it answers by itself, changes an answer, or takes the caller for somebody else. */
export interface Turn {
  readonly instead?: (call: DoorCall) => DoorAnswer | undefined;
  readonly answer?: (call: DoorCall, answer: DoorAnswer) => unknown;
  readonly as?: (call: DoorCall) => string | undefined;
}

export interface TurnedDoor extends AsyncDisposable {
  readonly host: string;
  turn: Turn;
}

/** A real HTTP proxy before the forge, REST and git, that answers as another forge would. */
export async function openTurnedDoor(forgeUrl: string): Promise<TurnedDoor> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const body = await whole(incoming);
      const headers = Object.fromEntries(
        Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      );
      const url = incoming.url ?? '/';
      const { method = 'GET' } = incoming;
      const path = url.replace(/^\/api\/v3(?=\/)/, '');
      const call: DoorCall = { method, path, body: body.toString('latin1'), headers };
      const instead = door.turn.instead?.(call);
      if (instead !== undefined) return reply(instead);
      const token = door.turn.as?.(call);
      if (token !== undefined) {
        const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
        headers['authorization'] = path === url ? `Basic ${basic}` : `token ${token}`;
      }
      for (const hop of ['connection', 'host', 'content-length', 'transfer-encoding', 'expect']) {
        delete headers[hop];
      }
      const hasBody = method !== 'GET' && method !== 'HEAD';
      const answer = await fetch(`${forgeUrl}${url}`, {
        method,
        headers,
        redirect: 'manual',
        ...(hasBody && { body: new Uint8Array(body) }),
      });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const kept = Object.fromEntries(
        [...answer.headers].filter(
          ([name]) => !/^(?:content-(?:length|encoding)|transfer-encoding|connection)$/.test(name),
        ),
      );
      const isJson = (answer.headers.get('content-type') ?? '').includes('json') && bytes.length > 0;
      if (door.turn.answer === undefined || !isJson) {
        outgoing.writeHead(answer.status, kept).end(bytes);
        return;
      }
      const plain = { status: answer.status, body: JSON.parse(bytes.toString()) as unknown };
      reply({ ...plain, body: door.turn.answer(call, plain) ?? plain.body, headers: kept });
    })().catch(() => outgoing.destroy());

    function reply({ status, body, headers = {} }: DoorAnswer): void {
      outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
      outgoing.end(status === 204 || status === 304 ? undefined : JSON.stringify(body));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const door: TurnedDoor = {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    turn: {},
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return door;
}

async function whole(incoming: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
