/** Does what the demo invites to, reading the printed text as a person would. What it cannot read is an error. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Page } from 'playwright-core';
import { expect } from 'vitest';

import { eventually } from '../e2e/eventually.ts';

/** One of the things to try. */
interface Thing {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The numbered things of a printed invitation. */
export function thingsOf(printed: string): Thing[] {
  const [, ...parts] = printed.split(/^(?=\d+\. )/m);
  return parts.map((part) => {
    const [title = '', ...lines] = part.split('\n');
    return { title, lines: lines.filter((line) => /^ {3}/.test(line)) };
  });
}

const run = promisify(execFile);

/** Runs the commands for a terminal one after the other; `cd` counts for those that follow. Answers how many there were. */
export async function runCommands({ lines }: Thing, folder: string): Promise<number> {
  const commands = lines.filter((line) => !line.startsWith('   - ')).map((line) => line.trim());
  // Nothing of the configuration of whoever runs the test has a say.
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  let cwd = folder;
  for (const command of commands) {
    const refused = /# refused: (.*)$/.exec(command)?.[1];
    const running = run('bash', ['-c', command], { cwd, env });
    if (refused === undefined) await running;
    else await expect(running, command).rejects.toMatchObject({ stderr: expect.stringContaining(refused) });
    const into = /^cd (\S+)$/.exec(command)?.[1];
    if (into !== undefined) cwd = `${cwd}/${into}`;
  }
  return commands.length;
}

type Doing = (page: Page, one: string, other: string) => Promise<unknown>;

const press: Doing = async (page, name) => {
  const button = page.getByRole('button', { name, exact: true });
  const link = page.getByRole('link', { name, exact: true });
  await button.or(link).click();
};

async function rewrite(page: Page, change: (text: string) => string): Promise<void> {
  const area = page.getByLabel('Content', { exact: true });
  const before = await area.inputValue();
  const after = change(before);
  expect(after).not.toBe(before);
  await area.fill(after);
}

/** The sentences that an invitation is made of. */
const SENTENCES: readonly (readonly [RegExp, Doing])[] = [
  // The page before may load itself again at that moment, which cancels the navigation.
  [/^open (http\S+)$/, (page, url) => eventually(`the page ${url}`, () => page.goto(url))],
  [/^press "(.+)"\.$/, press],
  [/^change `(.+)` to `(.+)`\.$/, (page, one, other) => rewrite(page, (text) => text.replace(one, other))],
  [/^add `(.+)` at the end\.$/, (page, line) => rewrite(page, (text) => `${text}${line}\n`)],
  [/^write `(.+)` into "(.+)"\.$/, (page, text, label) => page.getByLabel(label, { exact: true }).fill(text)],
  [/^(?:tick|choose) "(.+)"\.$/, (page, label) => page.getByLabel(label, { exact: true }).check()],
  [
    /^comment `(.+)`$/,
    async (page, text) => {
      await page.getByLabel(/^Your comment/).fill(text);
      await press(page, 'Comment', '');
    },
  ],
  [
    /^wait until the page says "(.+)"(?:, within half a minute)?\.$/,
    // Nobody loads the page again: it does that itself.
    (page, text) =>
      eventually(`"${text}" on the page`, async () => {
        const shown = await page.locator('main').innerText();
        expect(shown.replaceAll(/\s+/g, ' ')).toContain(text);
        return true;
      }),
  ],
];

/** Does the sentences for the browser; `as NAME` is one click at the top of the page. */
export async function playSentences({ lines }: Thing, page: Page): Promise<number> {
  const sentences = lines.filter((line) => line.startsWith('   - ')).map((line) => line.slice(5));
  for (const sentence of sentences) {
    const [, person, rest = sentence] = /^As (\w+), (.*)$/.exec(sentence) ?? [];
    const asked = rest.charAt(0).toLowerCase() + rest.slice(1);
    const found = SENTENCES.find(([form]) => form.test(asked));
    if (found === undefined) throw new Error(`Nobody could follow this: ${sentence}`);
    const [form, act] = found;
    const [, one = '', other = ''] = form.exec(asked) ?? [];
    const opens = asked.startsWith('open ');
    try {
      if (opens) await act(page, one, other);
      if (person !== undefined) {
        const group = page.getByRole('group', { name: 'You are' });
        await group.getByRole('button', { name: person, exact: true }).click();
        await group.locator('[aria-pressed=true]', { hasText: person }).waitFor();
      }
      if (!opens) await act(page, one, other);
    } catch (cause) {
      const shown = await page.locator('body').innerText();
      throw new Error(`${sentence}\n\nThe page at ${page.url()} said:\n${shown}`, { cause });
    }
  }
  return sentences.length;
}
