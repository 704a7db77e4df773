/** How the test of a GitHub App may look: a Probot App greets whoever opens an issue. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Octokit } from '@octokit/rest';
import { startForge } from '@portico/localforge';
import { createNodeMiddleware, Probot } from 'probot';
import { expect, test } from 'vitest';

/** The App. */
function greet(app: Probot): void {
  app.on('issues.opened', async (context) => {
    await context.octokit.rest.issues.createComment(context.issue({ body: 'Hello!' }));
  });
}

test('the App greets whoever opens an issue', async () => {
  await using forge = await startForge({
    config: {
      tokens: { 'alice-token': { login: 'alice' } },
      orgs: [{ login: 'acme', members: { alice: 'admin' } }],
      repos: [{ owner: 'acme', name: 'web' }],
      app: { installations: [{ account: 'acme' }] },
    },
  });

  // The App is started as it is anywhere: its id, key and secret come from the forge.
  const probot = new Probot({
    appId: forge.app.id,
    privateKey: forge.app.privateKeyPem,
    secret: forge.app.webhookSecret,
    baseUrl: forge.apiUrl,
    logLevel: 'fatal',
  });
  const middleware = await createNodeMiddleware(greet, { probot, webhooksPath: '/' });
  await using server = createServer((request, response) => void middleware(request, response)).listen(0);
  await once(server, 'listening');
  forge.setAppWebhookUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);

  // A person acts, by Octokit, by git or on the pages; when all webhooks are answered, the App has acted.
  const alice = new Octokit({ baseUrl: forge.apiUrl, auth: 'alice-token' });
  const { data: issue } = await alice.rest.issues.create({ owner: 'acme', repo: 'web', title: 'It is slow' });
  await forge.settled();

  const place = { owner: 'acme', repo: 'web', issue_number: issue.number };
  const { data: comments } = await alice.rest.issues.listComments(place);
  expect(comments.map(({ user, body }) => [user?.login, body])).toEqual([['local-app[bot]', 'Hello!']]);
});
