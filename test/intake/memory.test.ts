import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';

import { describe, expect, test } from 'vitest';

const MEBIBYTE = 1024 * 1024;

/** A process with nothing but the door, which tells its memory when asked. */
const SERVER = `
  import { createServer } from 'node:http';
  import { pino } from 'pino';
  import { createDoor } from '${new URL('../../src/intake/door.ts', import.meta.url).href}';
  const door = createDoor({
    secrets: ['the secret of this test'],
    inbox: { store: async () => { throw new Error('nothing here is signed'); } },
    onStored: async () => {},
    log: pino({ level: 'silent' }),
  });
  let peak = 0;
  const look = () => { peak = Math.max(peak, process.memoryUsage.rss()); };
  setInterval(look, 5);
  const server = createServer((request, response) => {
    if (request.url !== '/memory') return door(request, response);
    look();
    response.end(String(peak));
    peak = 0;
  });
  server.listen(0, '127.0.0.1', () => console.log(server.address().port));
`;

describe('4 the memory of the door', () => {
  test.each([
    ['25 MiB and one byte, length given', 25 * MEBIBYTE + 1, true],
    ['25 MiB and one byte, streamed', 25 * MEBIBYTE + 1, false],
    ['60 MiB, length given', 60 * MEBIBYTE, true],
    ['60 MiB, streamed', 60 * MEBIBYTE, false],
  ])('an unsigned body of %s costs less than 40 MiB', async (_what, size, known) => {
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', SERVER], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: new URL('../..', import.meta.url).pathname,
    });
    const ended = once(child, 'exit');
    try {
      const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
      // The first request loads what the first request loads.
      await send(port, 1000, true);
      await memory(port);
      const before = await memory(port);
      // A well-formed signature that does not fit, so that only the size can stop it early.
      expect([401, 413]).toContain(await send(port, size, known));
      expect((await memory(port)) - before).toBeLessThan(40 * MEBIBYTE);
    } finally {
      child.kill('SIGKILL');
      await ended;
    }
  });
});

async function memory(port: string): Promise<number> {
  return Number(await (await fetch(`http://127.0.0.1:${port}/memory`)).text());
}

function send(port: string, size: number, known: boolean): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'x-github-event': 'push',
      'x-github-delivery': 'one',

      'x-hub-signature-256': `sha256=${'0'.repeat(64)}`,
      ...(known && { 'content-length': size }),
    };
    const options = { port, method: 'POST', path: '/api/github/webhooks', headers, agent: false };
    const sending = request(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sending.on('error', reject);
    const chunk = Buffer.alloc(65_536, 0x20);
    let left = size;
    const more = (): void => {
      while (left > 0) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        left -= part.length;
        if (!sending.write(part)) return void sending.once('drain', more);
      }
      sending.end();
    };
    more();
  });
}
