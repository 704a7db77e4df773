import { readFileSync } from 'node:fs';

import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { repositoryJsonSchema } from '../../src/config/repository-schema.ts';

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\n';
const validate = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true }).compile(
  repositoryJsonSchema(),
);

test('docs/portico.schema.json is this schema', () => {
  const published = readFileSync(new URL('../../docs/portico.schema.json', import.meta.url), 'utf8');
  expect(published, 'run: npm exec -- node scripts/generate-docs.ts').toBe(
    `${JSON.stringify(repositoryJsonSchema(), null, 2)}\n`,
  );
});

describe('an editor that knows the schema', () => {
  test.each([
    HEAD,
    `${HEAD}spec: { branch: main, updates: { follow: 3, automerge: false } }`,
    `${HEAD}spec: { guardrails: { validators: [{ name: a, cel: "true", mode: warn }] }, access: { approve: ["@acme/platform"] } }`,
  ])('accepts %#', (text) => expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true));

  test.each([
    `${HEAD}spec: { branhc: main }`,
    `${HEAD}spec: { publish: { requireApprovals: -1 } }`,
    `${HEAD}spec: { access: { aprove: [write] } }`,
    'kind: Repository',
  ])('refuses %#', (text) => expect(validate(parse(text))).toBe(false));
});
