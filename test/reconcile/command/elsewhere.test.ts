/** One package of another repository, paused, resumed and updated from the repository that governs a fleet. */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, configuration, locked } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { Answered } from '../stage-repository.ts';
import { startStage, type Login, type Stage } from '../stage.ts';

let stage: Stage;
let issue: number;

const WEB = smallPackage('web', { data: { color: 'v1' } });
const SPEC = 'branch: main\ndeployment: true\nupdates: { follow: latest }';
const SHARES = `${SPEC}\nsharing: { within: organization }\ncontrolledBy: [acme/fleet]`;
const NAMED = `${SPEC}\nsharing: { from: [acme/up] }\ncontrolledBy: [acme/fleet]`;
const UP = 'branch: main\nsharing: { within: organization, to: [acme/*] }';
const FLEET = 'branch: main\nsharing: { within: organization }';
const ROLLOUT = `apiVersion: config.portico.dev/v1alpha1
kind: Rollout
metadata: { name: web }
spec:
  upstreams: [{ repo: acme/up, packages: [web] }]
  waves: [{ name: edges, select: { repositories: [edge-*] } }]
`;
const PAUSED = 'refs/portico/paused/web/updates';

beforeAll(async () => {
  stage = await startStage({
    up: { spec: `${UP}\ncontrolledBy: [acme/fleet]`, files: below('web', WEB) },
    fleet: { spec: FLEET, files: { '.github/portico/rollout.yaml': ROLLOUT } },
    // carol may write in `fleet` alone, mona in `edge-hidden` alone.
    'edge-1': { spec: SHARES, collaborators: { bob: 'write', carol: 'read' } },
    'edge-named': { spec: NAMED, collaborators: { bob: 'write', carol: 'read' } },
    'edge-hidden': { spec: SHARES, collaborators: { mona: 'write' } },
    'edge-closed': { spec: SPEC },
    // Their packages are locked to a commit that the upstream does not have.
    'edge-lost': { spec: SHARES },
    'edge-lost-named': { spec: NAMED },
  });
  const up = stage.repository('up');
  await up.tag('web/v1', await up.head('main'));
  const Kptfile = locked(WEB['Kptfile']!, up.url, 'web', 'web/v1', await up.head('main'));
  for (const name of ['edge-1', 'edge-named', 'edge-hidden', 'edge-closed']) {
    await stage.repository(name).push('main', below('web', { ...WEB, Kptfile }));
  }
  const lost = locked(WEB['Kptfile']!, up.url, 'web', 'main', '1'.repeat(40));
  for (const name of ['edge-lost', 'edge-lost-named']) {
    await stage.repository(name).push('main', below('web', { ...WEB, Kptfile: lost }));
  }
  await stage.idle();
  const { where } = stage.repository('fleet');
  issue = (await stage.as('bob').rest.issues.create({ ...where, title: 'Fleet' })).data.number;
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

function say(body: string, as: Login = 'bob'): Promise<Answered> {
  return stage.repository('fleet').command(issue, `/portico ${body}`, as);
}

/** What became of an update that had to be asked for, as the issue of the fleet says it. */
async function updateAnswer(name: string): Promise<string> {
  expect((await say(`update ${name}:web@v2`)).reaction).toBe('rocket');
  const comments = await stage.repository('fleet').comments(issue);
  return comments.map(({ body }) => body ?? '').findLast((body) => body.includes('portico:asked')) ?? '';
}

async function isPaused(name: string): Promise<boolean> {
  const refs = await stage.repository(name).git('for-each-ref', '--format=%(refname)');
  return refs.split('\n').includes(PAUSED);
}

test('a package is paused and resumed from the repository of the fleet, and the answer names and links it', async () => {
  const edge = stage.repository('edge-1');
  const paused = await say('pause acme/edge-1:web');
  expect(paused).toMatchObject({
    reaction: 'rocket',
    reply: expect.stringMatching(
      /In \[`acme\/edge-1`\]\(http\S+\/acme\/edge-1\): Updates of `acme\/edge-1:web` are paused\. Resume them with `\/portico resume acme\/edge-1:web`/,
    ) as string,
  });
  const record = await edge.git('cat-file', 'tag', PAUSED);
  expect(record).toContain('Paused-By: bob');
  expect(record).toContain(`Requested-In: acme/fleet#${issue}`);
  expect(stage.log.findLast((line) => line.includes('"command":"pause"'))).toMatch(
    /"repository":"acme\/edge-1".*"from":"acme\/fleet".*"by":"bob"/,
  );
  expect((await say('pause edge-1:web')).reply).toContain('already paused, by `bob`');
  const resumed = await say('resume edge-1:web');
  expect([resumed.reaction, resumed.reply]).toEqual([
    'rocket',
    expect.stringContaining('Updates of `acme/edge-1:web` are resumed.'),
  ]);
  expect(await isPaused('edge-1')).toBe(false);
  expect(await edge.pulls()).toEqual([]);
});

longTest(
  'an update that is asked for there comes although it is paused, and the answer links it',
  async () => {
    const [up, edge] = [stage.repository('up'), stage.repository('edge-1')];
    await say('pause edge-1:web');
    await up.publish('two', { 'web/config.yaml': configMap('web', { color: 'two' }) });
    expect(await edge.pulls()).toEqual([]);
    const { reaction } = await say('update edge-1:web@v2');
    expect(reaction).toBe('rocket');
    const [pull] = await edge.pulls();
    const answers = (await stage.repository('fleet').comments(issue)).map(({ body }) => body ?? '');
    expect(answers.at(-1)).toMatch(
      new RegExp(
        `\\[\`acme/edge-1#${pull!.number}\`\\]\\(http\\S+/acme/edge-1/pull/${pull!.number}\\) updates \`acme/edge-1:web\` to upstream \`v2\``,
      ),
    );
    // Not in the conversation of that number there.
    const there = (await edge.comments(pull!.number)).map(({ body }) => body ?? '');
    expect(there.filter((body) => body.includes('portico:asked'))).toEqual([]);
    await say('resume edge-1:web');
  },
);

longTest('why no update comes there is told as far as readers of the issue may know', async () => {
  const shared = await updateAnswer('edge-lost');
  expect(shared).toMatch(/`acme\/edge-lost:web` is not updated to upstream `v2` \(`[a-z-]+`\): /);
  expect(shared).toMatch(/See the dashboard of \[`acme\/edge-lost`\]\(http/);
  const named = await updateAnswer('edge-lost-named');
  expect(named).toMatch(/`acme\/edge-lost-named:web` is not updated to upstream `v2` \(`[a-z-]+`\)\. See/);
});

test('the rights of the repository that holds the package count, with the words of a comment there', async () => {
  for (const line of ['pause acme/edge-1:web', 'resume acme/edge-1:web', 'update acme/edge-1:web']) {
    const { reaction, reply } = await say(line, 'carol');
    expect(reaction).toBe('confused');
    expect(reply).toContain('is for the role write or higher, and your role is read');
  }
  expect(await isPaused('edge-1')).toBe(false);
  // Its readers alone may know more than the name of this one.
  expect((await say('pause edge-named:web', 'carol')).reply).toContain(
    'Your rights in `acme/edge-named` do not include `/portico pause`.',
  );
  expect((await say('pause edge-named:none')).reply).toContain(
    'run the command in an issue there to read why',
  );
  expect((await say('pause edge-named:web')).reply).toContain('Updates of `acme/edge-named:web` are paused.');
  expect(await stage.repository('edge-named').git('cat-file', 'tag', PAUSED)).not.toContain('acme/fleet');
  await say('resume edge-named:web');
});

test('what the caller cannot see, what does not consent and what does not exist read the same', async () => {
  const words = async (name: string, as: Login): Promise<string> => {
    const { reaction, reply = '' } = await say(`pause acme/${name}:web`, as);
    expect(reaction).toBe('confused');
    return reply.replaceAll(name, 'NAME').replace(/<!-- portico:reply .*? -->/, '');
  };
  const nowhere = await words('nowhere-at-all', 'bob');
  expect(nowhere).toContain('No repository `acme/NAME` can be reached from here.');
  expect(await words('edge-hidden', 'bob')).toBe(nowhere);
  expect(await words('edge-closed', 'bob')).toBe(nowhere);
  expect(await isPaused('edge-hidden')).toBe(false);
  expect(await isPaused('edge-closed')).toBe(false);
  // The repository of the issue may be named, too.
  expect((await say('pause acme/fleet:web')).reply).toContain('There is no package `web`');
  const two = await say('pause acme/nowhere:web\n/portico resume acme/edge-1:web');
  expect(two.reply).toContain('The command after it was not run.');
  // A name that is nearly one is completed only for people who can read that repository.
  expect((await say('pause acme/edge-hiden:web')).reply).not.toContain('hidden');
  expect((await say('pause acme/edge-2:web')).reply).toContain('Did you mean `acme/edge-1:web`?');
  expect((await say('pause acme/edge-1:wbe')).reply).toContain('Did you mean `acme/edge-1:web`?');
});

test('a downstream where a wave belongs is answered with the command that leaves it out', async () => {
  const { reaction, reply } = await say('rollout skip web edge-1');
  expect(reaction).toBe('confused');
  expect(reply).toContain('`/portico pause acme/edge-1:web` leaves it out of its wave');
});

longTest('consent that is taken back counts at once', async () => {
  const edge = stage.repository('edge-1');
  await edge.push('main', { '.github/portico.yaml': configuration('edge-1', SPEC) });
  await stage.idle();
  expect((await say('pause acme/edge-1:web')).reply).toContain('No repository `acme/edge-1` can be reached');
  expect(await isPaused('edge-1')).toBe(false);
});
