import { expect, test } from 'vitest';
import { z } from 'zod';

import { exemptionDocument } from '../../src/config/exemption-document.ts';
import { repositoryJsonSchema } from '../../src/config/repository-schema.ts';
import { rolloutJsonSchema } from '../../src/config/rollout-schema.ts';
import { WEAKER_RULES } from '../../src/config/weaker-rules.ts';

/** Fields that the configuration in effect has elsewhere than the file. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'updates.pullRequest': 'updates.direct',
  'updates.group': 'updates.groups',
  'functions[].sha256': 'functions[].wasm',
};

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

test.each([
  ['Repository', '', repositoryJsonSchema()],
  ['PolicyExemption', 'exemptions[]', z.toJSONSchema(exemptionDocument, { io: 'input' })],
  ['Rollout', 'rollouts[]', rolloutJsonSchema()],
])('each field of a %s document has a rule that says which change weakens it', (_kind, top, schema) => {
  const { spec } = (schema as Schema).properties!;
  expect(spec).toBeDefined();
  expect(fieldsWithoutRule(spec!, top)).toEqual([]);
});

test('a field without a rule is found', () => {
  const spec = { properties: { publish: { properties: { fancy: {}, release: {} } }, other: {} } };
  expect(fieldsWithoutRule(spec, '')).toEqual(['publish.fancy', 'other']);
});

function fieldsWithoutRule({ properties, items }: Schema, path: string): string[] {
  // Entries that are compared one by one.
  if (WEAKER_RULES[path]?.namedBy !== undefined) return fieldsWithoutRule(items!, `${path}[]`);
  if (WEAKER_RULES[path] !== undefined && !path.endsWith('[]')) return [];
  if (properties === undefined) return path === 'access' ? [] : [path];
  return Object.entries(properties).flatMap(([key, schema]) => {
    // An entry with another name is another entry.
    if (key === WEAKER_RULES[path.replace(/\[\]$/, '')]?.namedBy) return [];
    const own = path === '' ? key : `${path}.${key}`;
    return fieldsWithoutRule(schema, ELSEWHERE[own] ?? own);
  });
}
