import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { collaborationStore } from '../../../localforge/src/collaboration-store.ts';
import { appJwt } from '../../../localforge/test/forge-fixture.ts';
import { acceptEvent } from '../../../src/bot/deliveries.ts';
import { REPLIES_AN_HOUR } from '../../../src/reconcile/command/reply-share.ts';
import { commentJob } from '../../../src/reconcile/jobs.ts';
import { VERSION } from '../../../src/version.ts';
import { routedEvent } from '../../../src/webhook/routed-event.ts';
import { octokitAs } from '../../e2e/octokit-as.ts';
import { below } from '../../e2e/packages.ts';
import { longTest } from '../../long-test.ts';
import { configMap, smallPackage } from '../small-package.ts';
import type { StageRepository } from '../stage-repository.ts';
import { startStage, type Stage } from '../stage.ts';

let stage: Stage;
let repo: StageRepository;
let ends: StageRepository;

beforeAll(async () => {
  stage = await startStage(
    {
      life: { files: below('web', smallPackage('web')) },
      ends: { files: below('web', smallPackage('web')) },
      talk: { files: below('web', smallPackage('web')) },
      away: {
        spec: 'branch: main\npublish: { requireApprovals: 0 }',
        files: below('web', smallPackage('web')),
      },
    },
    { watched: true },
  );
  repo = stage.repository('talk');
  ends = stage.repository('ends');
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

/** A reply without its marker; addresses are checked apart. */
function oneLine({ reply = '' }: { readonly reply: string | undefined }): string {
  return reply.replace(/^<!-- .* -->\n/, '').replaceAll(/\(http[^)]*\)/g, '(URL)');
}

test('a command that was given after a push while Portico was away is carried out', async () => {
  const repo = stage.repository('away');
  await stage.stopBot();
  await repo.push('next', { 'web/config.yaml': configMap('web', { color: 'red' }) });
  const { data } = await repo.create('next');
  // The forge tells times by the second.
  await setTimeout(1_050);
  const said = await repo.say(data.number, '/portico publish');
  await setTimeout(1_050);
  await stage.startBot();
  await stage.look('away');
  expect(await repo.answerTo(data.number, said)).toMatchObject({ reaction: 'rocket' });
  expect([...(await repo.tags()).keys()]).toEqual(['web/v1']);
});

describe('the life of a proposal, by commands', () => {
  let life: StageRepository;

  test('propose, approve, reject, approve again, publish', async () => {
    life = stage.repository('life');
    const { number } = await life.propose(
      'drafts/web/next',
      { 'web/config.yaml': configMap('web', { color: 'red' }) },
      { draft: true },
    );
    expect(await life.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      replies: 1,
    });
    // What was done is said in one line, which links it.
    const proposed = await life.command(number, '/portico propose');
    expect(proposed).toMatchObject({ reactions: ['rocket'], replies: 1 });
    expect(oneLine(proposed)).toBe(
      `\`/portico propose\` by \`alice\`\n\n[#${number}](URL) is ready for review.`,
    );
    expect((await life.pull(number)).draft).toBe(false);

    const self = await life.command(number, '/portico approve');
    expect(self).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('Someone else must approve it.'),
    });
    const early = await life.command(number, '/portico publish');
    expect(early).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('Needs 1 approval: anyone with write access except alice'),
    });
    expect((await life.command(number, '/portico approve', 'bob')).reaction).toBe('rocket');
    expect(await life.sticky(number)).toContain('Approved for this content by bob.');

    const why = await life.command(number, '/portico reject', 'carol');
    expect(why).toMatchObject({ reaction: 'confused', reply: expect.stringContaining('reason is missing') });
    expect((await life.command(number, '/portico reject the colour hurts @alice', 'carol')).reaction).toBe(
      'rocket',
    );
    expect((await life.pull(number)).draft).toBe(true);
    expect(await life.sticky(number)).toContain(
      'The approval of bob does not count: the proposal was rejected after it.',
    );

    // Whoever may write can delete the comment that says so; what was approved before stays void.
    const rejection = (await life.comments(number)).find(({ body }) =>
      body?.includes('rejected this proposal'),
    );
    await stage.as('alice').rest.issues.deleteComment({ ...life.where, comment_id: rejection!.id });
    // Nor does an older comment of the App, edited into a record whose seal does not hold, stand for it.
    const oldest = (await life.comments(number)).find(({ body }) => body?.includes('portico:reply'));
    const { data: facts } = await stage.as('alice').rest.repos.get(life.where);
    const claim = { kind: 'rejection', login: 'carol', pull: number, repository: String(facts.id) };
    await stage.as('alice').rest.issues.updateComment({
      ...life.where,
      comment_id: oldest!.id,
      body: `<!-- portico:record ${encodeURIComponent(JSON.stringify(claim))} ${'0'.repeat(64)} -->`,
    });
    expect((await life.command(number, '/portico propose')).reaction).toBe('rocket');
    expect(await life.sticky(number)).toContain(
      'The approval of bob does not count: the proposal was rejected after it.',
    );
    // The forge's times are whole seconds: what is approved in the second of the rejection does not count.
    await setTimeout(1_000 - (Date.now() % 1_000));
    expect((await life.command(number, '/portico approve', 'bob')).reaction).toBe('rocket');
    expect(oneLine(await life.command(number, '/portico render', 'bob'))).toBe(
      '`/portico render` by `bob`\n\nRendering again. The [checks](URL) will show the result.',
    );
    const published = await life.command(number, '/portico publish');
    const { merged, merge_commit_sha } = await life.pull(number);
    expect(merged, published.reply).toBe(true);
    expect(oneLine(published)).toBe(
      `\`/portico publish\` by \`alice\`\n\nMerged as [\`${merge_commit_sha!.slice(0, 7)}\`](URL); its revision will be published shortly.`,
    );
    expect(published.reply).toContain(`/acme/life/commit/${merge_commit_sha})`);
    expect([...(await life.tags()).keys()]).toEqual(['web/v1']);
    expect(await life.sticky(number)).toContain('Published `web@v1`');

    // The trail in the log: who asked, for which content, and what came of it.
    const lines = stage.log.map((line) => JSON.parse(line) as Record<string, unknown>);
    const digest = expect.stringMatching(/^sha256:/);
    const of = { repository: 'acme/life', number };
    const trail = lines.filter(({ msg }) => msg === 'command');
    expect(trail).toContainEqual(
      expect.objectContaining({
        ...of,
        by: 'alice',
        command: 'approve',
        outcome: 'refused',
        code: 'self-approval',
      }),
    );
    expect(trail).toContainEqual(
      expect.objectContaining({
        ...of,
        by: 'bob',
        role: 'write',
        command: 'approve',
        outcome: 'done',
        digest,
      }),
    );
    // From the webhook of a comment to the end of its job, by the delivery.
    const { delivery, kind, key } = trail.find(
      ({ command, repository }) => command === 'publish' && repository === 'acme/life',
    )!;
    expect(kind).toBe('comment');
    const about = { delivery, repository: 'acme/life', version: VERSION };
    const followed = lines.filter((line) => line['delivery'] === delivery);
    expect(followed).toContainEqual(
      expect.objectContaining({ ...about, msg: 'webhook', event: 'issue_comment' }),
    );
    expect(followed).toContainEqual(
      expect.objectContaining({ ...about, msg: 'the job is done', key, number }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ msg: 'published', tag: 'web/v1', by: 'alice', approvedBy: ['bob'], digest }),
    );
  });

  test('commands in the body of a review are obeyed once, and answered by a reply', async () => {
    const { number } = await life.propose('next', {
      'web/config.yaml': configMap('web', { color: 'green' }),
    });
    await life.review(number, 'COMMENT', 'Looks right.\n\n/portico approve\n');
    expect(await life.sticky(number)).toContain('Approved for this content by bob.');
    const replies = async (): Promise<string[]> =>
      (await life.comments(number)).flatMap(({ body = '' }) =>
        body.startsWith('<!-- portico:reply review') ? [body] : [],
      );
    expect(await replies()).toEqual([expect.stringContaining('🚀 `/portico approve`')]);
    expect(await stage.writesOf(() => stage.look('life'))).toEqual([]);
    expect(await replies()).toHaveLength(1);

    // Whoever may write can put words into a review that somebody else has given (14).
    await life.review(number, 'COMMENT', 'Looks right.', 'carol');
    const { reviews } = collaborationStore(stage.forge.context.store);
    const given = reviews.all().findLast(({ body }) => body === 'Looks right.')!;
    // The forge tells times by the second: it was given a while ago.
    reviews.update(given.id, { submittedAt: '2026-01-01T00:00:00Z' });
    const body = 'Looks right.\n\n/portico reject no';
    const rest = stage.as('carol').rest;
    await rest.pulls.updateReview({ ...life.where, pull_number: number, review_id: given.id, body });
    await stage.look('life');
    expect((await replies())[1]).toContain('This text was edited before Portico read it');
    expect(await stage.writesOf(() => stage.look('life'))).toEqual([]);
    expect((await life.pull(number)).draft).toBe(false);
  });
});

