import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';

import { startForge } from '../src/forge.ts';

const config = {
  users: [{ login: 'alice' }],
  tokens: { 'alice-token': { login: 'alice' } },
  repos: [{ owner: 'alice', name: 'web' }],
};

test.each([
  [{ host: '0.0.0.0' }, '127.0.0.1'],
  [{ host: '0.0.0.0', name: 'localhost' }, 'localhost'],
])('a forge that listens on every address writes one that leads to it: %j', async (options, name) => {
  await using forge = await startForge({ config, ...options });
  const { port } = new URL(forge.url);
  expect(forge.url).toBe(`http://${name}:${port}`);
  const client = new Octokit({ baseUrl: `${forge.url}/api/v3`, auth: 'alice-token' });
  const { data } = await client.rest.repos.get({ owner: 'alice', repo: 'web' });
  expect(data.clone_url).toBe(`http://${name}:${port}/alice/web.git`);
});
