import { readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';

import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { publishedSchemas, schemaStoreCatalog } from '../../scripts/published-schema.ts';
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

test('every property of every schema says what it is, and every schema where it is', () => {
  for (const [file, schema] of Object.entries(publishedSchemas())) {
    expect(schema['$id']).toMatch(new RegExp(`^https://.*/docs/${file}$`));
    expect(undescribed(schema), file).toEqual([]);
    for (const field of ['title', 'description']) expect(schema[field], file).toMatch(/^\S/);
  }
});

test('the entries for SchemaStore name the schemas, and files by the places where Portico reads them', () => {
  const written = readFileSync(new URL('../../docs/schemastore.json', import.meta.url), 'utf8');
  expect(JSON.parse(written), 'run: npm run docs').toEqual(schemaStoreCatalog());
  const { schemas } = schemaStoreCatalog() as {
    schemas: { name: string; description: string; url: string; fileMatch?: string[] }[];
  };
  const addresses = Object.values(publishedSchemas()).map((schema) => schema['$id']);
  expect(new Set(schemas.map(({ url }) => url))).toEqual(new Set(addresses));
  // SchemaStore refuses names that say that they are schemas, and one pattern for two of them.
  for (const { name, description } of schemas) expect(`${name} ${description}`).not.toMatch(/schema|json/i);
  const matched = (file: string): string[] =>
    schemas.flatMap(({ name, fileMatch = [] }) =>
      fileMatch.some((one) => matchesGlob(file, one)) ? [name] : [],
    );
  expect(matched('work/.github/portico.yaml')).toEqual(['Portico repository']);
  expect(matched('.github/portico/channels/apps/web.yaml')).toEqual(['Portico channels']);
  expect(matched('charts/web/portico-sources.yaml')).toEqual(['Portico sources']);
  expect(matched('.github/portico/waves.yaml')).toEqual([]);
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