describe('who is heard', () => {
  let number: number;

  beforeAll(async () => {
    ({ number } = await repo.propose('next', { 'web/config.yaml': configMap('web', { color: 'red' }) }));
  });

  test.each([
    ['a fence', '```\n/portico render\n```'],
    ['a quote', '> /portico render'],
    ['an HTML comment', '<!--\n/portico render\n-->'],
    ['indented code', '    /portico render'],
    ['a sentence', 'try /portico render'],
  ])('%s is no command (13)', async (_what, body) => {
    expect(await repo.command(number, body)).toEqual({
      reaction: undefined,
      reactions: [],
      reply: undefined,
      replies: 0,
    });
  });

  test('an edited comment is no command (14)', async () => {
    const id = await repo.say(number, 'hello');
    // The forge tells times by the second: it was written a while ago.
    const { comments } = collaborationStore(stage.forge.context.store);
    comments.update(id, { createdAt: '2026-01-01T00:00:00Z' });
    const rest = stage.as('alice').rest;
    await rest.issues.updateComment({ ...repo.where, comment_id: id, body: '/portico render' });
    await stage.look('talk');
    // No webhook tells of a command in it, and it is not passed over in silence.
    const told = await repo.answerTo(number, id);
    expect(told).toMatchObject({ reactions: ['confused'], replies: 1 });
    expect(told.reply).toContain('This text was edited before Portico read it');
    expect(await stage.writesOf(() => stage.look('talk'))).toEqual([]);
  });

  longTest(
    'a comment whose times differ although nobody edited it is obeyed, however it is found',
    async () => {
      const id = await repo.say(number, 'hello');
      const { comments } = collaborationStore(stage.forge.context.store);
      const { createdAt } = comments.get(id)!;
      const updatedAt = new Date(Date.parse(createdAt) + 1_000).toISOString().replace(/\.\d+Z$/, 'Z');
      comments.update(id, { body: '/portico render', updatedAt });
      await stage.look('talk');
      expect((await repo.answerTo(number, id)).reactions).toEqual(['rocket']);
    },
  );

  test('a bot is not answered, nor does the bot answer itself (15)', async () => {
    // The local forge refuses some tokens for their first seconds, and this client does not ask again.
    Object.assign(stage.forge.knobs.realism, { freshTokens: null });
    const app = octokitAs(stage.forge.apiUrl, appJwt(stage.forge));
    const { data: installations } = await app.rest.apps.listInstallations();
    const { data } = await app.rest.apps.createInstallationAccessToken({
      installation_id: installations[0]!.id,
    });
    const bot = octokitAs(stage.forge.apiUrl, data.token);
    const { data: comment } = await bot.rest.issues.createComment({
      ...repo.where,
      issue_number: number,
      body: '/portico render',
    });
    await stage.look('talk');
    expect(await repo.answerTo(number, comment.id)).toEqual({
      reaction: undefined,
      reactions: [],
      reply: undefined,
      replies: 0,
    });
  });

  test('who may only read is refused with 😕 and one reply, however often it is looked at (16)', async () => {
    const id = await repo.say(number, '/portico publish', 'rita');
    await stage.idle();
    const first = await repo.answerTo(number, id);
    expect(first).toMatchObject({ reactions: ['confused'], replies: 1 });
    expect(first.reply).toContain('role is read');
    expect(await stage.writesOf(() => stage.look('talk'))).toEqual([]);
    expect(await repo.answerTo(number, id)).toEqual(first);
  });

  longTest(
    'who may only read does not spend what we may write: after ten replies in an hour there is a reaction alone',
    async () => {
      const ids: number[] = [];
      // She has had one.
      for (let count = 1; count <= REPLIES_AN_HOUR; count += 1) {
        ids.push(await repo.say(number, '/portico nonsense', 'rita'));
      }
      await stage.idle();
      const answers = await Promise.all(ids.map((id) => repo.answerTo(number, id)));
      expect(answers.map(({ reactions }) => reactions)).toEqual(ids.map(() => ['confused']));
      expect(answers.reduce((sum, { replies }) => sum + replies, 0)).toBe(REPLIES_AN_HOUR - 1);
    },
  );

  test('a forge that does not tell the role grants nothing (17)', async () => {
    const answered = await stage.watching(
      ({ path }) => (path.endsWith('/collaborators/bob/permission') ? 503 : undefined),
      () => repo.command(number, '/portico approve', 'bob'),
    );
    expect(answered).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('did not report your rights'),
    });
  });

  test('rights that end between the comment and its run are gone (18)', async () => {
    const rest = stage.as('alice').rest;
    let taken = false;
    const answered = await stage.watching(
      async ({ path }) => {
        if (taken || !path.endsWith('/collaborators/carol/permission')) return;
        taken = true;
        await rest.repos.removeCollaborator({ ...repo.where, username: 'carol' });
      },
      () => repo.command(number, '/portico approve', 'carol'),
    );
    expect(taken).toBe(true);
    expect(answered).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('`/portico approve` is for'),
    });
  });

  test('ten commands: the third is refused, the rest is not done, all of it is reported (19)', async () => {
    const body = [
      '/portico render',
      '/portico help render',
      '/portico publish now',
      ...Array.from({ length: 7 }, () => '/portico reject no'),
    ];
    const answered = await repo.command(number, body.join('\n'));
    expect(answered).toMatchObject({ reactions: ['confused'], replies: 1 });
    expect(answered.reply).toContain('`/portico help render`');
    expect(answered.reply).toContain('`/portico publish now`');
    expect(answered.reply).toContain('🚀 `/portico render`');
    expect(answered.reply).toContain('The 7 commands after it were not run.');
    expect((await repo.pull(number)).draft).toBe(false);
  });

  test('eleven commands are none (20)', async () => {
    const answered = await repo.command(
      number,
      Array.from({ length: 11 }, () => '/portico reject no').join('\n'),
    );
    expect(answered).toMatchObject({ reaction: 'confused', reply: expect.stringContaining('11 commands') });
    expect((await repo.pull(number)).draft).toBe(false);
  });

  test('line ends of any kind and no-break spaces are spaces (21)', async () => {
    expect((await repo.command(number, 'Well.\r\n/portico\u00A0help \r\n')).reaction).toBe('rocket');
    expect(await repo.command(number, '/portico rend\u200Ber')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('U+200B'),
    });
  });

  test.each(['--upload-pack=x', '-O', '$(id)', '"a\\', '@-x'])(
    'the argument %s is a text, and refused (24)',
    async (word) => {
      const answered = await repo.command(number, `/portico publish ${word}`);
      expect(answered.reaction).toBe('confused');
      expect(answered.replies).toBe(1);
    },
  );

  test('a word that is no command: what was meant, what may be used', async () => {
    const answered = await repo.command(number, '/portico rendr');
    expect(answered.reply).toContain('Did you mean `/portico render`?');
    // The command below is not carried out without the one above.
    const prefix = await repo.command(number, '/portco pause\n/portico help');
    expect(prefix).toMatchObject({ reaction: 'confused', replies: 1 });
    expect(prefix.reply).toContain('Did you mean `/portico pause`?');
    expect(prefix.reply).toContain('The command after it was not run.');
  });

  test('an event that comes again is not obeyed again', async () => {
    const id = await repo.say(number, '/portico help');
    await stage.idle();
    const facts = (await stage.as('alice').rest.repos.get(repo.where)).data;
    const { data: installation } = await octokitAs(
      stage.forge.apiUrl,
      appJwt(stage.forge),
    ).rest.apps.listInstallations();
    const event = {
      id: 'again',
      name: 'issue_comment',
      payload: {
        action: 'created',
        installation: { id: installation[0]!.id },
        repository: facts,
        issue: { number },
        comment: { id, body: '/portico help' },
      },
    };
    expect(
      await stage.writesOf(() =>
        acceptEvent(stage.server().bot.events, routedEvent(event, stage.forge.app.id)),
      ),
    ).toEqual([]);
  });

  test('a command whose webhook was lost is found and obeyed', async () => {
    const { webhooks } = stage.forge.knobs;
    webhooks.lose = ({ event }) => event === 'issue_comment';
    const id = await repo.say(number, '/portico help publish');
    await stage.idle();
    webhooks.lose = 0;
    expect((await repo.answerTo(number, id)).reactions).toEqual([]);
    // The deliveries cannot be had again: the looking around must do.
    await stage.watching(
      ({ path }) => (path.endsWith('/attempts') ? 404 : undefined),
      () => stage.sweep(),
    );
    expect(await repo.answerTo(number, id)).toMatchObject({ reactions: ['rocket'], replies: 1 });
  });

  test('after an outage the commands of a pull request are all carried out before the one that is heard of', async () => {
    stage.forge.setAppWebhookUrl(null);
    const ids = [await repo.say(number, '/portico render'), await repo.say(number, '/portico render')];
    const { comments } = collaborationStore(stage.forge.context.store);
    for (const [at, id] of ids.entries()) {
      const createdAt = `2026-01-02T00:00:0${at}Z`;
      comments.update(id, { createdAt, updatedAt: createdAt });
    }
    await stage.idle();
    stage.forge.setAppWebhookUrl(`${stage.server().url}/api/github/webhooks`);
    // Of the two webhooks the second one is sent again.
    const { records } = stage.forge.context;
    const { id, ownerId } = records.repositoryByName('acme', 'talk')!;
    const installation = records.installations.all().find(({ accountId }) => accountId === ownerId)!;
    const ref = { installationId: installation.id, id, owner: 'acme', name: 'talk' };
    const job = commentJob(ref, number, { kind: 'comment', id: ids[1]! });
    await stage.server().bot.queue.enqueue({ ...job, data: { ...job.data } as never });
    await stage.idle();
    const answers = await Promise.all(ids.map(async (one) => (await repo.answerTo(number, one)).reactions));
    expect(answers).toEqual([['rocket'], ['rocket']]);
  });
});

