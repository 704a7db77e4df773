/** The function `starlark`: resources in, resources out, and every script of the golden cases. */
import { describe, expect, test } from 'vitest';

import { createRuntime } from '../../../src/function/runtime.ts';
import { parseScript } from '../../../src/function/starlark/parser.ts';
import { copyValue } from '../../../src/package/render/field-notes.ts';
import type { KrmObject } from '../../../src/package/render/krm-object.ts';
import { readResources } from '../../../src/package/render/read-resources.ts';
import { configOf, shape as functionShape } from '../../corpus/functions/function-case.ts';
import { readPackages } from '../../corpus/packages/package-case.ts';
import { readCases } from '../../corpus/read-cases.ts';
import { head, runBuiltin } from '../builtin/run-builtin.ts';

/** A functionConfig with a script. */
function script(source: string, more = ''): string {
  const lines = source.trim().split('\n');
  return `apiVersion: fn.kpt.dev/v1alpha1\nkind: StarlarkRun\nmetadata: {name: my-run}\n${more}source: |\n  ${lines.join('\n  ')}\n`;
}

const run = (source: string, text: string, more = '') =>
  runBuiltin('starlark:v0.5', script(source, more), text);
const each = 'for r in ctx.resource_list["items"]:';

describe('starlark', () => {
  test('changes fields; comments, quotes, key order and spellings stay', async () => {
    const text = head(
      'v1',
      'X',
      'a',
      'z: "1" # one\ny: 0644\nx: 1.0\nw: 12345678901234567890\nv: {b: 1, a: [x, y]} # v\nu: ~\nt: 1e3\nreplicas: 3 # how many\n',
    );
    const result = await run(`${each}\n  r["replicas"] += 2`, text);
    expect(result.text).toBe(text.replace('replicas: 3', 'replicas: 5'));
    expect((await run('pass', text)).text).toBe(text);
  });

  test('sees ints as ints and floats as floats', async () => {
    const text = head('v1', 'X', 'a', 'n: [1, 1.0, 1e3, 0x10, 12345678901234567890, "1", true, null]\n');
    const { output } = await run(`${each}\n  fail([type(x) for x in r["n"]])`, text);
    expect(output.results[0]?.message).toBe(
      'fail: ["int", "float", "float", "int", "int", "string", "bool", "NoneType"]',
    );
  });

  test('long ints do not lose a digit', async () => {
    const text = head('v1', 'X', 'a', 'n: 12345678901234567890\n');
    expect((await run(`${each}\n  r["n"] += 1`, text)).text).toContain('n: 12345678901234567891\n');
  });

  test('text beyond ASCII comes back', async () => {
    const text = head('v1', 'X', 'a', 'n: grüße 😀\n');
    expect((await run(`${each}\n  r["m"] = r["n"].upper() + "é"`, text)).text).toBe(
      `${text}m: GRÜSSE 😀é\n`.replace('SS', 'ß'),
    );
  });

  test('keys such as __proto__ are plain data', async () => {
    const text = head('v1', 'X', 'a', '__proto__:\n  polluted: yes\nconstructor: 1\n');
    const source = `${each}\n  r["__proto__"]["toString"] = "x"\n  r["data"] = {"__proto__": {"a": 1}}`;
    const { text: after } = await run(source, text);
    expect(after).toContain('__proto__:\n  polluted: yes\n  toString: x\n');
    expect(after).toContain('data:\n  __proto__:\n    a: 1\n');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a list is changed where it is changed', async () => {
    const text = head(
      'v1',
      'X',
      'a',
      'env:\n# first\n- name: a # A\n  value: "1"\n- name: b\n  value: "2" # B\n',
    );
    const source = `${each}\n  r["env"].insert(0, {"value": "0", "name": "z"})\n  r["env"][2]["value"] = "3"`;
    expect((await run(source, text)).text).toBe(
      head(
        'v1',
        'X',
        'a',
        'env:\n- name: z\n  value: "0"\n# first\n- name: a # A\n  value: "1"\n- name: b\n  value: "3" # B\n',
      ),
    );
  });

  test('makes, moves and drops resources', async () => {
    const source = `
items = ctx.resource_list["items"]
new = {"spec": {"b": 1, "a": (1, 2)}, "kind": "Y", "metadata": {"name": "new"}, "apiVersion": "v1"}
ctx.resource_list["items"] = [r for r in items if r["metadata"]["name"] != "a"] + [new]`;
    const { output } = await run(source, `${head('v1', 'X', 'a')}---\n${head('v1', 'X', 'b')}`);
    expect(output.items?.map((item) => (item['metadata'] as { name: string }).name)).toEqual(['b', 'new']);
    expect(JSON.stringify(output.items?.[1])).toBe(
      '{"apiVersion":"v1","kind":"Y","metadata":{"name":"new"},"spec":{"a":[1,2],"b":1}}',
    );
  });

  test('what is moved keeps its comments', async () => {
    const text = head('v1', 'X', 'a', 'from:\n  x: 1 # one\n  z: [2] # two\n');
    const source = `${each}\n  r["to"] = r.pop("from")`;
    expect((await run(source, text)).text).toBe(text.replace('from:', 'to:'));
  });

  test('reads its parameters, and a ConfigMap as configuration', async () => {
    const text = head('v1', 'X');
    const take = `${each}\n  r["list"] = ctx.resource_list["functionConfig"]["params"]["n"]`;
    expect((await run(take, text, 'params: {n: [1]}\n')).text).toBe(`${text}list:\n  - 1\n`);
    const source = `${each}\n  r["num"] = int(ctx.resource_list["functionConfig"]["data"]["n"])`;
    expect((await runBuiltin('starlark:v0.4', { source, n: '5' }, text)).text).toBe(`${text}num: 5\n`);
  });

  test('prints to the log', async () => {
    const { output } = await run('print("hé", 1)', head('v1', 'X'));
    expect(output).toMatchObject({ exitCode: 0, results: [], stderr: 'hé 1' });
  });

  test.each([
    ['fail("no", 1)', 'fail: no 1'],
    ['x = 1 +', 'my-run:1:8: got newline, want primary expression'],
    ['foo', 'my-run:1:1: undefined: foo'],
    [
      'while True: pass',
      'the script was stopped: too many steps (it exceeded 10000000 steps; check for an endless loop)',
    ],
    [
      'x = [1]\nwhile True: x += x',
      'the script was stopped: too much memory (its values may take 256 MiB together)',
    ],
    ['ctx.resource_list["items"] = 1', 'resource_list["items"] must be a list, not int'],
    ['ctx.resource_list["items"].append(1)', 'items[1] must be a dict, not int'],
    [
      'ctx.resource_list["items"][0]["f"] = len',
      'items[0].f is a builtin_function_or_method, which a resource cannot hold',
    ],
    [
      'ctx.resource_list["items"][0]["f"] = {1: 2}',
      'items[0].f has a key of type int; in a resource keys are strings',
    ],
    [
      'x = ctx.resource_list["items"][0]\nx["x"] = x',
      /^items\[0\]\.x\.x.* is nested too deeply: does it contain itself\?$/,
    ],
    [
      'x = [1]\nfor i in range(90): x = [x, x]\nctx.resource_list["items"][0]["x"] = x',
      /too many steps|too much memory/,
    ],
    [
      'ctx.open_api["definitions"]',
      'ctx.open_api is not available here: it would make a render depend on more than the package',
    ],
    ['ctx.environment["HOME"]', 'key "HOME" not in dict'],
    ['ctx.x = 1', "can't assign to .x field of ctx"],
  ])('%j fails and says why', async (source, message) => {
    const { output } = await run(source, head('v1', 'X'));
    expect(output.exitCode).toBe(1);
    expect(output.items).toBeUndefined();
    expect(output.results).toHaveLength(1);
    expect(output.results[0]).toMatchObject({ severity: 'error' });
    const said = output.results[0]!.message;
    if (typeof message === 'string') expect(said).toBe(message);
    else expect(said).toMatch(message);
  });

  test('the log of a failure has what was printed and the places of the calls', async () => {
    const { output } = await run('print("x")\ndef f(): fail("no")\nf()', head('v1', 'X'));
    expect(output.stderr).toBe(
      'x\nTraceback (most recent call last):\n  my-run:3:2: in <toplevel>\n  my-run:2:14: in f\n' +
        'failed to evaluate function: error: function failure',
    );
  });

  test.each([
    [undefined, '`functionConfig` must be a `StarlarkRun` or a `ConfigMap`'],
    [{ other: 'x' }, '`source` must not be empty'],
    [script('').replace(/source:[^]*/, ''), '`source` must not be empty'],
    [
      'apiVersion: x/v1\nkind: Other\nmetadata: {name: a}\n',
      '`functionConfig` must be a `StarlarkRun` of fn.kpt.dev or a `ConfigMap` of v1, not Other of x/v1',
    ],
  ])('%j is no configuration', async (config, message) => {
    expect((await runBuiltin('starlark', config, head('v1', 'X'))).messages).toEqual([message]);
  });
});

