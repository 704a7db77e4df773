import { WEB_CHANNELS } from '../channels/web-channels.ts';
import { configMap, smallPackage } from '../reconcile/small-package.ts';
import type { FaultStage, Ground } from './fault-stage.ts';
import { OWNER } from './fault-stage.ts';
import { below, configuration, locked, webPackage } from './packages.ts';

export const REPOSITORIES = ['blueprints', 'deploy', 'many'] as const;

/** What a person does; the bot's work follows from it. Nothing here waits for the bot. */
export interface Scenario {
  readonly name: string;
  /** A refusal or failure of the last step would make it no scenario: what must be seen at the end. */
  readonly wanted: string;
  act(stage: FaultStage): Promise<void>;
}

const SPEC = 'branch: main\npublish: { requireApprovals: 1 }\nsharing: { within: organization }';
const PREPARED = 'prepared';
const CHANNELS = `${WEB_CHANNELS}  members: [v1]
`;

/**
 * A forge on which every scenario can begin: `web` and `db` published, an approved proposal of web, a draft that is not
 * rendered, two packages downstream, issues for commands, a plan for many at once. The bot has seen it all and is down.
 */
export async function prepare(ground: Ground, scenarios: readonly Scenario[] = SCENARIOS): Promise<string> {
  const stage = await ground.open(PREPARED);
  const [up, down, many] = REPOSITORIES.map((name) => stage.repository(name));
  await up!.seed({
    ...below('web', webPackage()),
    ...below('db', smallPackage('db')),
    '.github/portico.yaml': configuration('blueprints', SPEC),
  });
  const commit = await up!.head('main');
  for (const tag of ['web/v1', 'db/v1']) await up!.tag(tag, commit);
  const files = webPackage();
  const Kptfile = locked(files['Kptfile']!, `${up!.url}.git`, 'web', 'web/v1', commit);
  await down!.seed({
    ...below('shop', { ...files, Kptfile }),
    ...below('cart', { ...files, Kptfile }),
    '.github/portico.yaml': configuration('deploy', SPEC),
  });
  await many!.seed({
    ...below('a', smallPackage('a')),
    ...below('b', smallPackage('b')),
    '.github/portico.yaml': configuration('many', SPEC),
  });
  const bot = await stage.startBot();
  await stage.quiet();
  const first = await up!.propose('drafts/web/next', {
    'web/setters.yaml': webPackage('1.1.0')['setters.yaml']!,
  });
  await up!.review(first.number, 'APPROVE');
  if (scenarios.some(({ name }) => name !== 'publish')) await prepareMore(stage);
  const code = await bot.end('SIGTERM');
  if (code !== 0) throw new Error(bot.log());
  await stage.close();
  return PREPARED;
}

async function prepareMore(stage: FaultStage): Promise<void> {
  const [up, down, many] = REPOSITORIES.map((name) => stage.repository(name));
  const late = webPackage('1.2.0')['setters.yaml']!;
  await up!.push('drafts/web/late', { 'web/setters.yaml': late });
  await up!.open('drafts/web/late', { draft: true });
  await many!.propose('drafts/a/one', { 'a/config.yaml': configMap('a', { color: 'red' }) });
  await many!.propose('drafts/b/one', { 'b/config.yaml': configMap('b', { color: 'red' }) });
  for (const [repository, title] of [
    [up, 'Commands'],
    [up, 'Retire'],
    [many, 'Bulk'],
    [down, 'Here'],
  ] as const)
    await stage.as('alice').rest.issues.create({ ...repository!.where, title });
  await stage.quiet();
  await many!.command(await issue(stage, 'many', 'Bulk'), '/portico bulk approve --match=*', 'bob');
  await up!.command(await issue(stage, 'blueprints', 'Retire'), '/portico delete db@v1', 'bob');
  await stage.quiet();
}

async function issue(stage: FaultStage, repo: string, title: string): Promise<number> {
  const { data } = await stage
    .as('alice')
    .rest.issues.listForRepo({ owner: OWNER, repo, state: 'all', per_page: 100 });
  return data.find((one) => one.title === title)!.number;
}

async function pullOf(stage: FaultStage, repo: string, head: string): Promise<number> {
  const { data } = await stage.as('alice').rest.pulls.list({ owner: OWNER, repo, head: `${OWNER}:${head}` });
  return data[0]!.number;
}

const inIssue = (repo: string, title: string, body: string, by: 'alice' | 'bob' = 'alice') => ({
  async act(stage: FaultStage) {
    await stage.repository(repo).say(await issue(stage, repo, title), body, by);
  },
});

const inPull = (repo: string, head: string, body: string, by: 'alice' | 'bob' = 'alice') => ({
  async act(stage: FaultStage) {
    await stage.repository(repo).say(await pullOf(stage, repo, head), body, by);
  },
});

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'publish',
    wanted: 'ref refs/tags/web/v2',
    ...inPull('blueprints', 'drafts/web/next', '/portico publish'),
  },
  {
    name: 'render',
    wanted: 'pull drafts/web/late check portico completed success',
    ...inPull('blueprints', 'drafts/web/late', '/portico render'),
  },
  {
    name: 'push to a draft',
    wanted: 'pull drafts/web/late check portico completed success',
    async act(stage) {
      await stage
        .repository('blueprints')
        .push('drafts/web/late', { 'web/setters.yaml': webPackage('1.3.0')['setters.yaml']! });
    },
  },
  {
    name: 'update of two downstream (fan-out)',
    wanted: 'pull portico/update',
    async act(stage) {
      const up = stage.repository('blueprints');
      const { rest } = stage.as('alice');
      const pull_number = await pullOf(stage, 'blueprints', 'drafts/web/next');
      await rest.pulls.merge({ ...up.where, pull_number, merge_method: 'merge' });
    },
  },
  { name: 'bulk', wanted: 'All items are done', ...inIssue('many', 'Bulk', '/portico confirm', 'bob') },
  {
    name: 'delete',
    wanted: '"Delete db"',
    ...inIssue('blueprints', 'Commands', '/portico delete db'),
  },
  {
    name: 'promote',
    wanted: '"Promote web v1 to stable"',
    ...inIssue('blueprints', 'Commands', '/portico promote web@v1 to stable'),
  },
  {
    name: 'channel file',
    wanted: 'ref refs/tags/web/stable',
    async act(stage) {
      await stage.repository('blueprints').push('main', { '.github/portico/channels/web.yaml': CHANNELS });
    },
  },
  { name: 'retire', wanted: 'is retired', ...inIssue('blueprints', 'Retire', '/portico approve') },
  {
    name: 'init of a draft',
    wanted: 'pull drafts/apps/new/v1',
    ...inIssue('deploy', 'Here', '/portico init apps/new'),
  },
  {
    name: 'clone of a draft',
    wanted: 'pull drafts/apps/db/v1',
    ...inIssue('deploy', 'Here', '/portico clone acme/blueprints:db@v1 apps/db'),
  },
];
