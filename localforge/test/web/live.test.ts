// @module-tag story
import { setTimeout as pause } from 'node:timers/promises';

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { REPO } from '../collaboration-fixture.ts';
import { launchChromium } from './chromium.ts';
import { story } from './web-fixture.ts';
import type { Story } from './web-fixture.ts';

describe('a page in a browser with scripts', { tags: ['chromium'] }, () => {
  let forge: Story;
  let browser: Browser;
  beforeAll(async () => {
    [forge, browser] = await Promise.all([story(), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await forge?.[Symbol.asyncDispose]();
  });
  const open = async (options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await browser.newContext(options);
    await context.addCookies([{ name: 'forge_viewer', value: 'bob', url: forge.forge.url }]);
    return context.newPage();
  };

  test('loads itself again when there is an answer, but never while somebody writes on it', async () => {
    const idle = await open();
    const busy = await open();
    const address = `${forge.forge.url}/acme/blueprints/pull/${forge.number}`;
    await Promise.all([idle.goto(address), busy.goto(address)]);
    const box = busy.getByLabel('Your comment, as bob');
    await box.fill('Half a sen');

    await forge.app.rest.issues.createComment({ ...REPO, issue_number: forge.number, body: 'An answer.' });
    await idle.getByText('An answer.').waitFor();
    await busy.getByText('There is something new.').waitFor();
    expect(await box.inputValue()).toBe('Half a sen');
    expect(await busy.getByText('An answer.').count()).toBe(0);
    await busy.getByRole('link', { name: 'Load the page again' }).click();
    await busy.getByText('An answer.').waitFor();
  });

  test('does not load itself again while it is on its way to another page', async () => {
    const page = await open();
    await page.goto(`${forge.forge.url}/acme/blueprints/pull/${forge.number}`);
    const issues = `${forge.forge.url}/acme/blueprints/issues`;
    await page.route(issues, async (route) => {
      await forge.app.rest.issues.createComment({ ...REPO, issue_number: forge.number, body: 'Meanwhile.' });
      // It asks once a second.
      await pause(3_000);
      await route.continue().catch(() => undefined);
    });
    await page.getByRole('link', { name: 'Issues', exact: true }).click();
    await page.waitForURL(issues);
  });

  /** Text that would run in a page that does not escape it, in one way or another. */
  const HOSTILE = `"><img src=x onerror=pwned()><svg/onload=pwned()><script>pwned()</script>'-->{{7*7}}`;
  const NAME = `a"><img-src=x-onerror=pwned()>'&`;

  test('runs nothing of what it shows, even where the browser keeps to no policy', async () => {
    const { forge: local, alice, bob, app } = forge;
    const head = await forge.commit(
      `drafts/${NAME}`,
      { [`${NAME}/${NAME}.yaml`]: HOSTILE, [`${NAME}/README.md`]: `[x](javascript:pwned()) ${HOSTILE}` },
      { from: 'main', message: HOSTILE },
    );
    const text = {
      title: HOSTILE,
      body: `${HOSTILE}\n\n<details><summary>${HOSTILE}</summary>\n\n[x](javascript:pwned())\n</details>`,
    };
    const { data: pull } = await bob.rest.pulls.create({
      ...REPO,
      ...text,
      head: `drafts/${NAME}`,
      base: 'main',
    });
    const { data: issue } = await bob.rest.issues.create({ ...REPO, ...text });
    const label = HOSTILE.slice(0, 50);
    await bob.rest.issues.createLabel({ ...REPO, name: label, description: HOSTILE, color: 'ffffff' });
    await bob.rest.issues.addLabels({ ...REPO, issue_number: pull.number, labels: [label] });
    const path = `${NAME}/${NAME}.yaml`;
    const note = { path, start_line: 1, end_line: 1, title: HOSTILE, message: HOSTILE };
    const { data: run } = await app.rest.checks.create({
      ...REPO,
      name: HOSTILE,
      head_sha: head,
      status: 'completed',
      conclusion: 'failure',
      actions: [{ label: '"><img src=x>', description: '"><img src=x onerror=pwned()>', identifier: 'x' }],
      output: {
        title: HOSTILE,
        summary: text.body,
        text: text.body,
        annotations: [{ ...note, annotation_level: 'failure' }],
      },
    });
    await bob.rest.repos.createCommitStatus({
      ...REPO,
      sha: head,
      state: 'failure',
      context: HOSTILE,
      description: HOSTILE,
    });
    await bob.rest.pulls.createReviewComment({
      ...REPO,
      pull_number: pull.number,
      commit_id: head,
      path,
      line: 1,
      body: HOSTILE,
    });
    await forge.git(forge.clone, 'tag', '-a', NAME, '-m', `${HOSTILE}\n\n${HOSTILE}`, head);
    await forge.git(forge.clone, 'push', '-q', 'origin', NAME);
    await bob.rest.repos.createRelease({ ...REPO, tag_name: NAME, name: HOSTILE, body: text.body });
    await alice.rest.repos.update({ ...REPO, description: HOSTILE });
    await local.settled();

    const page = await open({ bypassCSP: true });
    const ran: string[] = [];
    await page.exposeFunction('pwned', () => ran.push(page.url()));
    const root = `${local.url}/acme/blueprints`;
    const branch = `drafts/${encodeURIComponent(NAME)}`;
    const folder = encodeURIComponent(NAME);
    const addresses = [
      local.url,
      `${local.url}/acme`,
      `${root}/tree/${branch}/${folder}`,
      `${root}/blob/${branch}/${folder}/${folder}.yaml`,
      `${root}/edit/${branch}/${folder}/${folder}.yaml?branch=${encodeURIComponent(HOSTILE)}`,
      `${root}/commits/${branch}`,
      `${root}/commit/${head}`,
      `${root}/compare/main...${branch}`,
      ...['branches', 'tags', 'releases', 'pulls', 'issues', `issues/${issue.number}`, `runs/${run.id}`].map(
        (one) => `${root}/${one}`,
      ),
      ...['', '/files', '/checks', '/commits'].map((tab) => `${root}/pull/${pull.number}${tab}`),
      `${local.url}/settings/deliveries`,
      `${root}/tree/${encodeURIComponent(HOSTILE)}`,
    ];
    const shown: string[] = [];
    for (const address of addresses) {
      await page.goto(address);
      // All that would run or load something; one script is the page's own.
      const live = await page.evaluate(
        `[document.scripts.length, document.querySelectorAll('main :is(script,img,svg,iframe,object,embed,base,meta,link,style,[style],[onerror],[onload]),a[href^="javascript" i]').length]`,
      );
      expect([address, live]).toEqual([address, [1, 0]]);
      if ((await page.locator('body').innerText()).includes('pwned()')) shown.push(address);
    }
    expect(ran).toEqual([]);
    // It was really there.
    expect(shown.length).toBeGreaterThan(addresses.length - 4);
  });
});
