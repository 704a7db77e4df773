import { expect, test } from 'vitest';

import { eventually } from './eventually.ts';
import { makeGround } from './fault-stage.ts';
import { startPortico } from './portico-process.ts';

/** A forge in maintenance at the start of the server: the process waits for it, and neither ends nor keeps a person from ending it. */

const WAITS = 'the forge does not answer: the start waits';

test(
  'a server waits for a forge that answers 503, and starts when it is back',
  { tags: ['story'], timeout: 180_000 },
  async () => {
    const ground = await makeGround(['web']);
    using _ground = { [Symbol.dispose]: () => ground.remove() };
    await using stage = await ground.open('away');
    let refused = 0;
    stage.proxy.judge(({ path }) => {
      if (!path.endsWith('/app')) return undefined;
      refused += 1;
      // The client repeats each call some times by itself.
      return refused > 12 ? undefined : { kind: 'answer', status: 503 };
    });
    const bot = await stage.startBot();
    expect(refused).toBeGreaterThan(12);
    const lines = bot
      .log()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'warn', msg: WAITS }));
    expect(lines).toContainEqual(expect.objectContaining({ msg: 'portico is up' }));
    expect(await bot.end('SIGTERM')).toBe(0);
  },
);

test('SIGTERM ends a server that waits for the forge', { tags: ['story'], timeout: 60_000 }, async () => {
  const ground = await makeGround(['web']);
  using _ground = { [Symbol.dispose]: () => ground.remove() };
  await using stage = await ground.open('away');
  await using bot = startPortico(['serve'], {
    APP_ID: String(stage.forge.app.id),
    PRIVATE_KEY: stage.forge.app.privateKeyPem,
    WEBHOOK_SECRET: stage.forge.app.webhookSecret,
    // Nothing listens there.
    GHE_HOST: '127.0.0.1:1',
    GHE_PROTOCOL: 'http',
    FORGE_RETRY_MS: '1',
    PORTICO_DATA: `${stage.data}/bot`,
  });
  await eventually('the line', async () => bot.log().includes(WAITS));
  expect(await bot.end('SIGTERM')).toBe(143);
});