describe('where nothing can be done (23)', () => {
  test('locked', async () => {
    const { number } = await ends.propose('locked', { 'web/a.yaml': configMap('a', { color: 'red' }) });
    await stage.as('alice').rest.issues.lock({ ...ends.where, issue_number: number });
    expect(await ends.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('locked'),
    });
  });

  longTest('closed', async () => {
    const { number } = await ends.propose('closed', { 'web/b.yaml': configMap('b', { color: 'red' }) });
    await stage.as('alice').rest.pulls.update({ ...ends.where, pull_number: number, state: 'closed' });
    await stage.idle();
    expect(await ends.command(number, '/portico propose')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('closed'),
    });
    expect((await ends.command(number, '/portico help')).reaction).toBe('rocket');
  });

  longTest('a draft', async () => {
    const { number } = await ends.propose(
      'draft',
      { 'web/c.yaml': configMap('c', { color: 'red' }) },
      { draft: true },
    );
    await ends.review(number, 'APPROVE');
    expect(await ends.command(number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('draft'),
    });
  });

  longTest('a pull request into another branch', async () => {
    await ends.push('other', { 'x.txt': 'x\n' });
    await ends.push('aside', { 'web/d.yaml': configMap('d', { color: 'red' }) }, { from: 'other' });
    const { number } = await ends.open('aside', { base: 'other', draft: true });
    expect(await ends.command(number, '/portico propose')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('targets `other`'),
    });
  });
});

