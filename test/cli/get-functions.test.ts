import { expect, test } from 'vitest';

import { getFunctions } from '../../src/cli/get-functions.ts';
import type { Call } from '../../src/cli/verb.ts';
import { functionFacts } from '../../src/function/reference.ts';

/** Runs the form and gives its exit code, what it printed and what it said. */
async function ask(options: Record<string, string>, json = false): Promise<[number, unknown[], string[]]> {
  const printed: unknown[] = [];
  const said: string[] = [];
  const terminal = {
    json,
    print: (text: string) => printed.push(text),
    document: (value: unknown) => printed.push(value),
    say: (text: string) => said.push(text),
  };
  const code = await getFunctions({ text: (name: string) => options[name], terminal } as unknown as Call);
  return [code, printed, said];
}

test('all functions are listed with what they take and touch', async () => {
  const [code, printed] = await ask({});
  expect(code).toBe(0);
  expect(printed).toHaveLength(functionFacts().length);
  expect(printed).toContainEqual(
    [
      'set-labels  v0.1, v0.2  (mutator, built in)',
      '  sets labels on resources, selectors and pod templates',
      '  configuration: ConfigMap, SetLabels; touches: metadata.labels, selectors, pod and job templates, ' +
        'volume claim templates; idempotent: yes',
    ].join('\n'),
  );
});

test('a type leaves out the others', async () => {
  const [, [document]] = await ask({ type: 'validator' }, true);
  const names = (document as { functions: { name: string }[] }).functions.map(({ name }) => name);
  expect(names).toEqual(['kubeconform', 'list-setters', 'starlark']);
});

test.each([
  ['gcr.io/kpt-fn/set-image:v0.1.1', 'set-image', 'v0.1'],
  ['set-namespace', 'set-namespace', 'v0.4'],
  ['ghcr.io/kptdev/krm-functions-catalog/set-namespace:~0.3', 'set-namespace', 'v0.3'],
])('%s means %s %s', async (image, name, version) => {
  const [code, [document]] = await ask({ image }, true);
  expect(code).toBe(0);
  expect(document).toMatchObject({ functions: [{ name, versions: [version] }] });
});

test('an image that is not built in is told, with where to go on', async () => {
  const [code, printed, said] = await ask({ image: 'set-labels:v0.9' });
  expect([code, printed]).toEqual([1, []]);
  expect(said[0]).toBe('set-labels:v0.9 is not built in.');
});
