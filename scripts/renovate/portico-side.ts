import { mkdirSync } from 'node:fs';

import { quiet, startBotProcess } from '../../test/e2e/bot-process.ts';
import { freePort } from '../../test/e2e/portico-process.ts';
import { publishV2, startDownstream } from '../bench/downstream.ts';
import { workspace } from '../bench/workspace.ts';
import { openCounting, watchPulls, type Round } from './counting.ts';

/** Portico as a process: the first look at everything, the update, and everything looked at again. */
export async function playPortico(options: {
  readonly repositories: number;
  readonly say: (text: string) => void;
}): Promise<Round[]> {
  using place = workspace();
  await using forge = await startDownstream(place, options.repositories, 1);
  await using counting = await openCounting(forge);
  const port = await freePort();
  forge.setAppWebhookUrl(`http://127.0.0.1:${port}/api/github/webhooks`);
  const data = place.path('bot');
  mkdirSync(data);
  const settings = {
    forge,
    data,
    port,
    host: new URL(counting.proxy.url).host,
    env: { LOG_LEVEL: 'error' },
  };
  const started = performance.now();
  options.say('portico: the first look');
  let bot = await startBotProcess(settings);
  try {
    const first = await counting.round({ who: 'portico', what: 'first look' }, async () => {
      await quiet(forge, port, 1_800);
      return since(started);
    });
    options.say('portico: the update');
    const update = await counting.round({ who: 'portico', what: 'update' }, async () => {
      const pulls = watchPulls(forge, options.repositories);
      const began = performance.now();
      await publishV2(forge.apiUrl);
      await Promise.race([pulls.all, quiet(forge, port, 1_800)]);
      const seconds = (pulls.last() - began) / 1000;
      await quiet(forge, port, 1_800);
      pulls.off();
      return seconds;
    });
    options.say('portico: everything again');
    await bot.end('SIGTERM');
    const again = await counting.round({ who: 'portico', what: 'nothing new, started again' }, async () => {
      const began = performance.now();
      bot = await startBotProcess(settings);
      await quiet(forge, port, 1_800);
      return since(began);
    });
    return [first, update, again];
  } finally {
    await bot.end('SIGKILL');
  }
}

function since(from: number): number {
  return (performance.now() - from) / 1000;
}