describe('in an issue', () => {
  test('help answers; what is about a pull request is refused', async () => {
    const rest = stage.as('alice').rest;
    const { data: issue } = await rest.issues.create({ ...repo.where, title: 'A question' });
    const help = await repo.command(issue.number, '/portico help');
    expect(help).toMatchObject({ reactions: ['rocket'], replies: 1 });
    expect(await repo.command(issue.number, '/portico publish')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('this is an issue'),
    });
    expect(await repo.command(issue.number, '/portico update')).toMatchObject({
      reaction: 'confused',
      reply: expect.stringContaining('No package here has an upstream'),
    });
  });

  longTest(
    'commands in opening texts and in comments on lines are answered with where they belong, once, and not carried out',
    async () => {
      const rest = stage.as('alice').rest;
      const body = 'Stop the updates.\n\n/portico pause web\n/portco update';
      const { data: issue } = await rest.issues.create({ ...repo.where, title: 'Not in a comment', body });
      await repo.push('other-words', { 'web/config.yaml': configMap('web', { color: 'opening' }) });
      const { data: pull } = await rest.pulls.create({
        ...repo.where,
        title: 'Words',
        head: 'other-words',
        base: 'main',
        body: '/portico help',
      });
      await stage.idle();
      const answers = async (number: number): Promise<string[]> =>
        (await repo.comments(number))
          .map(({ body: text = '' }) => text)
          .filter((text) => text.includes('are not run'));
      expect(await answers(issue.number)).toEqual([
        expect.stringMatching(
          /Write each command in a new comment in the conversation[^]*- `\/portico pause web`\n- `\/portco update`: Did you mean/,
        ),
      ]);
      expect(await answers(pull.number)).toEqual([expect.stringContaining('- `/portico help`')]);
      // Nor in comments on lines, alone or of a review.
      await rest.pulls.createReview({
        ...repo.where,
        pull_number: pull.number,
        event: 'COMMENT',
        comments: [
          { path: 'web/config.yaml', position: 1, body: 'Why?' },
          { path: 'web/config.yaml', position: 1, body: 'Not like this.\n\n/portico pause web' },
        ],
      });
      await stage.idle();
      expect((await answers(pull.number)).slice(1)).toEqual([
        expect.stringMatching(/Commands in review comments on lines are not run[^]*- `\/portico pause web`/),
      ]);
      expect(await repo.git('for-each-ref', 'refs/portico/paused')).toBe('');
      // Where nobody told of it, a look around finds it.
      const { webhooks } = stage.forge.knobs;
      webhooks.lose = ({ event }) => event.startsWith('pull_request_review');
      await rest.pulls.createReview({
        ...repo.where,
        pull_number: pull.number,
        event: 'COMMENT',
        comments: [{ path: 'web/config.yaml', position: 1, body: '/portico resume web' }],
      });
      await stage.idle();
      webhooks.lose = 0;
      expect(await answers(pull.number)).toHaveLength(2);
      // The deliveries cannot be had again.
      await stage.watching(
        ({ path }) => (path.endsWith('/attempts') ? 404 : undefined),
        () => stage.sweep(),
      );
      expect((await answers(pull.number)).slice(2)).toEqual([
        expect.stringContaining('- `/portico resume web`'),
      ]);
      expect(await stage.writesOf(() => stage.sweep())).toEqual([]);
    },
  );
});

