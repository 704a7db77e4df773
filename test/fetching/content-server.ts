import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

import { tar } from '../archive/archives.ts';

/** A real HTTP server with files that have ETags. */
export interface ContentServer extends AsyncDisposable {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly url: string;
  /** What stands at a path; it may be changed at any time. */
  readonly files: Map<string, Buffer>;
  /** `METHOD path STATUS` of each request. */
  readonly requests: string[];
  /** Headers of the last request. */
  last: IncomingMessage['headers'];
  /** Answers a request itself when it returns true. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export async function contentServer(): Promise<ContentServer> {
  const files = new Map<string, Buffer>();
  const requests: string[] = [];
  const state: Pick<ContentServer, 'last' | 'intercept'> = { last: {}, intercept: undefined };
  const server = createServer((request, response) => {
    state.last = request.headers;
    response.on('close', () => requests.push(`${request.method} ${request.url} ${response.statusCode}`));
    if (state.intercept?.(request, response) === true) return;
    const bytes = files.get(request.url ?? '');
    if (bytes === undefined) {
      response.writeHead(404).end();
      return;
    }
    const etag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag, 'content-length': bytes.length }).end(bytes);
  });
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    host,
    url: `http://${host}`,
    files,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => {
        server.close(done);
      });
    },
  });
}

/** A gzipped tar of these files. */
export function tgz(files: Readonly<Record<string, string>>): Buffer {
  return gzipSync(tar(...Object.entries(files).map(([name, body]) => ({ name, body }))));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