interface Script {
  readonly where: string;
  readonly source: string;
  readonly config: KrmObject;
  readonly items: readonly KrmObject[];
}

/** The scripts of whole packages, and of the golden cases that succeed, each with the resources around it. */
function goldenScripts(): Script[] {
  const cases = readCases('functions', functionShape).filter(({ expected }) => expected.exitCode === 0);
  const trees = [
    ...readPackages().map(({ name, package: texts }) => ({ name, texts })),
    ...cases.map((one) => ({ name: one.name, texts: { ...one.files, 'config.yaml': configOf(one) ?? '' } })),
  ];
  return trees.flatMap(({ name, texts }) => {
    const resources = Object.entries(texts).flatMap(([path, text]) =>
      /(?:\.ya?ml|Kptfile)$/.test(path) ? resourcesOf(path, text) : [],
    );
    const items = resources.filter(({ kind }) => kind !== 'StarlarkRun');
    return resources.flatMap(scriptsOf).map((config) => {
      const data = config['data'] as { source: string } | undefined;
      const source = data?.source ?? String(config['source']);
      return { where: `${name}: ${source.slice(0, 60)}`, source, config, items };
    });
  });
}

/** Templates and the like are no resources, and hold no scripts. */
function resourcesOf(path: string, text: string): KrmObject[] {
  try {
    return readResources(path, text).documents.map(({ value }) => value);
  } catch {
    return [];
  }
}

