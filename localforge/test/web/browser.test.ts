// @module-tag story
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { REPO } from '../collaboration-fixture.ts';
import { launchChromium } from './chromium.ts';
import { story } from './web-fixture.ts';
import type { Story } from './web-fixture.ts';

describe('a reader with a keyboard', { tags: ['chromium'] }, () => {
  let forge: Story;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    [forge, browser] = await Promise.all([story(), launchChromium()]);
    // The whole story must work without scripts.
    context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 400, height: 800 } });
    page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
  });
  afterAll(async () => {
    await browser?.close();
    await forge?.[Symbol.asyncDispose]();
  });

  /** The name of what has the focus, as it is read out. */
  const focused = async (): Promise<string> => {
    const element = page.locator(':focus');
    if ((await element.count()) === 0) return '';
    return (await element.ariaSnapshot()).replaceAll(/\s+/g, ' ');
  };
  /** Presses Tab until the focus is on what is read out like this. */
  const tabTo = async (wanted: RegExp): Promise<void> => {
    const seen: string[] = [];
    for (let presses = 0; presses < 90; presses += 1) {
      await page.keyboard.press('Tab');
      const name = await focused();
      if (wanted.test(name)) return;
      seen.push(name);
    }
    throw new Error(`Tab never came to ${wanted}, only to:\n${seen.join('\n')}`);
  };
  const follow = async (wanted: RegExp): Promise<void> => {
    await tabTo(wanted);
    await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')]);
  };
  const become = async (login: string): Promise<void> => {
    await follow(new RegExp(`button "${login}"`));
    expect(await page.locator('[aria-pressed=true]').textContent()).toBe(login);
  };
  /** A picture of the page, in a folder that goes with the forge, or in the one that SCREENSHOTS names. */
  const shoot = async (name: string): Promise<void> => {
    const folder = process.env['SCREENSHOTS'] ?? join(forge.directory, 'screenshots');
    await mkdir(folder, { recursive: true });
    const file = join(folder, `${name}.png`);
    await page.screenshot({ path: file, fullPage: true });
    expect((await stat(file)).size).toBeGreaterThan(5000);
  };

  test('opens the proposal, reads its checks, comments, approves and merges it', async () => {
    await page.goto(forge.forge.url);
    await page.keyboard.press('Tab');
    expect(await focused()).toContain('Skip to the content');
    await page.keyboard.press('Enter');
    await follow(/button "Be alice"/);
    await follow(/link "acme\/blueprints"/);
    await follow(/link "Pull requests"/);
    await follow(/link "Add the app"/);
    expect(await page.locator('h1').textContent()).toContain('Add the app');

    await follow(/link "Checks"/);
    const check = page.locator(`#run-${forge.failing}`);
    expect(await check.textContent()).toContain('One resource has too many replicas');
    await tabTo(/link "app\/deployment\.yaml, line 6"/);
    await Promise.all([page.waitForURL(/\/files#annotation-/), page.keyboard.press('Enter')]);
    const lines = await page
      .locator('tr', { hasText: 'replicas: 7' })
      .first()
      .locator('xpath=following-sibling::tr[1]')
      .textContent();
    expect(lines).toContain('At most 5 replicas are allowed');
    await shoot('changes');

    await become('bob');
    await follow(/link "Conversation"/);
    await tabTo(/textbox "Your comment, as bob"/);
    await page.keyboard.type('I know, it is **meant** so.');
    await follow(/button "Comment"/);
    expect(await page.locator('article', { hasText: 'I know' }).locator('strong').textContent()).toBe(
      'meant',
    );

    await become('carol');
    await tabTo(/radio "Comment only"/);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toMatch(/radio "Approve" \[checked\]/);
    await tabTo(/textbox "Review, as carol"/);
    await page.keyboard.type('Fine by me.');
    await follow(/button "Submit review"/);
    expect(await page.locator('article', { hasText: 'Fine by me.' }).textContent()).toContain('approved');
    await shoot('conversation');

    await tabTo(/combobox "How"/);
    await page.keyboard.type('squash');
    await follow(/button "Merge pull request"/);
    expect(await page.locator('main').textContent()).toMatch(/carol\s+merged\s+this as/);
    await shoot('merged');

    const { data: pull } = await forge.bob.rest.pulls.get({ ...REPO, pull_number: forge.number });
    expect(pull).toMatchObject({ merged: true, merged_by: { login: 'carol' } });
    const { data: commit } = await forge.bob.rest.repos.getCommit({ ...REPO, ref: 'main' });
    expect(commit.parents).toHaveLength(1);
    expect(commit.sha).toBe(pull.merge_commit_sha);
    const comments = await forge.bob.rest.issues.listComments({ ...REPO, issue_number: forge.number });
    expect(comments.data.at(-1)).toMatchObject({
      body: 'I know, it is **meant** so.',
      user: { login: 'bob' },
    });
    const reviews = await forge.bob.rest.pulls.listReviews({ ...REPO, pull_number: forge.number });
    expect(reviews.data.at(-1)).toMatchObject({ state: 'APPROVED', user: { login: 'carol' } });
    expect(complaints).toEqual([]);
  });

  test.each([
    '/',
    '/acme/blueprints',
    '/acme/blueprints/commits',
    '/acme/blueprints/edit/main/README.md',
    '/acme/blueprints/pull/1',
    '/acme/blueprints/pull/1/files',
    '/settings/deliveries',
  ])('%s fits 400 pixels, in the dark, and its policy lets nothing be blocked', async (path) => {
    const narrow = await browser.newPage({ viewport: { width: 400, height: 800 }, colorScheme: 'dark' });
    narrow.on('console', (message) => complaints.push(message.text()));
    const url = forge.forge.url;
    await narrow.context().addCookies([{ name: 'forge_viewer', value: 'bob', url }]);
    await narrow.goto(url + path);
    const seen = await narrow.evaluate(
      '[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]',
    );
    await narrow.close();
    expect(seen).toEqual([400, 'rgb(15, 20, 25)']);
    expect(complaints).toEqual([]);
  });
});
