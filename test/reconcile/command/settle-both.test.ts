// @module-tag story
import { afterAll, beforeAll, expect, test } from 'vitest';

import { below, webPackage } from '../../e2e/packages.ts';
import { startStage, type Stage } from '../stage.ts';

/** Conflicts about parts of one text: each is listed and settled by itself, and additions of both sides may both stay. */
let stage: Stage;

function web(tag: string, workers: string, more: readonly string[] = []): Record<string, string> {
  const lines = [`workers = ${workers}`, 'a', 'b', 'c', ...more].map((line) => `    ${line}\n`).join('');
  const config = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  namespace: shop\ndata:\n  app.conf: |\n${lines}`;
  return { ...webPackage(tag), 'config.yaml': config };
}

beforeAll(async () => {
  stage = await startStage({ draft: { files: below('web', web('1.0.0', '1')) } }, { shares: true });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('two conflicts in one text: one keeps both additions, the other one side, and none is lost', async () => {
  const repo = stage.repository('draft');
  const { number } = await repo.propose('two', below('web', web('1.0.0', '3', ['mine'])));
  await repo.publish('one', below('web', web('1.0.0', '2', ['theirs'])));
  expect((await repo.checksOf(number)).get('portico/conflicts')).toMatchObject({
    output: { title: expect.stringContaining('and 1 more') },
  });
  expect(await repo.command(number, '/portico resolve 1 both')).toMatchObject({
    reaction: 'confused',
    reply: expect.stringContaining('cannot keep both'),
  });
  const first = await repo.command(number, '/portico resolve 2 both', 'carol');
  expect(first).toMatchObject({ reaction: 'rocket' });
  expect(first.reply).toContain(
    'This commit makes you an author of this pull request, so your approval of it does not count. Someone must approve',
  );
  expect((await repo.checksOf(number)).get('portico/conflicts')?.conclusion).not.toBe('success');
  const second = await repo.command(number, '/portico resolve 1 upstream', 'carol');
  expect(second.reaction).toBe('rocket');
  expect(second.reply).not.toContain('an author');
  const { head } = await repo.pull(number);
  expect(await repo.read('web/config.yaml', head.sha)).toBe(
    web('1.0.0', '2', ['theirs', 'mine'])['config.yaml'],
  );
  expect((await repo.checksOf(number)).get('portico/conflicts')?.conclusion).toBe('success');
});
