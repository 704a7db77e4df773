import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { judge } from '../../src/cel/judge.ts';
import { compilePolicy } from '../../src/cel/policy.ts';
import { evaluateTemplate } from '../../src/cel/template.ts';
import { damaged, fuzz, soup } from './fuzzing.ts';

const GOOD = [
  '!has(object.spec.replicas) || object.spec.replicas <= 5',
  'object.spec.template.spec.containers.all(c, c.image.startsWith("acme/"))',
  'object.metadata.labels.exists(l, l == "app") && object.metadata.name.matches("^[a-z]+$")',
  'variables.x.filter(i, i > 1).map(i, i * 2).size() < 3',
  'quantity("1Gi").isLessThan(quantity("2Gi"))',
  'oldObject == null || oldObject.spec == object.spec',
  "repository.name + '-' + package.name.upperAscii()",
];
const PIECES = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '.',
  ',',
  ' + ',
  ' - ',
  '!',
  '-',
  ' ? ',
  ' : ',
  ' == ',
  ' in ',
  ' && ',
  ' || ',
  '"',
  "'",
  "'''",
  'r"',
  'b"\\xff"',
  '\\',
  '\n',
  '//',
  '0',
  '1u',
  '9223372036854775807',
  '1e999',
  '-0.0',
  '0x',
  'null',
  'true',
  'object',
  'oldObject',
  'self',
  '.all(x, ',
  '.exists_one(x, ',
  '.map(x, ',
  'has(',
  'size(',
  'int(',
  'timestamp(',
  'duration("1s")',
  '.matches("(a*)*$")',
  'type(',
  'dyn(',
  '__proto__',
  '`a-b`',
  '\u0000',
  '\ud800',
  'é',
  '@',
];
const text = fc.oneof(damaged(GOOD, PIECES), soup(PIECES, 24));

const object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { app: 'web' } },
  spec: { replicas: 7, template: { spec: { containers: [{ name: 'a', image: 'x/y:1' }] } } },
};
const review = {
  changes: [{ object, oldObject: null }],
  package: { name: 'web', path: 'web', repository: 'acme/x', labels: {}, annotations: {} },
  namespaces: {},
};

test('policies', () =>
  fuzz({
    name: 'CEL policies: compile and judge',
    weight: 1,
    inputs: [text, text],
    check(expression, message) {
      const policy = { validations: [{ expression, message: 'no', messageExpression: message }] };
      const result = compilePolicy(policy);
      if (!result.ok) {
        for (const problem of result.problems) {
          expect(problem.message).not.toBe('');
          expect(problem.line).toBeGreaterThan(0);
        }
        return;
      }
      for (const remark of judge(result.compiled, review)) expect(typeof remark.message).toBe('string');
    },
  }));

test('templates of variants', () =>
  fuzz({
    name: 'CEL templates',
    weight: 1,
    inputs: [text],
    check(expression) {
      const answer = evaluateTemplate(expression, {
        repository: { name: 'deploy' },
        package: { name: 'web' },
      });
      expect(answer).toBeTypeOf('object');
    },
  }));