/** Returns the functionConfigs with a script that a resource is, or that a Kptfile holds. */
function scriptsOf(resource: KrmObject): KrmObject[] {
  const { kind, source, data, pipeline } = resource as {
    kind?: string;
    source?: unknown;
    data?: { source?: unknown };
    pipeline?: { mutators?: { image?: string; configMap?: { source?: string } }[] };
  };
  if (kind === 'StarlarkRun') return typeof source === 'string' ? [resource] : [];
  if (kind === 'ConfigMap') return typeof data?.source === 'string' ? [resource] : [];
  return (pipeline?.mutators ?? [])
    .filter(({ image, configMap }) => image?.includes('starlark') && configMap?.source !== undefined)
    .map(({ configMap }) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'function-input' },
      data: configMap,
    }));
}

describe('scripts of golden cases', () => {
  const scripts = goldenScripts();

  test('are read without a fault', () => {
    const faults = scripts.flatMap(({ where, source }) => {
      try {
        parseScript('script', source);
        return [];
      } catch (error) {
        return [`${where}: ${String(error)}`];
      }
    });
    expect(new Set(scripts.map(({ source }) => source)).size).toBeGreaterThan(15);
    expect(faults).toEqual([]);
  });

  test('run over the resources beside them without a fault of the language', async () => {
    const runtime = createRuntime();
    const faults: string[] = [];
    for (const { where, config, items } of scripts) {
      const output = await runtime.run(
        { image: 'starlark:v0.5' },
        { items: items.map((item) => copyValue(item)), functionConfig: config },
      );
      const message = output.results[0]?.message ?? '';
      // What a script needs of its package, such as annotations with paths, may be missing here.
      if (
        output.exitCode !== 0 &&
        !/^fail: |^key ".*" not in dict$|referenced before assignment$/.test(message)
      )
        faults.push(`${where}: ${message}`);
    }
    expect(faults).toEqual([]);
  });
});

test('a script that computes a number beyond 64 bits fails, and one that leaves such a number alone does not', async () => {
  const text = head('v1', 'X', 'a', 'w: 12345678901234567890\nv: 1\n');
  const { output, messages } = await run(`${each}\n  r["v"] = 1 << 70`, text);
  expect([output.exitCode, messages[0]]).toEqual([1, expect.stringContaining('out of range')]);
  const kept = await run(`${each}\n  r["v"] = 1 << 62`, text);
  expect(kept.output.exitCode).toBe(0);
  expect(kept.text).toContain('w: 12345678901234567890\nv: 4611686018427387904\n');
});
