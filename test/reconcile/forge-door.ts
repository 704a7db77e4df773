import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of the bot, before the forge sees it. */
export interface Call {
  readonly method: string;
  /** Below `/api/v3`, without the query; or `/api/graphql`. */
  readonly path: string;
  /** What follows the `?`, decoded. */
  readonly query: string;
}

/** What answers in the forge's place: a status, with a body where one is read. */
export type InsteadOfForge = number | { readonly status: number; readonly body: unknown };

/** Nothing lets the call pass. */
export type Watch = (call: Call) => Promise<InsteadOfForge | void> | InsteadOfForge | void;

/** A real HTTP proxy between bot and forge, in which a test can hold a call up or let it fail. */
export interface ForgeDoor extends AsyncDisposable {
  readonly apiUrl: string;
  watch(watch: Watch | null): void;
}

export async function openForgeDoor(apiUrl: string): Promise<ForgeDoor> {
  const target = new URL(apiUrl);
  let watching: Watch | null = null;
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const { pathname, search } = new URL(incoming.url ?? '/', apiUrl);
      const isBelow = pathname.startsWith(`${target.pathname}/`);
      const path = isBelow ? pathname.slice(target.pathname.length) : pathname;
      const instead = await watching?.({
        method: incoming.method ?? 'GET',
        path,
        query: decodeURIComponent(search),
      });
      if (instead !== undefined) {
        const { status, body } =
          typeof instead === 'number' ? { status: instead, body: { message: 'not now' } } : instead;
        outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        return;
      }
      const { method, headers, url } = incoming;
      const onward = send(
        { host: target.hostname, port: target.port, path: url, method, headers },
        (answer) => {
          // Who is led elsewhere comes in by this door too: to another origin no client takes its token.
          const location = answer.headers.location?.replace(target.origin, `http://${incoming.headers.host}`);
          const led = location === undefined ? {} : { location };
          outgoing.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...led });
          answer.pipe(outgoing);
        },
      );
      onward.on('error', () => outgoing.destroy());
      incoming.pipe(onward);
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}${target.pathname}`,
    watch: (watch) => void (watching = watch),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