test('what the dashboard and the alerts ask for is not only there, it is told', async () => {
  const asked = ['deploy/grafana/portico.json', 'deploy/prometheus/alerts.yaml'].flatMap(
    (file) => readFileSync(file, 'utf8').match(/\b(?:portico|nodejs|process)_[a-z0-9_]+/g) ?? [],
  );
  const text = await (await fetch(`${stage.server().url}/metrics`)).text();
  const told = text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.endsWith(' 0'));
  for (const name of new Set(asked)) {
    // Gauges of what waits are nothing when nothing waits.
    if (name.startsWith('portico_queue_')) expect(text).toContain(`\n${name}{`);
    // Of a fleet that there is not, gauges are nothing, too.
    else if (/^portico_(?:rollout|variants|updates|downstream)/.test(name))
      expect(text).toContain(`# TYPE ${name} gauge`);
    // Nobody asks the API here.
    else if (name === 'portico_api_requests_total') expect(text).toContain(`# TYPE ${name} counter`);
    // Nothing is given up or fails, which has to be told: alerts ask for the increase.
    else if (/^portico_(?:jobs_given_up|machine_trouble)_total$/.test(name))
      expect(text).toMatch(new RegExp(`^${name}.* 0$`, 'm'));
    // And nobody has to pause, or waits for a lock.
    else if (/^portico_(?:forge_pause|lock_wait)_seconds$/.test(name))
      expect(text).toContain(`# TYPE ${name} gauge`);
    else
      expect(
        told.some((line) => line.startsWith(name)),
        name,
      ).toBe(true);
  }
  for (const line of ['command="publish",outcome="refused"', 'command="publish",outcome="done"'])
    expect(text).toContain(`portico_commands_total{${line}}`);
  expect(text).toContain('portico_commands_total{command="unknown",outcome="refused"}');
  expect(text).not.toContain('rendr');
});
