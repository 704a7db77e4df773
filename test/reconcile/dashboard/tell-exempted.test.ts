import { expect, test } from 'vitest';

import type { ExemptionState } from '../../../src/config/exemptions.ts';
import { newsOf } from '../../../src/reconcile/dashboard/tell-exempted.ts';

const exemption = {
  name: 'carnival',
  file: '.github/portico/exemptions.yaml',
  guardrails: ['colour'],
  packages: ['web', 'apps/**'],
  until: '2026-12-01',
  owner: '@acme/platform',
  why: 'the house is red, says @mona',
};
const told = (state: ExemptionState, more: Partial<typeof exemption> = {}) =>
  newsOf({ exemption: { ...exemption, ...more }, state });

test('whoever answers for an exemption hears of its end before it and after it, with what to do', () => {
  expect(told('ends-soon')).toMatchObject({ people: ['@acme/platform'], kind: 'exemption' });
  // Nobody else is mentioned.
  expect(told('ends-soon')?.text).toBe(
    '**The exemption `carnival` ends with 2026-12-01.** It is about `colour` in `web`, `apps/**`, because: the house is red, says @\u200bmona.\n\n' +
      'Then its guardrails judge these packages again. Fix what they find, and remove `.github/portico/exemptions.yaml`; or propose a later `until` there, which is reviewed like any change.',
  );
  expect(told('expired')?.text).toMatch(
    /^\*\*The exemption `carnival` ended with 2026-12-01, and counts no more\.\*\*/,
  );
});

test('once for each, and again where it was renewed', () => {
  const keys = [told('ends-soon'), told('expired'), told('ends-soon', { until: '2027-01-01' })].map(
    (news) => news?.key,
  );
  expect(new Set(keys).size).toBe(3);
  expect([told('in-force'), told('too-long')]).toEqual([undefined, undefined]);
});
