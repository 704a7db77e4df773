/** Exemption documents: what they may say, when they count, and what they make of the guardrails' identity. */
import { expect, test } from 'vitest';

import { exemptionState, exemptionsInForce } from '../../src/config/exemptions.ts';
import { guardrailDigest, guardrailsFor } from '../../src/config/guardrail-config.ts';
import { parseRepositoryConfig, type ConfigResult } from '../../src/config/parse-repository-config.ts';
import { withDocuments } from '../../src/config/read-content.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const CONFIG = `apiVersion: config.portico.dev/v1alpha1
kind: Repository
spec:
  guardrails:
    mutators: [{ name: team, image: "set-labels:v0.2", configMap: { team: a } }]
    validators: [{ name: replicas, cel: "object.spec.replicas < 5" }, { name: probes, policy: probes }]
`;
const FILE = '.github/portico/exemptions.yaml';
const DOCUMENT = `apiVersion: config.portico.dev/v1alpha1
kind: PolicyExemption
metadata: { name: black-friday }
spec:
  guardrails: [replicas]
  packages: ["shop/*"]
  resources: [{ kind: Deployment, name: web }]
  until: "2026-12-31"
  owner: "@acme/shop"
  why: more replicas are needed until the sale is over
`;

function read(text: string): ConfigResult {
  const own = parseRepositoryConfig({ file: '.github/portico.yaml', bytes: bytes(CONFIG) });
  return withDocuments(own, [{ file: FILE, bytes: bytes(text) }]);
}

test('an exemption counts for its guardrails, its packages and its days', () => {
  const { config } = read(DOCUMENT);
  const on = (day: string, path: string) =>
    guardrailsFor(config!, path, exemptionsInForce(config!, new Date(day))).map(
      (one) => one.exemptions?.[0]?.name,
    );
  expect(on('2026-06-01T00:00:00Z', 'shop/web')).toEqual([undefined, 'black-friday', undefined]);
  expect(on('2026-06-01T00:00:00Z', 'bank/web')).toEqual([undefined, undefined, undefined]);
  expect(on('2027-01-01T00:00:00Z', 'shop/web')).toEqual([undefined, undefined, undefined]);
});

test.each([
  ['2026-06-01T00:00:00Z', 'in-force'],
  ['2026-12-18T00:00:00Z', 'ends-soon'],
  ['2026-12-31T23:59:59Z', 'ends-soon'],
  ['2027-01-01T00:00:00Z', 'expired'],
  ['2025-12-01T00:00:00Z', 'too-long'],
] as const)('on %s it is %s', (day, state) => {
  expect(exemptionState({ until: '2026-12-31' }, new Date(day))).toBe(state);
});

test('what approvals are for changes when an exemption begins to count, and when it ends', () => {
  const { config } = read(DOCUMENT);
  const digest = (day: string) => guardrailDigest(config!, exemptionsInForce(config!, new Date(day)));
  expect(digest('2027-01-01T00:00:00Z')).toBe(guardrailDigest(read('').config!));
  expect(digest('2026-06-01T00:00:00Z')).not.toBe(guardrailDigest(read('').config!));
});

test.each([
  ['guardrails: [replicas]', 'guardrails: [replica]', 5, 'there is no guardrail replica'],
  ['guardrails: [replicas]', 'guardrails: [team]', 5, 'nothing to exempt from'],
  ['until: "2026-12-31"', 'until: "2026-06-31"', 8, 'must be a day'],
  ['until: "2026-12-31"', 'until: never', 8, 'must be a day'],
  ['  until: "2026-12-31"\n', '', 5, 'spec.until is missing'],
  ['why: more replicas are needed until the sale is over', 'why: later', 10, 'at least 10 characters'],
  ['owner: "@acme/shop"', 'owner: shop', 9, 'must be @login'],
  ['{ kind: Deployment, name: web }', '{}', 7, 'must name at least one field'],
  ['packages: ["shop/*"]', 'packages: ["shop/*"]\n  mode: off', 7, 'is not a field'],
])('%s → %s is a mistake on line %i', (from, to, line, sentence) => {
  const result = read(DOCUMENT.replace(from, to));
  expect(result.ok).toBe(false);
  expect(result.problems[0]).toMatchObject({ file: FILE, line, message: expect.stringContaining(sentence) });
});
