import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { withGeneratedPart } from '../../scripts/generated-part.ts';
import { splitCommand } from '../../src/function/command-line.ts';
import { findAllowed } from '../../src/function/foreign.ts';
import { pickVersion } from '../../src/function/image.ts';
import { functionTable } from '../../src/function/reference.ts';
import { functionResultList } from '../../src/function/result-list.ts';
import type { RuntimeOptions } from '../../src/function/runtime-options.ts';
import { createRuntime, isBuiltin } from '../../src/function/runtime.ts';
import type { FunctionOutput, FunctionSpec } from '../../src/package/render/function-runtime.ts';
import { kptfile, render, textsOf } from '../package/render/support.ts';

const work = mkdtempSync(join(tmpdir(), 'portico-exec-'));
afterAll(() => rmSync(work, { recursive: true }));

const item = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

function run(
  spec: FunctionSpec,
  options: RuntimeOptions = {},
  signal?: AbortSignal,
): Promise<FunctionOutput> {
  return createRuntime(options).run(spec, { items: [structuredClone(item)] }, signal);
}

/** A shell script as a program. */
function program(name: string, script: string): string {
  const path = join(work, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe('images', () => {
  test.each([
    'no-op',
    'no-op:latest',
    'gcr.io/kpt-fn/no-op:unstable',
    'gcr.io/kpt-fn-contrib/no-op:v0.1',
    'ghcr.io/kptdev/krm-functions-catalog/no-op:v0.1.3',
    'ghcr.io/kptdev/krm-functions-catalog/krm-fn-contrib/no-op',
  ])('%s is built in', async (image) => {
    expect(await run({ image })).toMatchObject({ exitCode: 0, items: [item] });
  });

  test.each([
    ['docker.io/nephio/nad-fn:latest', 'FUNCTION_UNKNOWN'],
    ['example.com/no-op:v0.1', 'FUNCTION_UNKNOWN'],
    ['starlark:v0.1', 'FUNCTION_VERSION_UNKNOWN'],
    ['set-labels:v0.3', 'FUNCTION_VERSION_UNKNOWN'],
    ['set-labels:main', 'FUNCTION_VERSION_UNKNOWN'],
    [`no-op@sha256:${'0'.repeat(64)}`, 'FUNCTION_VERSION_UNKNOWN'],
    ['constructor', 'FUNCTION_UNKNOWN'],
  ])('%s is refused with %s and the ways to allow it', async (image, code) => {
    const output = await run({ image });
    expect(output).toMatchObject({ exitCode: 1, refused: { code } });
    expect(output.items).toBeUndefined();
    for (const way of ['built in', 'container', 'your own machine'])
      expect(output.refused?.hint).toContain(way);
  });

  test.each([
    [`set-labels:v0.2@sha256:${'0'.repeat(64)}`, undefined],
    [`ghcr.io/kptdev/krm-functions-catalog/set-labels@sha256:${'0'.repeat(64)}`, 'v0.2'],
    [`kubeconform:v0.1@sha256:${'0'.repeat(64)}`, undefined],
  ])('a built-in function does not stand in for the digest in %s', async (image, tag) => {
    const spec = { image, ...(tag !== undefined && { tag }) };
    const output = await run(spec);
    expect(output).toMatchObject({ exitCode: 1, results: [], refused: { code: 'FUNCTION_VERSION_UNKNOWN' } });
    expect(output.refused?.message).toContain('the digest names exact content');
    expect(isBuiltin(spec)).toBe(false);
    // That content itself may be allowed, and is what runs then.
    const reference = `ghcr.io/kptdev/krm-functions-catalog/${image.split('/').at(-1)}`;
    const allowed = [{ image: 'anything:v1', code: { kind: 'container' as const, reference } }];
    expect(findAllowed(spec, { allowed })?.code).toEqual({ kind: 'container', reference });
  });

  test.each([
    ['set-label:v0.2', 'Did you mean set-labels:v0.2? '],
    ['ghcr.io/kptdev/krm-functions-catalog/set-namepsace', 'Did you mean set-namespace:v0.4? '],
    ['example.com/set-label:v0.2', 'example.com/set-label:v0.2 cannot run here'],
    ['set-labels:v9.9', 'set-labels:v9.9 cannot run here: of set-labels, v0.1 and v0.2 are built in.'],
  ])('the refusal of %s starts with: %s', async (image, start) => {
    const { refused } = await run({ image });
    expect(refused?.message.slice(0, start.length)).toBe(start);
    expect(refused?.hint).toMatch(/^Use a function and version that is built in/);
  });

  const known = [
    { major: 0, minor: 1, patch: 3 },
    { major: 0, minor: 2, patch: 5 },
    { major: 1, minor: 0, patch: 0 },
  ];
  test.each([
    ['latest', '1.0'],
    ['v0.2', '0.2'],
    ['v0.1.2', '0.1'],
    ['~0.1', '0.1'],
    ['^0.2.1', '0.2'],
    ['0.1.1 - 0.2.3', '0.2'],
    ['>= 0.1, < 0.2', '0.1'],
    ['0.x', '0.2'],
    ['<0.2 || 1.x', '1.0'],
    ['!=1.0', '0.2'],
    ['~0.3', undefined],
    ['v2.0', undefined],
    ['nonsense', undefined],
  ])('the tag %s means %s', (tag, version) => {
    const picked = pickVersion(tag, known);
    expect(picked === undefined ? undefined : `${picked.major}.${picked.minor}`).toBe(version);
  });

  test('a function that trips over a value has failed, and says so', async () => {
    const runtime = createRuntime();
    const broken = { ...item, metadata: { name: 'a', labels: 'none' } };
    const output = await runtime.run(
      { image: 'set-labels:v0.2', configMap: { a: 'b' } },
      {
        items: [broken],
        functionConfig: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: 'b' } },
      },
    );
    expect(output.exitCode).toBe(0);
    const search = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { 'by-value-regex': '(a)\\1', 'put-value': 'x' },
    };
    const refused = await runtime.run(
      { image: 'search-replace:v0.2' },
      { items: [item], functionConfig: search },
    );
    expect(refused).toMatchObject({ exitCode: 1, results: [{ severity: 'error' }] });
  });

  test('an expression of a package cannot hang the process', async () => {
    const data = { 'by-value-regex': '^(a+)+$', 'put-value': 'x' };
    const items = [{ ...item, metadata: { name: 'b' }, data: { a: `${'a'.repeat(5000)}!` } }];
    const functionConfig = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data };
    const output = await createRuntime().run({ image: 'search-replace:v0.2' }, { items, functionConfig });
    expect(output.results).toEqual([{ message: 'no matches' }]);
  });
});

