import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { makeGround } from './fault-stage.ts';

test(
  'a server whose event loop stands still ends itself within a minute',
  { tags: ['story'], timeout: 180_000 },
  async () => {
    const ground = await makeGround(['web']);
    try {
      await using stage = await ground.open('still');
      const hook = join(ground.root, 'hook.mjs');
      writeFileSync(hook, "process.on('SIGUSR2', () => { for (;;); });");
      const bot = await stage.startBot({ env: { NODE_OPTIONS: `--import=${hook}` } });
      const exited = once(bot.child, 'exit', { signal: AbortSignal.timeout(60_000) });
      bot.child.kill('SIGUSR2');
      expect(await exited).toEqual([null, 'SIGKILL']);
      expect(JSON.parse(bot.log().trimEnd().split('\n').at(-1)!)).toMatchObject({
        level: 'fatal',
        seconds: 30,
        msg: 'the event loop stands still: the process ends',
      });
    } finally {
      ground.remove();
    }
  },
);
