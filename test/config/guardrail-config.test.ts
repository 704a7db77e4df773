import { describe, expect, test } from 'vitest';

import { guardrailDigest, guardrailsFor } from '../../src/config/guardrail-config.ts';
import { defaultRepositoryConfig } from '../../src/config/parse-repository-config.ts';
import type { GuardrailConfig, RepositoryConfig } from '../../src/config/repository-config.ts';

const config = (mutators: GuardrailConfig[], validators: GuardrailConfig[]): RepositoryConfig => ({
  ...defaultRepositoryConfig(),
  guardrails: { mutators, validators },
});

const LABELS: GuardrailConfig = {
  name: 'labels',
  mode: 'enforce',
  image: 'set-labels:v0.2',
  configMap: { team: 'a' },
};
const CEL: GuardrailConfig = { name: 'replicas', mode: 'warn', cel: 'true', message: 'no' };

test('mutators run before validators', () => {
  expect(guardrailsFor(config([LABELS], [CEL]), 'web')).toEqual([
    {
      name: 'labels',
      type: 'mutator',
      mode: 'enforce',
      spec: { name: 'labels', image: 'set-labels:v0.2', configMap: { team: 'a' } },
    },
    {
      name: 'replicas',
      type: 'validator',
      mode: 'warn',
      spec: { name: 'replicas' },
      policy: { validations: [{ expression: 'true', message: 'no' }] },
      params: [null],
    },
  ]);
});

describe('paths', () => {
  test.each([
    [['web'], 'web', true],
    [['web'], 'web/sub', false],
    [['apps/*'], 'apps/web', true],
    [['apps/*'], 'apps/web/x', false],
    [['apps/**'], 'apps/web/x', true],
    [['**'], '.hidden/x', true],
    [['a', 'b'], 'b', true],
    [['W*'], 'web', false],
  ])('%j and %s: %s', (paths, path, applies) => {
    expect(guardrailsFor(config([{ ...LABELS, paths }], []), path)).toHaveLength(applies ? 1 : 0);
  });
});

describe('the digest', () => {
  const digest = guardrailDigest(config([LABELS], [CEL]));
  test('is of the guardrails alone', () => {
    expect(guardrailDigest({ ...config([LABELS], [CEL]), branch: 'other' })).toBe(digest);
  });
  test.each<[string, RepositoryConfig]>([
    ['mode', config([{ ...LABELS, mode: 'warn' }], [CEL])],
    ['configuration', config([{ ...LABELS, configMap: { team: 'b' } }], [CEL])],
    ['expression', config([LABELS], [{ ...CEL, cel: 'false' }])],
    ['removal', config([LABELS], [])],
    ['paths', config([{ ...LABELS, paths: ['x'] }], [CEL])],
  ])('changes with %s', (_what, other) => expect(guardrailDigest(other)).not.toBe(digest));
});