describe('programs', () => {
  test('are refused unless they are allowed', async () => {
    const output = await run({ exec: 'cat' });
    expect(output).toMatchObject({ exitCode: 1, refused: { code: 'EXEC_NOT_ALLOWED' } });
    expect(output.refused?.hint).toContain('--allow-exec');
  });

  test('get a ResourceList with comments and give one back', async () => {
    const pipeline = `  mutators:\n  - exec: sed s/blue/green/\n`;
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  color: "blue" # of the sky\n  other: [a, b]\n';
    const runtime = createRuntime({ allowExec: true });
    const result = await render({ Kptfile: kptfile('a', pipeline), 'cm.yaml': text }, { runtime });
    expect(result.ok).toBe(true);
    expect(textsOf(result.files)['cm.yaml']).toBe(text.replace('blue', 'green'));
  });

  test('new resources go to a file of their own, and those with one name to one file', async () => {
    const script = program(
      'generate',
      'cat; printf "%s\\n" "  - {apiVersion: v1, kind: Secret, metadata: {name: s}}" "  - {apiVersion: v1, kind: Secret, metadata: {name: s}}"',
    );
    const runtime = createRuntime({ allowExec: true });
    const result = await render({ Kptfile: kptfile('a', `  mutators:\n  - exec: ${script}\n`) }, { runtime });
    // The appended lines continue the list of items, which is printed last.
    expect(result.changed).toEqual(['secret_s.yaml']);
    expect(textsOf(result.files)['secret_s.yaml']?.split('---')).toHaveLength(2);
  });

  test('are ended when they take too long, with what they started', async () => {
    const script = program('slow', 'sleep 600 & sleep 600');
    const output = await run({ exec: script }, { allowExec: true, execLimits: { timeoutMs: 50 } });
    expect(output).toMatchObject({ exitCode: 1, refused: { code: 'FUNCTION_TIMEOUT' } });
  });

  test('are let go when what they started has left them', async () => {
    const script = program('leave', 'setsid sleep 3 & sleep 600');
    const output = await run({ exec: script }, { allowExec: true, execLimits: { timeoutMs: 100 } });
    expect(output).toMatchObject({ exitCode: 1, refused: { code: 'FUNCTION_TIMEOUT' } });
  });

  test('are ended when they flood', async () => {
    const output = await run({ exec: 'yes' }, { allowExec: true, execLimits: { outputBytes: 10_000 } });
    expect(output).toMatchObject({ exitCode: 1, refused: { code: 'FUNCTION_OUTPUT_LIMIT' } });
  });

  test('are ended when the render is aborted', async () => {
    const aborting = new AbortController();
    const running = run({ exec: 'sleep 600' }, { allowExec: true }, aborting.signal);
    aborting.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  test('that do not exist are named', async () => {
    expect(await run({ exec: 'cat \0' }, { allowExec: true })).toMatchObject({
      refused: { code: 'EXEC_INVALID' },
    });
    expect(await run({ exec: 'no-such-program' }, { allowExec: true })).toMatchObject({
      refused: { code: 'EXEC_FAILED' },
    });
  });

  test('see of the environment only what is named for them', async () => {
    const script = program(
      'tell',
      'echo "kind: ResourceList\nitems: []\nresults: [{message: $SECRET $SHOWN}]"',
    );
    const host = { PATH: process.env['PATH'], SECRET: 'secret', SHOWN: 'shown', PORTICO_EXEC_ENV: 'SHOWN' };
    for (const sandbox of ['on', 'off']) {
      const environment = { ...host, PORTICO_EXEC_SANDBOX: sandbox };
      const output = await run({ exec: script }, { allowExec: true, environment });
      expect(output.results).toEqual([{ message: 'shown' }]);
    }
  });

  test('without a sandbox a warning says so, beside the results, unless that is wanted', async () => {
    const script = program('plain', 'cat');
    const bare = { allowExec: true, hasSandbox: () => Promise.resolve(false) };
    const environment = { PATH: process.env['PATH'], PORTICO_EXEC_SANDBOX: 'off' };
    const files = { Kptfile: kptfile('a', `  mutators:\n  - exec: ${script}\n`) };
    const result = await render(files, {
      runtime: createRuntime({ ...bare, environment: { PATH: process.env['PATH'] } }),
    });
    expect(result).toMatchObject({ ok: true, changed: [], runs: [{ results: [] }] });
    expect(result.findings).toMatchObject([
      { severity: 'warning', message: expect.stringContaining('ran WITHOUT A SANDBOX') as string },
    ]);
    const wanted = await render(files, { runtime: createRuntime({ ...bare, environment }) });
    expect(wanted.findings).toEqual([]);
  });

  test.each([
    ['fn a "b c" \'d "e"\' f\\ g', ['fn', 'a', 'b c', 'd "e"', 'f g']],
    ['fn --x=""', ['fn', '--x=']],
    ['  ', []],
  ])('the command %s is split as a shell would', (command, words) =>
    expect(splitCommand(command)).toEqual(words),
  );
});

test("results are written as kpt's FunctionResultList", async () => {
  const pipeline =
    '  mutators:\n  - image: set-labels:v0.2\n    configMap: { a: b }\n  - image: apply-setters:v0.2\n    configMap: { a: b }\n';
  const result = await render({ Kptfile: kptfile('a', pipeline) });
  expect(parse(functionResultList(result))).toEqual({
    apiVersion: 'kpt.dev/v1',
    kind: 'FunctionResultList',
    metadata: { name: 'fnresults' },
    exitCode: 0,
    items: [
      {
        image: 'set-labels:v0.2',
        exitCode: 0,
        results: [{ message: 'set 1 labels in total', severity: 'info' }],
      },
      {
        image: 'apply-setters:v0.2',
        exitCode: 0,
        results: [{ message: 'no matches for input setter(s)', severity: 'info' }],
      },
    ],
  });
});

test('the page of functions lists what is built in', () => {
  const page = readFileSync(new URL('../../docs/functions.md', import.meta.url), 'utf8');
  expect(page, 'run: npm run docs').toBe(withGeneratedPart(page, functionTable()));
});
