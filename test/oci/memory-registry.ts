import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage['headers'];
}

/** Answers a request itself, and says so; otherwise the registry does. */
export type Interrupt = (asked: Asked, response: ServerResponse) => boolean;

export interface MemoryRegistry extends AsyncDisposable {
  readonly host: string;
  readonly url: URL;
  readonly asked: Asked[];
  readonly blobs: Map<string, Buffer>;
  /** By `REPOSITORY:TAG` and `REPOSITORY@DIGEST`. */
  readonly manifests: Map<string, { readonly type: string; readonly bytes: Buffer }>;
  /** What happens instead of the usual. */
  interrupt: Interrupt;
  /** Nothing is known of an upload any more. */
  forget(path: string): void;
  /** What was asked, as `METHOD PATH` without what differs from run to run. */
  log(): string[];
}

/** A registry as the distribution specification has it, whose answers can be wrong in one place. */
export async function startMemoryRegistry(): Promise<MemoryRegistry> {
  const blobs: MemoryRegistry['blobs'] = new Map();
  const manifests: MemoryRegistry['manifests'] = new Map();
  const uploads = new Map<string, Buffer>();
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    void take(request, response);
  });

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const { method = '', url = '', headers } = request;
    const one = { method, path: url, authorization: headers.authorization, headers };
    asked.push(one);
    if (!registry.interrupt(one, response)) answer(one, body, response);
  };

  const answer = ({ method, path, headers }: Asked, body: Buffer, response: ServerResponse): void => {
    const end = (status: number, fields: Record<string, string | number> = {}, content?: Buffer): void => {
      const length = content === undefined ? {} : { 'content-length': content.length };
      response.writeHead(status, { ...length, ...fields });
      response.end(method === 'HEAD' ? undefined : content);
    };
    const url = new URL(path, 'http://registry');
    const [, repository = '', kind = '', rest = ''] =
      /^\/v2\/(.+?)\/(manifests|blobs|tags)\/(.*)$/.exec(url.pathname) ?? [];
    if (kind === 'tags') {
      const tags = [...manifests.keys()].filter((key) => key.startsWith(`${repository}:`));
      return end(200, {}, Buffer.from(JSON.stringify({ tags: tags.map((key) => key.split(':')[1]) })));
    }
    if (kind === 'manifests') {
      const key = rest.includes(':') ? `${repository}@${rest}` : `${repository}:${rest}`;
      if (method === 'PUT') {
        const held = { type: headers['content-type'] ?? '', bytes: body };
        for (const name of [key, `${repository}@${sha256(body)}`]) manifests.set(name, held);
        return end(201, { 'docker-content-digest': sha256(body) });
      }
      const found = manifests.get(key);
      if (found === undefined) return end(404);
      return end(
        200,
        { 'content-type': found.type, 'docker-content-digest': sha256(found.bytes) },
        found.bytes,
      );
    }
    if (method === 'POST') {
      const id = randomUUID();
      uploads.set(id, Buffer.alloc(0));
      return end(202, { location: `/v2/${repository}/blobs/uploads/${id}` });
    }
    const [, upload] = /^uploads\/(.+)$/.exec(rest) ?? [];
    if (upload === undefined) {
      const found = blobs.get(rest);
      return found === undefined ? end(404) : end(200, {}, found);
    }
    const held = uploads.get(upload);
    if (held === undefined) return end(404);
    if (method === 'GET') return end(204, { range: `0-${Math.max(0, held.length - 1)}`, location: path });
    const from = headers['content-range']?.split('-')[0] ?? '0';
    if (Number(from) !== held.length) return end(416);
    const now = Buffer.concat([held, body]);
    uploads.set(upload, now);
    if (method === 'PATCH') return end(202, { range: `0-${now.length - 1}`, location: path });
    const digest = url.searchParams.get('digest') ?? '';
    if (sha256(now) !== digest) return end(400);
    blobs.set(digest, now);
    uploads.delete(upload);
    return end(201);
  };

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const registry: MemoryRegistry = {
    host,
    url: new URL(`http://${host}/`),
    asked,
    blobs,
    manifests,
    interrupt: () => false,
    forget: (path) => void uploads.delete(/uploads\/([\w-]+)/.exec(path)?.[1] ?? ''),
    log: () =>
      asked.map(({ method, path }) =>
        `${method} ${path}`
          .replaceAll(/uploads\/[\w-]+/g, 'uploads/ID')
          .replaceAll(/sha256:(\w{4})\w+/g, '$1'),
      ),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return registry;
}

export function sha256(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  // What is broken off counts as what arrived.
  try {
    for await (const part of request) parts.push(part as Buffer);
  } catch {}
  return Buffer.concat(parts);
}
