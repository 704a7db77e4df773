/** What kpt gets wrong, and a render here must not. */
import { tmpdir } from 'node:os';

import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import { kptfile, render, textsOf } from './support.ts';

const CONFIG_MAP = (name: string, rest = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${rest}`;

/** Renders with programs allowed; `sh` is all that they need. */
async function renderExec(texts: Readonly<Record<string, string>>) {
  const environment = { PATH: process.env['PATH'], PORTICO_EXEC_SANDBOX: 'off' };
  return render(texts, {
    runtime: createRuntime({ allowExec: true, workingDirectory: tmpdir(), environment }),
  });
}

const exec = (script: string, rest = ''): string =>
  `  mutators:\n  - exec: "sh -c '${script.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}'"\n${rest}`;

const list = (...items: string[]): string =>
  `cat > /dev/null; printf "%b" "apiVersion: config.kubernetes.io/v1\\\\nkind: ResourceList\\\\nitems:${items.map((item) => `\\\\n- ${item}`).join('')}\\\\n"`;

describe('a function that answers nothing does not erase the package', () => {
  test.each([
    ['prints nothing', 'cat > /dev/null', 'printed nothing'],
    ['prints an empty list', `${list()} | sed "s/items:/items: []/"`, 'removed the Kptfile'],
    ['prints garbage', 'cat > /dev/null; echo "{{{"', ''],
  ])('%s', async (_what, script, said) => {
    const result = await renderExec({ Kptfile: kptfile('a', exec(script)), 'cm.yaml': CONFIG_MAP('x') });
    expect(result).toMatchObject({ ok: false, changed: [] });
    expect(result.findings.map(({ message }) => message).join('\n')).toContain(said);
  });
});

test('two new resources with one default path go into one file', async () => {
  const one = '{apiVersion: v1, kind: ConfigMap, metadata: {name: made}, data: {n: one}}';
  const two = '{apiVersion: v1, kind: ConfigMap, metadata: {name: made}, data: {n: two}}';
  const pipeline = exec(list(one, two), '    selectors: [{ name: none }]\n');
  const result = await renderExec({ Kptfile: kptfile('a', pipeline) });
  expect(result).toMatchObject({ ok: true, changed: ['configmap_made.yaml'] });
  const text = textsOf(result.files)['configmap_made.yaml'];
  expect(text?.split('---\n')).toHaveLength(2);
  expect(text).toContain('one}');
  expect(text).toContain('two}');
});

test('a generator that runs again leaves alone what is not its own', async () => {
  const made = '{apiVersion: v1, kind: ConfigMap, metadata: {name: made}}';
  const pipeline = exec(list(made), '    selectors: [{ name: none }]\n');
  const first = await renderExec({ Kptfile: kptfile('a', pipeline), 'cm.yaml': CONFIG_MAP('x') });
  expect(first.ok).toBe(true);
  const second = await renderExec(textsOf(first.files));
  expect(second.ok).toBe(true);
  expect(textsOf(second.files)['cm.yaml']).toBe(CONFIG_MAP('x'));
});

test.each([
  ['two that match', '[{ kind: ConfigMap }, { name: x }]'],
  ['the same twice', '[{ kind: ConfigMap }, { kind: ConfigMap }]'],
  ['one that matches all', '[{}, { kind: ConfigMap }]'],
])('overlapping selectors (%s) are no error, and count once', async (_what, selectors) => {
  const pipeline = `  mutators:\n  - image: set-labels:v0.2\n    configMap: { team: x }\n    selectors: ${selectors}\n    exclude: [{ kind: Kptfile }]\n`;
  const result = await render({ Kptfile: kptfile('a', pipeline), 'cm.yaml': CONFIG_MAP('x') });
  expect(result).toMatchObject({ ok: true, changed: ['cm.yaml'] });
  expect(result.runs[0]?.results).toEqual([{ message: 'set 1 labels in total', severity: 'info' }]);
});

describe('comments stay with what they are about', () => {
  const before = CONFIG_MAP('x', 'data:\n  a: "1" # of a\nlist:\n- one # of one\n- two # of two\n');

  // The program prints no comments at all, as most do.
  test.each([
    [
      'an item in front of the list',
      's/^( *)- one/\\1- zero\\n\\1- one/',
      'list:\n- zero\n- one # of one\n- two # of two\n',
    ],
    ['an item that goes', '/^ *- one/d', 'list:\n- two # of two\n'],
    ['an item in the place of another', 's/- two/- three/', 'list:\n- one # of one\n- three\n'],
    ['a value that changes', 's/- one/- one/', 'list:\n- one # of one\n- two # of two\n'],
  ])('%s', async (_what, change, wanted) => {
    const script = `sed -E -e "s/ +# .*//" -e "${change}"`;
    const texts = { Kptfile: kptfile('a', exec(script)), 'cm.yaml': before };
    const result = await renderExec(texts);
    expect(result.ok).toBe(true);
    expect(textsOf(result.files)['cm.yaml']).toContain(wanted);
    expect(textsOf(result.files)['cm.yaml']).toContain('  a: "1" # of a\n');
  });

  test('a new resource takes none from its neighbours', async () => {
    const made =
      '{apiVersion: v1, kind: ConfigMap, metadata: {name: made, annotations: {config.kubernetes.io/path: cm.yaml}}, data: {a: \\"1\\"}}';
    const pipeline = exec(list(made), '    selectors: [{ name: none }]\n');
    const result = await renderExec({ Kptfile: kptfile('a', pipeline), 'cm.yaml': before });
    expect(textsOf(result.files)['cm.yaml']?.startsWith(before)).toBe(true);
    expect(textsOf(result.files)['cm.yaml']?.slice(before.length)).not.toContain('#');
  });
});
