import { readdirSync, readFileSync } from 'node:fs';

import { Octokit } from '@octokit/rest';
import { expect, test } from 'vitest';

import { faultOfAnswer } from '../../src/forge/answer-shapes.ts';

const ROOM = new URL('../../src/forge/', import.meta.url);

/** Calls that are made for their effect, or for whether they succeed. */
const WITHOUT_ANSWER = new Set([
  'apps.redeliverWebhookDelivery',
  'issues.addLabels',
  'issues.getLabel',
  'issues.removeLabel',
  'issues.update',
  'issues.updateComment',
  'reactions.createForIssueComment',
  'reactions.deleteForIssueComment',
  'repos.deleteRelease',
]);

test('each call whose answer is read has the fields that its answer must have', () => {
  const rest = new Octokit().rest as unknown as Record<string, Record<string, Endpoint | undefined>>;
  const used = readdirSync(ROOM)
    .flatMap((name) => [...readFileSync(new URL(name, ROOM), 'utf8').matchAll(/\b([a-z]+)\s*\.(\w+)\(/g)])
    .flatMap(([, room = '', method = '']) => {
      const endpoint = rest[room]?.[method];
      return endpoint === undefined ? [] : [{ name: `${room}.${method}`, ...endpoint.endpoint.DEFAULTS }];
    });
  expect(used.length).toBeGreaterThan(40);
  const without = used.filter(({ method, url }) => faultOfAnswer(`${method} ${url}`, null) === undefined);
  expect(new Set(without.map(({ name }) => name))).toEqual(WITHOUT_ANSWER);
});

interface Endpoint {
  readonly endpoint: { readonly DEFAULTS: { readonly method: string; readonly url: string } };
}
