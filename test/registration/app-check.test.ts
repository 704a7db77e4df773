import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { appFindings, type Asked } from '../../src/registration/app-check.ts';
import { manifestFor, readManifest } from '../../src/registration/manifest.ts';

const manifest = readManifest(readFileSync('app.yml', 'utf8'));
const permissions = manifest.default_permissions;
const page = 'https://github.com/apps/portico';
const good: Asked = {
  manifest,
  facts: {
    app: { slug: 'portico', html_url: page, permissions, events: manifest.default_events },
    installations: [
      { account: { login: 'acme' }, permissions, suspended_at: null, html_url: `${page}/installation` },
    ],
    webhookUrl: 'https://portico.acme.example/api/github/webhooks',
    deliveries: [],
    clockAhead: 1,
  },
  door: 401,
  database: undefined,
};
const wrongOf = (asked: Asked): string[] =>
  appFindings(asked).flatMap(({ ok, about, message }) => (ok ? [] : [`${about}: ${message}`]));
const withFacts = (facts: Partial<Asked['facts']>): Asked => ({
  ...good,
  facts: { ...good.facts, ...facts },
});

test('an App that has all it needs is fine in every respect', () => {
  expect(wrongOf(good)).toEqual([]);
  expect(appFindings(good).map(({ about }) => about)).toEqual([
    'permissions',
    'events',
    'installations',
    'webhook',
    'clock',
    'database',
  ]);
});

describe('what is wrong is told with its remedy', () => {
  const { contents: _gone, ...without } = permissions;
  const app = good.facts.app;
  test.each<[string, Asked, RegExp]>([
    [
      'a permission',
      withFacts({ app: { ...app, permissions: { ...without, issues: 'read' } } }),
      /contents: write, issues: write\. Add them on /,
    ],
    [
      'a permission that no owner accepted',
      withFacts({ installations: [{ ...good.facts.installations[0]!, permissions: without }] }),
      /acme has not accepted contents: write\. An owner accepts/,
    ],
    ['an event', withFacts({ app: { ...app, events: ['push'] } }), /not told of .*merge_group.*Tick them on/],
    [
      'no installation',
      withFacts({ installations: [] }),
      /not installed anywhere\. Install it .*installations\/new/,
    ],
    [
      'a suspended one',
      withFacts({ installations: [{ ...good.facts.installations[0]!, suspended_at: '2026-01-01' }] }),
      /is suspended wherever/,
    ],
    ['no webhook', withFacts({ webhookUrl: undefined }), /has no webhook\. Set its URL/],
    [
      'a server that is not there',
      { ...good, door: null },
      /Nothing answers at .*Start the server or the relay/,
    ],
    ['another server', { ...good, door: 404 }, /answers 404, which is not Portico's\. The path is/],
    [
      'a server that is not ready',
      { ...good, door: 503 },
      /answers 503: the server behind it does not run, or is not ready/,
    ],
    [
      'a wrong secret',
      withFacts({
        deliveries: [
          { delivered_at: '2026-02', status_code: 401 },
          { delivered_at: '2026-01', status_code: 202 },
        ],
      }),
      /refused for its signature\. Set the secret/,
    ],
    ['a clock', withFacts({ clockAhead: -300 }), /300 seconds behind the forge's\. Set it by NTP/],
    ['a database', { ...good, database: 'It cannot be used: no rights.' }, /no rights/],
  ])('%s', (_, asked, told) => {
    const wrong = wrongOf(asked);
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(told);
  });
});

test('webhooks that arrive count more than what this machine reaches', () => {
  const arrived = {
    ...withFacts({ deliveries: [{ delivered_at: '2026-01', status_code: 202 }] }),
    door: null,
  };
  expect(wrongOf(arrived)).toEqual([]);
});

test('the manifest is app.yml, with an address for the way back and without a webhook where none is named', () => {
  const made = JSON.parse(
    manifestFor(manifest, {
      name: 'acme-portico',
      homeUrl: 'https://github.com/acme',
      webhookUrl: undefined,
      redirectUrl: 'http://127.0.0.1:1/created',
    }),
  );
  expect(made).toMatchObject({
    name: 'acme-portico',
    url: 'https://github.com/acme',
    public: false,
    redirect_url: 'http://127.0.0.1:1/created',
    hook_attributes: { active: false },
  });
  expect(made.default_permissions).toEqual(permissions);
});
