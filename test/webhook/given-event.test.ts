import { expect, test } from 'vitest';

import { asWebhook, readGivenEvent, saysOnlyWhen } from '../../src/webhook/given-event.ts';

const repository = { id: 3, full_name: 'acme/web', name: 'web' };

test('an event of Actions is the webhook of the same content, with the installation that it lacks', () => {
  const event = readGivenEvent('pull_request_target', JSON.stringify({ action: 'opened', repository }));
  expect(event.name).toBe('pull_request');
  expect(event.repository).toEqual({ id: 3, fullName: 'acme/web' });
  expect(asWebhook(event, { installationId: 9, id: 3, owner: 'acme', name: 'web' })).toEqual({
    action: 'opened',
    repository,
    installation: { id: 9 },
  });
});

test('an installation that the payload names is not believed', () => {
  const event = readGivenEvent('push', JSON.stringify({ repository, installation: { id: 666 } }));
  expect(asWebhook(event, { installationId: 9, id: 3, owner: 'acme', name: 'web' })).toMatchObject({
    installation: { id: 9 },
  });
});

test('a schedule says only when to look', () => {
  expect(['schedule', 'workflow_dispatch', 'push'].map(saysOnlyWhen)).toEqual([true, true, false]);
});

test.each([
  ['text that is no JSON', '{', 'is not JSON'],
  ['no repository', '{}', 'names no repository'],
  ['null', 'null', 'names no repository'],
  ['a repository without id', '{"repository":{"full_name":"a/b"}}', 'names no repository'],
])('%s is refused', (_, text, why) => {
  expect(() => readGivenEvent('push', text)).toThrow(why);
});
