import { expect, test } from 'vitest';

import { configMap, smallPackage } from '../reconcile/small-package.ts';
import { inState } from './crash-run.ts';
import { eventually } from './eventually.ts';
import { openCourier } from './fault-courier.ts';
import { makeGround, type FaultStage, type Ground } from './fault-stage.ts';
import { forgeState } from './forge-state.ts';
import { below, configuration, locked } from './packages.ts';

/**
 * Thousands of webhooks on the way to a real process, `npm run faults` only: many packages are changed, edited and
 * published at once, again and again, while three of ten webhooks are lost (of half of those the forge does not know), three of ten
 * come twice, and all come late and in any order. In the end the forge is as where each came once and in order.
 */
const PACKAGES = Number(process.env['FAULT_PACKAGES'] ?? 16);
const ROUNDS = Number(process.env['FAULT_ROUNDS'] ?? 2);
/** How often people change the title of each proposal and change it back, while the webhooks get lost. */
const EDITS = Number(process.env['FAULT_EDITS'] ?? 50);
const SEED = Number(process.env['FAULT_SEED'] ?? 7);

const UP = 'blueprints';
const DOWN = ['east', 'west'];
const ALL = [UP, ...DOWN];
const SPEC =
  'branch: main\npublish: { requireApprovals: 1 }\nupdates: { maxOpen: 100 }\nsharing: { within: organization }';
const names = Array.from({ length: PACKAGES }, (_, at) => `p${at}`);
const COLORS = ['blue', 'red', 'green', 'white', 'black'];
/** Work goes on at its own pace; without any progress for so long it has stopped. */
const PATIENCE = 900;

test(
  `webhooks lost, doubled, late and in any order: ${PACKAGES} packages, ${ROUNDS} rounds`,
  { tags: ['campaign'], timeout: 7_200_000 },
  async () => {
    const ground = await makeGround(ALL);
    try {
      await prepare(ground);
      const wanted = await undisturbed(ground);
      await using stage = await ground.open('courier', 'prepared');
      await using courier = await openCourier({
        to: ground.botPort,
        lose: 0.3,
        duplicate: 0.3,
        delayMilliseconds: 3_000,
        seed: SEED,
      });
      stage.forge.setAppWebhookUrl(courier.url);
      const bot = await stage.startBot({ env: { SWEEP_MINUTES: '2' } });
      await story(stage, EDITS);
      await inState(stage, wanted, bot, PATIENCE, seen);
      await courier.idle();
      await inState(stage, wanted, bot, PATIENCE, seen);
      process.stderr.write(`webhooks: ${JSON.stringify(courier.counts)}, seed ${SEED}\n`);
      expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
    } finally {
      ground.remove();
    }
  },
);

function ofAll(make: (name: string) => Record<string, string>): Record<string, string> {
  return Object.assign({}, ...names.map((name) => below(name, make(name))));
}

async function prepare(ground: Ground): Promise<void> {
  const stage = await ground.open('prepared');
  const up = stage.repository(UP);
  await up.seed({
    ...ofAll((name) => smallPackage(name)),
    '.github/portico.yaml': configuration(UP, SPEC),
  });
  const commit = await up.head('main');
  for (const name of names) await up.tag(`${name}/v1`, commit);
  for (const down of DOWN) {
    await stage.repository(down).seed({
      ...ofAll((name) => {
        const files = smallPackage(name);
        return {
          ...files,
          Kptfile: locked(files['Kptfile']!, `${up.url}.git`, name, `${name}/v1`, commit),
        };
      }),
      '.github/portico.yaml': configuration(down, SPEC),
    });
  }
  const bot = await stage.startBot();
  await stage.quiet();
  expect(await bot.end('SIGTERM')).toBe(0);
  await stage.close();
}

async function undisturbed(ground: Ground): Promise<readonly string[]> {
  await using stage = await ground.open('undisturbed', 'prepared');
  const bot = await stage.startBot();
  await stage.quiet();
  await story(stage, 0);
  await stage.quiet(PATIENCE);
  const state = await seen(stage);
  expect(await bot.end('SIGTERM')).toBe(0);
  return state;
}

/** Which proposal was merged first is nobody's business: of a revision its package counts, of main what it holds. */
async function seen(stage: FaultStage): Promise<readonly string[]> {
  const state = await forgeState(stage, ALL);
  const lines = state.map(async (line) => {
    const [, repo = '', ref = '', name = '', rest = ''] = REVISION.exec(line) ?? [];
    if (repo !== '')
      return `${repo}: ${ref} ${await stage.repository(repo).git('rev-parse', `${ref}:${name}`)} ${rest}`;
    return line.replace(/( ref refs\/heads\/main \w+) .*/, '$1');
  });
  return (await Promise.all(lines)).sort();
}

const REVISION = /^(\w+): ref (refs\/(?:tags|portico\/published)\/(\w+)\/v\d+) \w+ (.*)$/;

/** In each round every package gets a proposal, edits of its title, an approval, and a wish to be published. */
async function story(stage: FaultStage, edits: number): Promise<void> {
  const up = stage.repository(UP);
  for (let round = 1; round <= ROUNDS; round += 1) {
    const numbers: number[] = [];
    for (const name of names) {
      const branch = `drafts/${name}/r${round}`;
      await up.push(branch, { [`${name}/config.yaml`]: configMap(name, { color: COLORS[round]! }) });
      numbers.push((await up.create(branch)).data.number);
    }
    await each(numbers, async (number) => {
      const check = (await up.checksOf(number)).get('portico');
      return check?.status === 'completed';
    });
    await Promise.all(numbers.map((number) => edit(stage, number, edits)));
    for (const pull_number of numbers) {
      await stage.as('bob').rest.pulls.createReview({ ...up.where, pull_number, event: 'APPROVE' });
      await up.say(pull_number, '/portico publish');
    }
    await each(names, async (name) => (await up.tags()).has(`${name}/v${round + 1}`));
    for (const down of DOWN) {
      await each(names, async (name) => {
        const { data } = await stage
          .as('alice')
          .rest.pulls.list({ ...stage.repository(down).where, per_page: 100 });
        return data.some(({ title }) => title === `Update ${name} to upstream v${round + 1}`);
      });
    }
  }
}

/** Leaves it as it was. */
async function edit(stage: FaultStage, pull_number: number, times: number): Promise<void> {
  const { pulls } = stage.as('alice').rest;
  const where = { ...stage.repository(UP).where, pull_number };
  const { title } = (await pulls.get(where)).data;
  for (let count = 0; count < times; count += 1) {
    await pulls.update({ ...where, title: `${title} (${count})` });
    await pulls.update({ ...where, title });
  }
}

async function each<Item>(items: readonly Item[], holds: (item: Item) => Promise<boolean>): Promise<void> {
  for (const item of items) await eventually(String(item), () => holds(item), PATIENCE);
}
