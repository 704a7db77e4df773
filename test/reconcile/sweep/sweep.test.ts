// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { connectForge } from '../../../src/forge/forge.ts';
import { below, locked } from '../../e2e/packages.ts';
import { configMap, smallPackage } from '../small-package.ts';
import { startStage, type Stage } from '../stage.ts';

/** For any loss, doubling or order of webhooks the end is the same. */
let stage: Stage;

const PACKAGE = smallPackage('web');
const ways = ['plain', 'lost', 'mixed'] as const;

beforeAll(async () => {
  stage = await startStage(
    {
      ...Object.fromEntries(ways.map((way) => [`up-${way}`, { files: below('web', PACKAGE) }])),
      ...Object.fromEntries(
        ways.map((way) => [`down-${way}`, { spec: 'branch: main\nupdates: { follow: latest }' }]),
      ),
    },
    { watched: true, shares: true },
  );
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** A proposal is made, approved and published by command, and comes downstream; then what can be seen of it. */
async function story(way: (typeof ways)[number], settle: () => Promise<void>): Promise<unknown> {
  const up = stage.repository(`up-${way}`);
  const down = stage.repository(`down-${way}`);
  const commit = await up.head('main');
  await up.tag('web/v1', commit);
  await down.push(
    'main',
    below('shop', { ...PACKAGE, Kptfile: locked(PACKAGE['Kptfile']!, up.url, 'web', 'web/v1', commit) }),
  );
  await settle();
  await up.push('next', { 'web/config.yaml': configMap('web', { color: 'red' }) });
  const { data: pull } = await stage
    .as('alice')
    .rest.pulls.create({ ...up.where, title: 'Red', head: 'next', base: 'main', draft: true });
  await settle();
  const said: number[] = [];
  const say = async (body: string, login: 'alice' | 'bob' = 'alice'): Promise<void> => {
    said.push(await up.say(pull.number, body, login));
    await settle();
  };
  await say('/portico propose');
  await say('/portico approve', 'bob');
  await say('/portico publish');
  await settle();
  const seen = {
    tags: [...(await up.tags()).keys()],
    releases: await up.releases(),
    merged: (await up.pull(pull.number)).merged,
    answers: await Promise.all(said.map((id) => up.answerTo(pull.number, id))),
    comments: (await up.comments(pull.number)).map(({ user, body }) => [user?.login, body]),
    checks: [...(await up.checksOf(pull.number)).values()]
      .map(({ name, conclusion }) => `${name} ${conclusion}`)
      .toSorted(),
    updates: (await down.pulls('all')).map(({ title, state, body, commits }) => ({
      title,
      state,
      body,
      commits,
    })),
    down: [...(await down.checksOf(1)).values()]
      .map(({ name, conclusion }) => `${name} ${conclusion}`)
      .toSorted(),
  };
  return JSON.parse(
    JSON.stringify(seen)
      .replaceAll(way, 'WAY')
      .replaceAll(/\b[0-9a-f]{7,64}\b/g, 'HEX')
      .replaceAll('\\"HEX\\"', 'HEX')
      .replaceAll(/portico:record \d+/g, 'RECORD')
      .replaceAll(/portico:record \S+ HEX/g, 'RECORD')
      .replaceAll(/portico:reply \d+/g, 'REPLY'),
  ) as unknown;
}

let plain: unknown;

test('as it should be', async () => {
  plain = await story('plain', () => stage.idle());
  expect(plain).toMatchObject({
    tags: ['web/v1', 'web/v2'],
    releases: ['web/v2'],
    merged: true,
    answers: [{ reaction: 'rocket' }, { reaction: 'rocket' }, { reaction: 'rocket' }],
    updates: [{ title: 'Update shop to upstream v2', state: 'open' }],
  });
});

test('every webhook is lost: the sweep finds it all', async () => {
  stage.forge.knobs.webhooks.lose = 1;
  try {
    // Lost for good: they cannot be had again either.
    const lost = await stage.watching(
      ({ path }) => (path.endsWith('/attempts') ? 404 : undefined),
      () =>
        story('lost', async () => {
          await stage.look('up-lost');
          await stage.look('down-lost');
        }),
    );
    expect(lost).toEqual(plain);
    // Closed, and nobody said so: its comment no longer tells what comes next.
    const up = stage.repository('up-lost');
    await up.push('other', { 'web/more.yaml': configMap('more', {}) }, { from: 'main' });
    const { data: pull } = await up.create('other');
    await stage.look('up-lost');
    expect(await up.sticky(pull.number)).toContain('**Next:**');
    await stage.as('alice').rest.pulls.update({ ...up.where, pull_number: pull.number, state: 'closed' });
    await stage.look('up-lost');
    expect(await up.sticky(pull.number)).toContain('### Closed without merging');
  } finally {
    stage.forge.knobs.webhooks.lose = 0;
  }
});

/** As the form for a new package makes it. */
const form = (path: string): string =>
  ['Path of the new package', 'Workspace', 'Description', 'Keywords']
    .map((label, at) => `### ${label}\n\n${at === 0 ? path : '_No response_'}`)
    .join('\n\n');

test('commands in texts that open issues and pull requests are found where their webhooks were lost', async () => {
  const repo = stage.repository('up-lost');
  const { rest } = stage.as('alice');
  const opened = async (body: string): Promise<number> =>
    (await rest.issues.create({ ...repo.where, title: 'Asked', body })).data.number;
  stage.forge.knobs.webhooks.lose = 1;
  try {
    const asked = await opened(form('asked'));
    const edited = await opened(form('mine'));
    await stage.as('bob').rest.issues.update({ ...repo.where, issue_number: edited, body: form('bobs') });
    const wrong = await opened('/portico init wrong');
    const closed = await opened(form('closed'));
    await rest.issues.update({ ...repo.where, issue_number: closed, state: 'closed' });
    const look = (): Promise<void> =>
      stage.watching(
        ({ path }) => (path.endsWith('/attempts') ? 404 : undefined),
        () => stage.look('up-lost'),
      );
    await look();
    const drafts = (await repo.pulls('all'))
      .map(({ head }) => head.ref)
      .filter((ref) => ref.startsWith('drafts/'));
    expect(drafts).toEqual([expect.stringMatching(/^drafts\/asked\//)]);
    const said = async (number: number): Promise<string[]> =>
      (await repo.comments(number)).map(({ body }) => body ?? '');
    expect(await said(asked)).toEqual([expect.stringContaining('🚀 `/portico init asked`')]);
    expect(await said(edited)).toEqual([expect.stringContaining('edited before Portico read it')]);
    expect(await said(wrong)).toEqual([expect.stringContaining('are not run')]);
    expect(await said(closed)).toEqual([]);
    expect(await stage.writesOf(look, 'up-lost')).toEqual([]);
  } finally {
    stage.forge.knobs.webhooks.lose = 0;
  }
});

test('every webhook comes twice, in any order', async () => {
  Object.assign(stage.forge.knobs.webhooks, { duplicate: 1, reorder: 8, seed: 7 });
  try {
    expect(await story('mixed', () => stage.idle())).toEqual(plain);
  } finally {
    Object.assign(stage.forge.knobs.webhooks, { duplicate: 0, reorder: 0 });
  }
});

test('a webhook that did not arrive is asked for again, and then no more', async () => {
  const { webhooks } = stage.forge.knobs;
  webhooks.lose = ({ event }) => event === 'issue_comment';
  const up = stage.repository('up-plain');
  const { data: issue } = await stage.as('alice').rest.issues.create({ ...up.where, title: 'Help' });
  const id = await up.say(issue.number, '/portico help');
  await stage.idle();
  webhooks.lose = 0;
  const asked: string[] = [];
  const sweep = (): Promise<void> =>
    stage.watching(
      ({ path }) => void (path.endsWith('/attempts') && asked.push(path)),
      () => stage.sweep(),
    );
  await sweep();
  expect(asked.length).toBeGreaterThan(0);
  expect((await up.answerTo(issue.number, id)).reactions).toEqual(['rocket']);
  const again = asked.length;
  await sweep();
  const { data } = await stage.as('alice').rest.issues.get({ ...up.where, issue_number: issue.number });
  expect(data.comments).toBe(2);
  // Those of the tests above are asked for three times and given up; this one arrived.
  expect(asked.slice(again).some((path) => asked.slice(0, again).at(-1) === path)).toBe(false);
});

test('a token for one repository opens no other (55)', async () => {
  const forge = connectForge({
    appId: stage.forge.app.id,
    privateKey: stage.forge.app.privateKeyPem,
    baseUrl: stage.forge.apiUrl,
  });
  const [installation] = await forge.installations();
  const own = stage.repository('up-plain');
  const { id } = (await stage.as('alice').rest.repos.get(own.where)).data;
  const token = await forge.tokenFor(installation!.id, id);
  const refs = (name: string): Promise<Response> =>
    fetch(`${stage.forge.gitUrl}/acme/${name}.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}` },
    });
  expect((await refs('up-plain')).status).toBe(200);
  expect((await refs('down-plain')).ok).toBe(false);
  const api = (path: string): Promise<Response> =>
    fetch(`${stage.forge.apiUrl}/repos/acme/${path}`, { headers: { authorization: `Bearer ${token}` } });
  expect((await api('up-plain/branches')).status).toBe(200);
  expect((await api('down-plain/branches')).ok).toBe(false);
});

test('no line of the log of all this holds a token, its base64, or a key (58)', () => {
  expect(stage.log.length).toBeGreaterThan(20);
  const { webhookSecret, privateKeyPem } = stage.forge.app;
  const key = privateKeyPem.split('\n')[3] ?? privateKeyPem;
  // Every base64 of a text with the prefix holds one of these, by where it falls.
  const base64 = ['Z2hzX', 'doc19', 'naHNf'];
  const bad = stage.log.filter(
    (line) =>
      [...base64, 'PRIVATE KEY', 'x-access-token', webhookSecret, key].some((secret) =>
        line.includes(secret),
      ) || /gh[opsur]_/.test(line),
  );
  expect(bad).toEqual([]);
});
