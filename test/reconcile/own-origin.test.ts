import { afterAll, beforeAll, expect, test } from 'vitest';

import { noreplyDomain } from '../../src/config/addresses.ts';
import { below } from '../e2e/packages.ts';
import { smallPackage, step } from './small-package.ts';
import { startStage, type Stage } from './stage.ts';

/** As on github.com: the API has an origin of its own, and accounts have addresses below the host of the pages. */
let stage: Stage;

beforeAll(async () => {
  const web = smallPackage('web', { mutators: [step('set-annotations:v0.1', { a: 'b' })] });
  stage = await startStage({ web: { files: below('web', web) } }, { apiOrigin: 'own' });
});

afterAll(async () => {
  await stage?.[Symbol.asyncDispose]();
});

test('a package is rendered and published, and the commits and tags are of the bot account', async () => {
  expect(new URL(stage.forge.apiUrl).origin).not.toBe(stage.forge.gitUrl);
  const repo = stage.repository('web');
  const { number, head } = await repo.propose('next', {
    'web/more.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: more }\n',
  });
  const { rest } = stage.as('alice');
  const { data } = await rest.repos.getCommit({ ...repo.where, ref: head.sha });
  expect(data.commit.message).toMatch(/^Render web/);
  expect(data.author).toMatchObject({ login: 'portico[bot]', id: stage.forge.app.botId });
  await repo.review(number, 'APPROVE');
  expect((await repo.command(number, '/portico publish')).reaction).toBe('rocket');
  const tagger = await repo.git('for-each-ref', '--format=%(taggeremail)', 'refs/tags/web/v1');
  expect(tagger).toBe(`<${stage.forge.app.botId}+portico[bot]@users.noreply.127.0.0.1>`);
  expect(await repo.releases()).toEqual(['web/v1']);
});

test('addresses of accounts are below the host of the forge', () => {
  expect(noreplyDomain('https://github.com')).toBe('users.noreply.github.com');
  expect(noreplyDomain('https://sub.ghe.com')).toBe('users.noreply.sub.ghe.com');
});
