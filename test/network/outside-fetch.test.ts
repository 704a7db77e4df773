import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterEach, describe, expect, test } from 'vitest';

import { parseInsideHost } from '../../src/network/inside-host.ts';
import { createOutsideFetch, type OutsideFetchOptions } from '../../src/network/outside-fetch.ts';
import { readBody } from '../../src/network/read-body.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: RequestListener): Promise<{ readonly url: URL; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`);
    answer(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), asked };
}

function inside(...hosts: string[]): Pick<OutsideFetchOptions, 'inside'> {
  return { inside: hosts.map((host) => parseInsideHost(host)!) };
}

const code = (error: unknown): unknown => (error as { code?: unknown }).code;

describe('addresses that are refused', () => {
  test.each([
    ['http://example.com/'],
    ['https://127.0.0.1/'],
    ['https://2130706433/'],
    ['https://0x7f.1/'],
    ['https://127.0.0.1./'],
    ['https://[::1]/'],
    ['https://[::ffff:7f00:1]/'],
    ['https://169.254.169.254/latest/meta-data'],
    ['https://localhost/'],
    ['https://localhost./'],
    ['https://registry/'],
    ['https://registry.cluster.local/'],
    ['https://user:secret@example.com/'],
    ['file:///etc/passwd'],
  ])('%s', async (url) => {
    const outside = createOutsideFetch({ resolve: (_name, done) => done(new Error('resolved'), []) });
    await expect(outside(new URL(url))).rejects.toSatisfy((error) => code(error) === 'ADDRESS_REFUSED');
    await expect(outside(new URL(url))).rejects.not.toThrow(/secret/);
  });

  test('public names that lead inside, also with one of many answers, and the answer is not told', async () => {
    const answers: Record<string, string[]> = {
      'one.example.com': ['10.0.0.7'],
      'many.example.com': ['8.8.8.8', '::1'],
      'none.example.com': [],
    };
    const outside = createOutsideFetch({
      resolve: (name, done) =>
        done(
          null,
          answers[name]!.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
    });
    for (const name of ['one', 'many']) {
      const failed = await outside(new URL(`https://${name}.example.com/`)).catch((error: unknown) => error);
      expect(code(failed)).toBe('ADDRESS_REFUSED');
      expect(String(failed)).not.toMatch(/10\.0|::1/);
    }
    await expect(outside(new URL('https://none.example.com/'))).rejects.toThrow(/no host has that name/);
  });

  test('names that the system does not know', async () => {
    await expect(createOutsideFetch()(new URL('https://nobody.invalid/'))).rejects.toSatisfy(
      (error) => code(error) === 'HOST_UNREACHABLE',
    );
  });

  test('a public address leads to no host inside, also not to one that may be reached', async () => {
    const { url, asked } = await serve((_request, response) => response.end('here'));
    const outside = createOutsideFetch(inside(url.origin));
    expect(await (await outside(url, { ledBy: url })).text()).toBe('here');
    await expect(outside(url, { ledBy: new URL('https://example.com/') })).rejects.toSatisfy(
      (error) => code(error) === 'ADDRESS_REFUSED',
    );
    expect(asked).toHaveLength(1);
  });

  test('a name is resolved once for a connection, which goes to what was judged', async () => {
    const { url, asked } = await serve((_request, response) => response.end('here'));
    let times = 0;
    const outside = createOutsideFetch({
      ...inside(`http://rebound.example.com:${url.port}`),
      // Whoever asks a second time is led elsewhere.
      resolve: (_name, done) =>
        done(null, [{ address: (times += 1) === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]),
    });
    const answer = await outside(new URL(`http://rebound.example.com:${url.port}/`));
    expect(await answer.text()).toBe('here');
    expect(times).toBe(1);
    expect(asked).toEqual([`GET / rebound.example.com:${url.port}`]);
  });

  test('hosts that are allowed with TLS are not spoken to without', async () => {
    const { url, asked } = await serve((_request, response) => response.end());
    await expect(createOutsideFetch(inside(`127.0.0.1:${url.port}`))(url)).rejects.toThrow(/is not https/);
    expect(asked).toEqual([]);
  });
});

describe('answers', () => {
  test('redirects and packed bodies come as they are; silence, broken connections and too much are told', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/moved') response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
      else if (request.url === '/packed')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip');
      else if (request.url === '/silent') response.writeHead(200).write('a');
      else if (request.url === '/broken')
        response.writeHead(200, { 'content-length': '9' }).write('a', () => response.destroy());
      else if (request.url === '/large') response.writeHead(200, { 'content-length': '900' }).write('a');
      else if (request.url === '/endless')
        for (let at = 0; at < 100; at += 1) response.write('a'.repeat(1000));
    });
    const outside = createOutsideFetch({ ...inside(url.origin), silentMs: 300 });
    const get = (path: string) => outside(new URL(path, url));
    expect((await get('moved')).status).toBe(307);
    expect(Buffer.from(await readBody(await get('packed'), 100)).toString()).toBe('not gzip');
    await expect(readBody(await get('large'), 100)).rejects.toThrow(/more than 100 bytes/);
    await expect(readBody(await get('endless'), 5000)).rejects.toThrow(/more than 5000 bytes/);
    await expect(readBody(await get('broken'), 100)).rejects.toThrow();
    await expect(readBody(await get('silent'), 100)).rejects.toThrow();
    await expect(get('nothing')).rejects.toThrow(/cannot be reached: it sent nothing for 0.3 seconds/);
    await expect(outside(url, { signal: AbortSignal.abort(new Error('stopped')) })).rejects.toThrow(
      'stopped',
    );
  });
});
