import { describe, expect, test } from 'vitest';

import { MAX_FUNCTIONS, MAX_SCRIPT_STEPS } from '../../../src/package/render/work-budget.ts';
import { kptfile, render, textsOf } from './support.ts';

/** Generous: what is tested is that there is an answer and which, not when. */
const PATIENCE = 120_000;

const config = (name: string, data = '{ a: b }'): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata: ${data}\n`;

const searchReplace = (options: Readonly<Record<string, string>>): string =>
  `  - image: search-replace:v0.2\n    configMap: ${JSON.stringify(options)}\n`;

const copyInto = (to: string): string =>
  `- source: { kind: ConfigMap, name: x, fieldPath: spec }\n  targets:\n  - select: { kind: ConfigMap, name: x }\n    fieldPaths: [spec.${to}]\n    options: { create: true }\n`;

/** What went wrong, in the words of the last function that ran, and its code. */
async function failure(
  texts: Readonly<Record<string, string>>,
): Promise<{ readonly code: string | undefined; readonly message: string }> {
  const { ok, runs, problem } = await render(texts);
  expect(ok).toBe(false);
  if (problem !== undefined) return problem;
  const { results = [], refused } = runs.at(-1) ?? {};
  return refused ?? { code: results.at(-1)?.tags?.['code'], message: results.at(-1)?.message ?? '' };
}

describe('globs of search-replace are matched in linear time', () => {
  const file = `${'a'.repeat(100)}.yaml`;

  test.each([
    ['*a'.repeat(12) + 'b', true],
    ['**/'.repeat(30) + 'b', true],
    ['{a,b}'.repeat(16), false],
    ['{1..9999999}', false],
    ['{a}.yaml', false],
  ])(
    '%s (61)',
    async (glob, isGlob) => {
      const pipeline = `  mutators:\n${searchReplace({ 'by-file-path': glob, 'by-value': 'b', 'put-value': 'c' })}`;
      const { ok, runs, changed } = await render({
        Kptfile: kptfile('p', pipeline),
        [file]: config('x'),
      });
      expect({ ok, changed, said: runs[0]?.results[0]?.message }).toEqual({
        ok: isGlob,
        changed: [],
        said: isGlob ? 'no matches' : expect.stringContaining('is not a glob'),
      });
    },
    PATIENCE,
  );

  test('braces stand for each of their parts', async () => {
    const glob = `{${'{x,y}'.repeat(6)},conf/**}/{a,b}.yaml`;
    const pipeline = `  mutators:\n${searchReplace({ 'by-file-path': glob, 'by-value': 'b', 'put-value': 'c' })}`;
    const { changed } = await render({
      Kptfile: kptfile('p', pipeline),
      'conf/1/2/b.yaml': config('x'),
      'conf/1/2/c.yaml': config('y'),
    });
    expect(changed).toEqual(['conf/1/2/b.yaml']);
  });

  test('what is no glob is told', async () => {
    const pipeline = `  mutators:\n${searchReplace({ 'by-file-path': '[a', 'by-value': 'b', 'put-value': 'c' })}`;
    const { message } = await failure({ Kptfile: kptfile('p', pipeline), 'a.yaml': config('x') });
    expect(message).toContain('is not a glob');
  });
});

describe('expressions are bounded by what they become', () => {
  test('an expression of 8,000 optional letters is refused (61)', async () => {
    const pipeline = `  mutators:\n${searchReplace({ 'by-value-regex': 'a?'.repeat(8_000), 'put-value': 'c' })}`;
    const { message } = await failure({
      Kptfile: kptfile('p', pipeline),
      'a.yaml': config('x', `{ a: ${'a'.repeat(16_000)} }`),
    });
    expect(message).toContain('is too large');
  });

  test(
    'a pattern of a definition whose repetitions multiply is told (61)',
    async () => {
      const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: bombs.example.com }
spec:
  group: example.com
  names: { kind: Bomb, plural: bombs }
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: { spec: { type: string, pattern: "^(?:(?:a{0,1000})){0,20}b$" } }
`;
      const { message } = await failure({
        Kptfile: kptfile('p', '  validators:\n  - image: kubeconform:v0.1\n'),
        'crd.yaml': crd,
        'bomb.yaml': `apiVersion: example.com/v1\nkind: Bomb\nmetadata: { name: b }\nspec: ${'a'.repeat(16_000)}\n`,
      });
      expect(message).toContain('too large to be checked: write it with smaller repetitions');
    },
    PATIENCE,
  );

  test(
    'many texts with an expression at its limit end in an error (61)',
    async () => {
      const pipeline = `  mutators:\n${searchReplace({ 'by-value-regex': `${'a?'.repeat(1_500)}b`, 'put-value': 'c' })}`;
      const data = Array.from({ length: 1_000 }, (_, at) => `k${at}: ${'a'.repeat(100)}`).join(', ');
      const { code } = await failure({
        Kptfile: kptfile('p', pipeline),
        'a.yaml': config('x', `{ ${data} }`),
      });
      expect(code).toBe('MATCHING_LIMIT');
    },
    PATIENCE,
  );
});

describe('what is copied is counted', () => {
  test('eighteen copies of a field into itself end in an error that names the resource (61)', async () => {
    const replacements = Array.from({ length: 18 }, () => copyInto('a') + copyInto('b')).join('');
    const { code, message } = await failure({
      Kptfile: kptfile('p', '  mutators:\n  - image: apply-replacements:v0.1\n    configPath: copies.yaml\n'),
      'copies.yaml': `apiVersion: fn.kpt.dev/v1alpha1\nkind: ApplyReplacements\nmetadata: { name: copies }\nreplacements:\n${replacements}`,
      'x.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: x }\nspec: { seed: 1 }\n',
    });
    expect(code).toBe('COPY_LIMIT');
    expect(message).toContain('ConfigMap x, spec.');
  });

  test('a text that is put into itself thirty times ends in an error', async () => {
    const twice = searchReplace({ 'by-value-regex': '^(.*)$', 'by-path': 'data.a', 'put-value': '${1}${1}' });
    const { code } = await failure({
      Kptfile: kptfile('p', `  mutators:\n${twice.repeat(30)}`),
      'a.yaml': config('x', '{ a: text }'),
    });
    expect(code).toMatch(/^(?:COPY_LIMIT|RESULTS_TOO_LARGE|RESOURCE_TOO_LARGE|MATCHING_LIMIT)$/);
  });

  test('a field below ten thousand others is refused, with its resource', async () => {
    const path = Array.from({ length: 10_000 }, () => 'a').join('.');
    const { code, message } = await failure({
      Kptfile: kptfile('p', `  mutators:\n${searchReplace({ 'by-path': path, 'put-value': 'c' })}`),
      'a.yaml': config('x'),
    });
    expect(code).toBe('NESTED_TOO_DEEP');
    expect(message).toContain('Kptfile p');
  });
});

describe('many functions are counted together', () => {
  test(
    'three hundred scripts, each below its own limit, end in an error and never in a success (61)',
    async () => {
      const script = 'def run():\n  for i in range(400000):\n    pass\nrun()\n';
      const one = `  - image: starlark:v0.5\n    configMap: ${JSON.stringify({ source: script })}\n`;
      const { code, message } = await failure({
        Kptfile: kptfile('p', `  mutators:\n${one.repeat(300)}`),
        'a.yaml': config('x'),
      });
      expect(code).toBe('SCRIPT_LIMIT');
      expect(message).toContain(String(MAX_SCRIPT_STEPS));
    },
    PATIENCE,
  );

  test('more functions than a package may have are refused before one runs', async () => {
    const one = '  - image: no-op:v0.1\n';
    const most = `  mutators:\n${one.repeat(MAX_FUNCTIONS)}`;
    expect((await render({ Kptfile: kptfile('p', most) })).ok).toBe(true);
    const { runs, problem } = await render({
      Kptfile: kptfile('p', most),
      'sub/Kptfile': kptfile('sub', `  mutators:\n${one}`),
    });
    expect({ runs: runs.length, code: problem?.code }).toEqual({ runs: 0, code: 'TOO_MANY_FUNCTIONS' });
  });

  test('a clean package notices nothing', async () => {
    const { ok, files } = await render({
      Kptfile: kptfile('p', '  mutators:\n  - image: set-labels:v0.2\n    configMap: { team: a }\n'),
      'a.yaml': config('x'),
    });
    expect(ok).toBe(true);
    expect(textsOf(files)['a.yaml']).toContain('team: a');
  });
});
