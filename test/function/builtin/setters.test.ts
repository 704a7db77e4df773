import { describe, expect, test } from 'vitest';

import { deriveSetters, isSettled } from '../../../src/function/builtin/setter-comment.ts';
import { head, runBuiltin } from './run-builtin.ts';

const apply = (spec: string, setters: Readonly<Record<string, string>>, version = 'v0.2') =>
  runBuiltin(`apply-setters:${version}`, setters, head('v1', 'X', 'a', `spec:\n${spec}`));

describe('apply-setters', () => {
  test.each([
    ['a number', '  n: 1 # kpt-set: ${n}\n', { n: '5' }, '  n: 5 # kpt-set: ${n}\n'],
    ['quotes that stay', '  n: "1"   # kpt-set: ${n}\n', { n: '5' }, '  n: "5"   # kpt-set: ${n}\n'],
    ['the spelling that is given', '  n: 1 # kpt-set: ${n}\n', { n: '1.50' }, '  n: 1.50 # kpt-set: ${n}\n'],
    [
      'part of a value',
      '  i: nginx:1.0 # kpt-set: ${image}:${tag}\n',
      { tag: '2.0' },
      '  i: nginx:2.0 # kpt-set: ${image}:${tag}\n',
    ],
    ['an empty value', '  i: x # kpt-set: ${i}\n', { i: '' }, '  i: "" # kpt-set: ${i}\n'],
    [
      'a list in block style',
      '  l: # kpt-set: ${l}\n  - a\n  - b # two\n',
      { l: '[b, c]' },
      '  l: # kpt-set: ${l}\n  - b # two\n  - c\n',
    ],
    [
      'a list in flow style',
      '  l: [a] # kpt-set: ${l}\n',
      { l: '- a\n- b\n' },
      '  l: # kpt-set: ${l}\n    - a\n    - b\n',
    ],
    [
      'a list that becomes empty',
      '  l: # kpt-set: ${l}\n  - a\n  m: 1\n',
      { l: '' },
      '  l: [] # kpt-set: ${l}\n  m: 1\n',
    ],
    ['nothing where the comment is another', '  n: 1 # set: ${n}\n', { n: '5' }, '  n: 1 # set: ${n}\n'],
    [
      'nothing where the value is already there',
      '  l: [ a,b ] # kpt-set: ${l}\n',
      { l: '[a, b]' },
      '  l: [ a,b ] # kpt-set: ${l}\n',
    ],
    [
      'a value that fits stays',
      '  n: p-redis-bucket # kpt-set: ${project}-${name}\n',
      { name: 'redis-bucket' },
      '  n: p-redis-bucket # kpt-set: ${project}-${name}\n',
    ],
  ])('sets %s', async (_name, spec, setters, wanted) => {
    expect((await apply(spec, setters)).text).toBe(head('v1', 'X', 'a', `spec:\n${wanted}`));
  });

  test('reports the field', async () => {
    const { output } = await apply('  l:\n  - c: 1 # kpt-set: ${n}\n', { n: '2' });
    expect(output.results).toEqual([{ message: 'set field value to "2"', field: { path: 'spec.l[0].c' } }]);
  });

  test.each([
    [
      '  i: "" # kpt-set: ${a}:${b}\n',
      { a: 'x' },
      'failed to apply setters: values for setters [${b}] must be provided',
    ],
    [
      '  i: web # kpt-set: ${a}\n',
      { a: '${x}' },
      'failed to apply setters: values for setters [${x}] must be provided',
    ],
    [
      '  l: # kpt-set: ${a}-${b}\n  - x\n',
      { a: 'x' },
      'failed to apply setters: invalid setter pattern for array node: "${a}-${b}"',
    ],
    [
      '  l: # kpt-set: ${a}\n  - x\n',
      { a: 'x' },
      'failed to apply setters: input to array setter must be an array of values, but found "x"',
    ],
  ])('fails on %j', async (spec, setters, message) => {
    const { output, messages } = await apply(spec, setters);
    expect(output.exitCode).toBe(1);
    expect(messages).toEqual([message]);
  });

  test('without a match succeeds, and failed in v0.1', async () => {
    expect((await apply('  n: 1\n', { n: '2' })).output).toMatchObject({
      exitCode: 0,
      results: [{ message: 'no matches for input setter(s)' }],
    });
    expect((await apply('  n: 1\n', { n: '2' }, 'v0.1')).output.exitCode).toBe(1);
  });
});

describe('the setters of a value', () => {
  test.each([
    ['${a}', 'x', { a: 'x' }],
    ['${a}:${b}', 'x:y:z', { a: 'x:y', b: 'z' }],
    ['pre-${a}', 'in pre-x', { a: 'x' }],
    ['${a}.${a}', 'x.y', { a: 'y' }],
    ['${a}-x', 'none', {}],
    ['${a}${b}', 'xy', { a: 'xy' }],
    ['(.*)${a}', 'b', {}],
  ])('%s of %s', (pattern, value, wanted) =>
    expect(Object.fromEntries(deriveSetters(pattern, value))).toEqual(wanted),
  );

  test('are found in time that does not explode', () => {
    const pattern = Array.from({ length: 200 }, (_, at) => `\${s${at}}a`).join('');
    expect(deriveSetters(pattern, 'a'.repeat(20_000)).size).toBeLessThanOrEqual(200);
  });

  test('fit or do not', () => {
    const given = new Map([['b', 'y']]);
    expect(isSettled('${a}-${b}', 'x-y', given)).toBe(true);
    expect(isSettled('${a}-${b}', '-y', given)).toBe(false);
    expect(isSettled('${b}', 'y', given)).toBe(true);
    expect(isSettled('${b}${b}', 'y', given)).toBe(false);
  });
});

test('create-setters writes what apply-setters reads', async () => {
  const text = head(
    'apps/v1',
    'Deployment',
    'web',
    'spec:\n  replicas: 3\n  image: "nginx:1.0"\n  envs: [dev, stage]\n  text: |\n    nginx\n',
  );
  const { text: after, messages } = await runBuiltin(
    'create-setters:v0.1',
    { replicas: '3', image: 'nginx', tag: '1.0', envs: '[stage, dev]' },
    text,
  );
  expect(after).toContain(
    'replicas: 3 # kpt-set: ${replicas}\n  image: "nginx:1.0" # kpt-set: ${image}:${tag}\n  envs: # kpt-set: ${envs}\n    - dev\n    - stage\n  text: |\n    nginx\n',
  );
  expect(messages[0]).toBe('Added line comment "kpt-set: ${replicas}" for field with value "3"');
  const applied = await runBuiltin('apply-setters:v0.2', { tag: '2.0' }, after);
  expect(applied.text).toBe(after.replace('nginx:1.0', 'nginx:2.0'));
});

test('list-setters lists what the Kptfile gives and what comments name', async () => {
  const text = `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: a
pipeline:
  mutators:
  - image: gcr.io/kpt-fn/apply-setters:v0.2
    configMap: {unused: "1", tag: "2.0"}
---
${head('v1', 'X', 'x', 'spec:\n  tag: 2.0 # kpt-set: ${tag}\n  on: true # kpt-set: ${on}\n')}`;
  const { messages } = await runBuiltin('list-setters:v0.1', undefined, text);
  expect(messages).toEqual([
    'Name: on, Value: true, Type: bool, Count: 1',
    'Name: tag, Value: 2.0, Type: float, Count: 1',
    'Name: unused, Value: 1, Type: int, Count: 0',
  ]);
});
