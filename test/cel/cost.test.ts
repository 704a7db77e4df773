import { describe, expect, test } from 'vitest';

import { judge } from '../../src/cel/judge.ts';
import { compilePolicy } from '../../src/cel/policy.ts';
import { evaluateTemplate, templateBudget } from '../../src/cel/template.ts';

/** Generous: what is tested is that there is an answer and which, not when. */
const PATIENCE = 120_000;

const tens = `[${Array.from({ length: 10 }, (_, at) => at).join(',')}]`;

/** Loops within loops, each written so. */
function nested(depth: number, loop: (inner: string, variable: string) => string): string {
  let expression = 'true';
  for (let at = 0; at < depth; at += 1) expression = loop(expression, `v${at}`);
  return `${expression} ? "a" : "b"`;
}

describe('templates', () => {
  test.each<[string, (inner: string, variable: string) => string]>([
    ['exists_one', (inner, variable) => `${tens}.exists_one(${variable}, ${inner})`],
    ['existsOne', (inner, variable) => `${tens}.existsOne(${variable}, ${inner})`],
    ['a line break before all', (inner, variable) => `${tens}.\nall(${variable}, ${inner})`],
    ['a comment before all', (inner, variable) => `${tens}.//\nall(${variable}, ${inner})`],
    ['blanks before the bracket', (inner, variable) => `${tens}.all\t (${variable}, ${inner})`],
    ['map', (inner, variable) => `size(${tens}.map(${variable}, ${inner})) > 0`],
    ['filter within a condition', (inner, variable) => `size(${tens}.filter(${variable}, ${inner})) > 0`],
  ])(
    'loops are counted in the syntax tree, whatever their spelling: %s (66)',
    (_name, loop) => {
      const answer = evaluateTemplate(nested(9, loop), {});
      expect(answer).toEqual({
        ok: false,
        message: expect.stringMatching(/loops more than|Syntax error|there is no|undeclared/),
      });
    },
    PATIENCE,
  );

  test('two loops over a few labels are no trouble', () => {
    const labels = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`label-${at}`, 'x'.repeat(20)]));
    const expression = 'target.labels.all(a, target.labels.exists(b, a == b)) ? "yes" : "no"';
    expect(evaluateTemplate(expression, { target: { labels } })).toEqual({ ok: true, value: 'yes' });
  });

  test(
    'two loops over much are stopped, and what follows from them is no result (66)',
    () => {
      const many = Array.from({ length: 5_000 }, (_, at) => `${at}`);
      const expression = 'true || target.all(a, target.all(b, a != "x" && b != "x")) ? "a" : "b"';
      const dear = `target.all(a, target.all(b, a != "x" && b != "x")) ? "a" : "b"`;
      expect(evaluateTemplate(expression, { target: many })).toEqual({ ok: true, value: 'a' });
      expect(evaluateTemplate(dear, { target: many })).toEqual({
        ok: false,
        message: expect.stringContaining('costs too much'),
      });
      const hidden = `${dear.replace(' ? "a" : "b"', '')} || true ? "a" : "b"`;
      expect(evaluateTemplate(hidden, { target: many })).toEqual({
        ok: false,
        message: expect.stringContaining('costs too much'),
      });
    },
    PATIENCE,
  );

  test('a text of a megabyte makes each turn dearer', () => {
    const text = 'x'.repeat(1024 * 1024);
    const fifty = `[${Array.from({ length: 50 }, (_, at) => at).join(',')}]`;
    const expression = `${fifty}.all(a, ${fifty}.all(b, !upstream.name.contains("y"))) ? "a" : "b"`;
    expect(evaluateTemplate(expression, { upstream: { name: 'x' } })).toEqual({ ok: true, value: 'a' });
    expect(evaluateTemplate(expression, { upstream: { name: text } })).toMatchObject({ ok: false });
  });

  test('the expressions of a set count together', () => {
    const budget = templateBudget();
    const many = Array.from({ length: 100 }, (_, at) => `${at}`);
    const expression = 'target.all(a, target.all(b, a != "x" && b != "x")) ? "a" : "b"';
    const answers = Array.from(
      { length: 200 },
      () => evaluateTemplate(expression, { target: many }, budget).ok,
    );
    expect(answers[0]).toBe(true);
    expect(answers.at(-1)).toBe(false);
  });

  test.each(['(?:(?:a{0,1000})){0,20}b', `${'a?'.repeat(400)}b`])(
    'a pattern of %.30s is bounded by what it becomes',
    (pattern) => {
      const text = 'a'.repeat(100_000);
      const answer = evaluateTemplate(`target.matches("${pattern}") ? "a" : "b"`, { target: text });
      expect(answer.ok).toBe(false);
    },
    PATIENCE,
  );
});

describe('policies', () => {
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'x' },
    spec: Array.from({ length: 2_000 }, (_, at) => at),
  };
  const review = {
    changes: [{ object, oldObject: null }],
    package: { name: 'p', path: 'p', repository: 'a/b', labels: {}, annotations: {} },
    namespaces: {},
  };

  const said = (expression: string, more: object = {}): string[] => {
    const result = compilePolicy({ validations: [{ expression }], ...more });
    if (!result.ok) throw new Error(result.problems[0]?.message);
    return judge(result.compiled, review).map(({ kind, message }) => `${kind}: ${message}`);
  };
  const dear = 'object.spec.all(a, object.spec.all(b, object.spec.all(c, a + b + c < 0 || a >= 0)))';

  test.each([
    ['a validation', () => said(dear)],
    ['one that would ignore its error', () => said(dear, { onError: 'ignore' })],
    ['one that would be true anyway', () => said(`${dear} || true`)],
    ['a condition', () => said('true', { conditions: [{ name: 'c', expression: dear }] })],
    [
      'an ignored condition',
      () => said('true', { onError: 'ignore', conditions: [{ name: 'c', expression: dear }] }),
    ],
    ['a variable', () => said('variables.v || true', { variables: [{ name: 'v', expression: dear }] })],
    ['a note', () => said('true', { notes: [{ name: 'n', expression: `${dear} ? "a" : "b"` }] })],
    ['a pattern', () => said(`object.spec.all(a, !"${'a'.repeat(800)}".matches("${'a?'.repeat(400)}b"))`)],
  ])(
    'what costs too much is an error, whatever the policy makes of errors: %s',
    (_name, judged) => {
      expect(judged()).toEqual([expect.stringMatching(/^error: The policy was not judged from here on: /)]);
    },
    PATIENCE,
  );

  test('a policy that loops as people do is judged', () =>
    expect(said('object.spec.all(a, a >= 0) && object.spec.map(a, a + 1).exists(b, b == 7)')).toEqual([]));
});
