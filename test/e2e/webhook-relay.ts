import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Hands a webhook on as it came; answers the status, or 502 where nobody is at that port. */
export type Hand = (port: number) => Promise<number>;

/** A door before several servers; `spread` says which of them get a webhook, and gives the status of the answer. */
export async function relayWebhooks(
  spread: (hand: Hand) => Promise<number>,
): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((incoming, outgoing) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of incoming) parts.push(part as Buffer);
      const init = { method: 'POST', headers: plainHeaders(incoming.headers), body: Buffer.concat(parts) };
      const hand: Hand = (port) =>
        fetch(`http://127.0.0.1:${port}${incoming.url}`, init).then(
          ({ status }) => status,
          () => 502,
        );
      outgoing.writeHead(await spread(hand)).end();
    })();
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const hop = ['host', 'connection', 'content-length', 'transfer-encoding'];
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      typeof value === 'string' && !hop.includes(name) ? [[name, value]] : [],
    ),
  );
}
