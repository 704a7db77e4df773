import { execFileSync } from 'node:child_process';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  formatProvenance,
  oneLine,
  parseProvenance,
  type Provenance,
} from '../../src/revision/provenance.ts';

const FULL: Provenance = {
  package: 'apps/web',
  revision: 'v9',
  digest: `sha256:${'a'.repeat(64)}`,
  tree: 'c'.repeat(40),
  upstream: { repo: 'https://forge.example/acme/blueprints.git', directory: 'web', ref: 'web/v2' },
  upstreamLock: {
    repo: 'https://forge.example/acme/blueprints.git',
    directory: 'my web',
    ref: 'web/v2',
    commit: 'b'.repeat(40),
  },
  guardrails: [
    { name: 'schema', function: 'kubeconform:v0.1' },
    { name: 'labels', function: 'set-labels:v0.2' },
  ],
  approvedBy: ['alice', 'bob'],
  approvedElsewhere: ['carol in acme/edge#7'],
  proposal: 12,
  requestedBy: 'carol',
  restoredFrom: 'v7',
  waived: [{ guardrail: 'replicas', by: 'dave' }],
  exemptions: [{ guardrail: 'probes', name: 'sale', until: '2026-12-31', owner: '@acme/shop' }],
};

test('a person can read it', () => {
  expect(formatProvenance(FULL)).toBe(`apps/web v9

Published by Portico.

Package: apps/web
Revision: v9
Digest: sha256:${'a'.repeat(64)}
Tree: ${'c'.repeat(40)}
Upstream: https://forge.example/acme/blueprints.git web web/v2
Upstream-Lock: https://forge.example/acme/blueprints.git my%20web web/v2 ${'b'.repeat(40)}
Guardrail: schema kubeconform:v0.1
Guardrail: labels set-labels:v0.2
Approved-by: alice
Approved-by: bob
Approved-Elsewhere: carol in acme/edge#7
Proposal: #12
Requested-by: carol
Restored-From: v7
Waived: replicas dave
Exemption: probes sale 2026-12-31 @acme/shop
`);
});

test('what came without a proposal says by whose word, and nobody else can say it in other words', () => {
  const { proposal: _none, ...direct } = { ...FULL, direct: true };
  const text = formatProvenance(direct);
  expect(text).toContain('\nWithout-Proposal: updates.pullRequest\n');
  expect(parseProvenance(text)).toEqual(direct);
  expect(parseProvenance(text.replace('updates.pullRequest', 'me'))?.direct).toBeUndefined();
});

test('git reads the same trailers', () => {
  const git = execFileSync('git', ['interpret-trailers', '--parse'], {
    input: formatProvenance(FULL),
    encoding: 'utf8',
  });
  expect(git).toBe(formatProvenance(FULL).split('\n\n').at(-1));
});

describe('it is read back', () => {
  test('whole and with the least', () => {
    expect(parseProvenance(formatProvenance(FULL))).toEqual(FULL);
    const least = { package: '.', revision: 'v1', digest: 'd', guardrails: [], approvedBy: [] };
    expect(parseProvenance(formatProvenance(least))).toEqual(least);
  });

  test('for any values, made one line', () => {
    const text = fc.string({ unit: 'binary' });
    const named = text.map(oneLine).filter((one) => one !== '');
    const place = fc.record({ repo: text, directory: text, ref: text });
    const provenance = fc.record(
      {
        package: named,
        revision: named,
        digest: named,
        upstream: place,
        upstreamLock: fc.record({ repo: text, directory: text, ref: text, commit: text }),
        guardrails: fc.array(fc.record({ name: text, function: text }), { maxLength: 3 }),
        approvedBy: fc.array(text, { maxLength: 3 }),
        proposal: fc.integer({ min: 1, max: 1e9 }),
        requestedBy: text,
        restoredFrom: text,
        waived: fc.array(fc.record({ guardrail: text, by: text }), { minLength: 1, maxLength: 2 }),
      },
      { requiredKeys: ['package', 'revision', 'digest', 'guardrails', 'approvedBy'] },
    );
    const lines = (value: unknown): unknown => {
      if (typeof value === 'string') return oneLine(value);
      if (Array.isArray(value)) return value.map(lines);
      if (value === null || typeof value !== 'object') return value;
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, lines(field)]));
    };
    fc.assert(
      fc.property(provenance, (value) => {
        expect(parseProvenance(formatProvenance(value as Provenance))).toEqual(lines(value));
      }),
    );
  });

  test('with a signature below', () => {
    const signed = `${formatProvenance(FULL)}-----BEGIN PGP SIGNATURE-----\n\niQ: x\n-----END PGP SIGNATURE-----\n`;
    expect(parseProvenance(signed)).toEqual(FULL);
  });

  test('with the line endings of another system', () => {
    expect(parseProvenance(formatProvenance(FULL).replaceAll('\n', '\r\n'))).toEqual(FULL);
  });
});

test('a value cannot add a trailer', () => {
  const forged = { ...FULL, requestedBy: 'eve\nApproved-by: admin\r\n\r\nDigest: other\u2028Package: x' };
  expect(parseProvenance(formatProvenance(forged))).toEqual({
    ...forged,
    requestedBy: 'eve Approved-by: admin Digest: other Package: x',
  });
});

test.each([
  '',
  'v1',
  'Release v1\n\nNotes: none',
  'web v1\n\nPackage: web\nRevision: v1',
  'Package: web\nRevision: v1\nDigest: d\nand more',
])('%j is none of ours', (message) => expect(parseProvenance(message)).toBeUndefined());

test('a message longer than any of ours is none of ours, whatever it ends with', () => {
  const message = formatProvenance(FULL);
  expect(parseProvenance(`${'x'.repeat(100_000)}\n\n${message}`)).toEqual(FULL);
  expect(parseProvenance(`${'x'.repeat(300_000)}\n\n${message}`)).toBeUndefined();
});

test('reading never throws', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary' }),
      (message) => void parseProvenance(`Package: a\nRevision: b\nDigest: c\nUpstream: ${message}`),
    ),
  );
});
