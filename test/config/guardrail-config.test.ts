import { describe, expect, test } from 'vitest';

import { guardrailDigest, guardrailsFor, readsBase } from '../../src/config/guardrail-config.ts';
import { defaultRepositoryConfig, parseRepositoryConfig } from '../../src/config/parse-repository-config.ts';
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
      policy: { validations: [{ expression: 'true', message: 'no' }], wholePackage: true },
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

const problems = (entry: string): string[] =>
  parseRepositoryConfig({
    file: 'portico.yaml',
    bytes: new TextEncoder().encode(
      `apiVersion: config.portico.dev/v1alpha1\nkind: Repository\nspec:\n  guardrails:\n    validators:\n    - name: a\n${entry}`,
    ),
  }).problems.map(({ line, message }) => `${line}: ${message.replace('spec.guardrails.validators[0]', '')}`);

const asked = (cel: string): GuardrailConfig => ({ name: 'a', mode: 'enforce', cel });

describe('policies in the configuration', () => {
  test.each([
    ['      cel: "true"\n      params: { a: [1, x] }\n      field: spec.a[0]', []],
    ['      policy: replica-bounds\n      params: { max: 3 }', []],
    ['      policyPath: policies/a.yaml', []],
    [
      '      cel: |\n        true &&\n        object.spec..x',
      ['9: .cel is not valid CEL at line 2, column 12: found . but expecting end of input'],
    ],
    ['      cel: nope(1)', ['7: .cel is not valid CEL at line 1, column 1: there is no function nope']],
    [
      '      cel: "true"\n      messageExpression: foo',
      [expect.stringMatching(/^8: \.messageExpression is not valid CEL .* there is no variable foo/)],
    ],
    ['      cel: "true"\n      params: { a: .nan }', ['8: .params has a number that is none: .nan or .inf']],
    ['      cel: "true"\n      field: a b', ['8: .field must be a path such as spec.replicas']],
    [
      '      policy: no-latest-image',
      ['7: .policy is not a ready-made policy; did you mean no-latest-images'],
    ],
    ['      policy: required-labels', ['7: .policy needs the param labels']],
    [
      '      policy: replica-bounds\n      params: { mni: 1 }',
      ['8: .params.mni is not a param of replica-bounds; did you mean min'],
    ],
    ['      policy: probes\n      message: x', ['8: .message belongs to cel only']],
    [
      '      image: a\n      params: {}',
      ['8: .params belongs to cel, policy, policyPath and rego; functions have configMap'],
    ],
    ['      cel: "true"\n      policy: probes', ['6:  needs either image, cel, policy, policyPath or rego']],
    ['      cel: "true"\n      kyverno: x', [expect.stringMatching(/^8: \.kyverno is not a field/)]],
  ])('%j', (entry, wanted) => {
    expect(problems(entry)).toEqual(wanted);
  });

  test('are told apart by what they ask of the base', () => {
    expect(readsBase(guardrailsFor(config([], [asked('oldObject == null')]), 'web'))).toBe(true);
    expect(readsBase(guardrailsFor(config([], [asked('object != null')]), 'web'))).toBe(false);
  });

  test('ready-made ones have their defaults', () => {
    const [guardrail] = guardrailsFor(
      config([], [{ name: 'a', mode: 'enforce', policy: 'replica-bounds', params: { max: 3 } }]),
      'web',
    );
    expect(guardrail).toMatchObject({ name: 'a', params: [{ min: 1, max: 3 }], spec: { name: 'a' } });
    expect(guardrail!.policy!.validations).toHaveLength(1);
  });
});
