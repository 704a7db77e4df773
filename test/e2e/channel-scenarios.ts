import { WEB_CHANNELS } from '../channels/web-channels.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import type { Scenario } from './fault-scenarios.ts';
import { OWNER, type FaultStage, type Ground } from './fault-stage.ts';
import { below, configuration, locked } from './packages.ts';

/** The package with channels, two packages that follow them, and one repository of four packages that are published together. */
export const CHANNEL_REPOSITORIES = ['offers', 'follows', 'batch'] as const;

const SPEC = 'branch: main\npublish: { requireApprovals: 0 }\nsharing: { within: organization }';
const FILE = '.github/portico/channels/web.yaml';
const BATCH = ['four', 'one', 'three', 'two'] as const;

/** The channels of web: every revision is in candidate; what stable has is said. */
function channels(stable: readonly string[], { promotion = '', more = '' } = {}): string {
  return `${WEB_CHANNELS}${promotion}  members:
${stable.map((member) => `  - ${member}\n`).join('')}${more}`;
}

/** v1 to v4 are published, stable has up to v3, and an update to v3 is open in both packages that follow it. */
export async function prepareChannels(ground: Ground): Promise<string> {
  const stage = await ground.open('prepared-channels');
  const [up, down, batch] = CHANNEL_REPOSITORIES.map((name) => stage.repository(name));
  const web = smallPackage('web', { data: { color: 'v0' } });
  await up!.seed({ ...below('web', web), '.github/portico.yaml': configuration('offers', SPEC) });
  for (const revision of ['v1', 'v2', 'v3', 'v4']) {
    const commit = await up!.push('main', { 'web/config.yaml': configMap('web', { color: revision }) });
    await up!.tag(`web/${revision}`, commit);
  }
  await up!.push('main', { [FILE]: channels(['v1', 'v2', 'v3']) });
  const commit = (await up!.tags()).get('web/v1')!;
  const files = { ...web, 'config.yaml': configMap('web', { color: 'v1' }) };
  const Kptfile = locked(web['Kptfile']!, up!.url, 'web', 'web/v1', commit);
  await down!.seed({
    ...below('shop', { ...files, Kptfile }),
    ...below('cart', { ...files, Kptfile }),
    '.github/portico.yaml': configuration('follows', `${SPEC}\nupdates: { follow: channel/stable }`),
  });
  await batch!.seed({
    ...Object.assign({}, ...BATCH.map((name) => below(name, smallPackage(name)))),
    '.github/portico.yaml': configuration('batch', SPEC),
  });
  const bot = await stage.startBot();
  await stage.quiet();
  for (const title of ['Promote', 'Withdraw', 'Deprecate'])
    await stage.as('alice').rest.issues.create({ ...up!.where, title });
  await up!.propose('promote', { [FILE]: channels(['v1', 'v2', 'v3', 'v4']) });
  await batch!.propose(
    'all',
    Object.fromEntries(BATCH.map((name) => [`${name}/config.yaml`, configMap(name, { color: 'red' })])),
  );
  await stage.quiet();
  const code = await bot.end('SIGTERM');
  if (code !== 0) throw new Error(bot.log());
  await stage.close();
  return 'prepared-channels';
}

const says = (issue: string, body: string) => ({
  async act(stage: FaultStage) {
    const { data } = await stage.as('alice').rest.issues.listForRepo({ owner: OWNER, repo: 'offers' });
    const { number } = data.find(({ title }) => title === issue)!;
    await stage.repository('offers').say(number, body, 'bob');
  },
});

const pushes = (text: string) => ({
  async act(stage: FaultStage) {
    await stage.repository('offers').push('main', { [FILE]: text });
  },
});

const merges = (repo: string, branch: string) => ({
  async act(stage: FaultStage) {
    const { rest } = stage.as('alice');
    const where = { owner: OWNER, repo };
    const { data } = await rest.pulls.list({ ...where, head: `${OWNER}:${branch}` });
    await rest.pulls.merge({ ...where, pull_number: data[0]!.number, merge_method: 'merge' });
  },
});

/** What is seen at the end names what nothing before has. */
export const CHANNEL_SCENARIOS: readonly Scenario[] = [
  {
    name: 'promotion by command',
    wanted: 'open draft=false merged=false "Promote web v4 to stable"',
    ...says('Promote', '/portico promote web@v4 to stable'),
  },
  {
    name: 'withdrawal by command',
    wanted: 'open draft=false merged=false "Withdraw web v3"',
    ...says('Withdraw', '/portico withdraw web@v3 "broken probe"'),
  },
  {
    name: 'deprecation by command',
    wanted: 'open draft=false merged=false "Deprecate web v1"',
    ...says('Deprecate', '/portico deprecate web@v1 "old API" --superseded-by=v4'),
  },
  { name: 'merge of a promotion', wanted: '"Update shop to upstream v4"', ...merges('offers', 'promote') },
  {
    name: 'withdrawal with open updates',
    wanted: '"Update shop to upstream v2"',
    ...pushes(channels(['v1', 'v2', '{revision: v3, withdrawn: {reason: "broken probe"}}'])),
  },
  {
    name: 'deprecation of what updates bring',
    wanted: '"Update shop to upstream v2"',
    ...pushes(
      channels(['v1', 'v2', 'v3'], {
        more: 'deprecations:\n- {reference: {schema: revision, name: v3}, message: "old API"}\n',
      }),
    ),
  },
  {
    name: 'promotion that merges itself',
    wanted: 'closed draft=false merged=true "Promote web v4 to stable"',
    ...pushes(channels(['v1', 'v2', 'v3'], { promotion: '  promotion: { from: candidate, auto: merge }\n' })),
  },
  { name: 'batch of four packages', wanted: 'ref refs/tags/two/v1', ...merges('batch', 'all') },
];
