import { readFileSync } from 'node:fs';

import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { publishedSchemas } from '../../scripts/published-schema.ts';
import { repositoryJsonSchema } from '../../src/config/repository-schema.ts';

const HEAD = 'apiVersion: config.portico.dev/v1alpha1\nkind: Repository\n';
const validate = new Ajv({ strict: true, strictTypes: false, allowUnionTypes: true }).compile(
  repositoryJsonSchema(),
);

test('docs/portico.schema.json is this schema', () => {
  const published = readFileSync(new URL('../../docs/portico.schema.json', import.meta.url), 'utf8');
  expect(published, 'run: npm exec -- node scripts/generate-docs.ts').toBe(
    `${JSON.stringify(publishedSchemas()['portico.schema.json'], null, 2)}\n`,
  );
});

test('every property of every schema has a description, and every schema has its file name as $id', () => {
  for (const [file, schema] of Object.entries(publishedSchemas())) {
    expect(schema['$id']).toBe(file);
    expect(undescribed(schema), file).toEqual([]);
    for (const field of ['title', 'description']) expect(schema[field], file).toMatch(/^\S/);
  }
});

function undescribed(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { properties = {}, ...rest } = node as { properties?: Record<string, { description?: string }> };
  const own = Object.entries(properties).filter(([, { description = '' }]) => description === '');
  const below = [...Object.values(properties), ...Object.values(rest)];
  return [...own.map(([name]) => name), ...below.flatMap(undescribed)];
}

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
