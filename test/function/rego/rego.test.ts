import { describe, expect, test } from 'vitest';

import { regoBuiltins } from '../../../src/function/rego/rego-builtins.ts';
import { remarksOf } from '../../../src/function/rego/rego-remarks.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { Judgement, RegoModule } from '../../../src/package/render/function-runtime.ts';
import { SHORT_LIMITS } from '../sandbox/hostile.ts';
import { moduleOf, policy, type Parts } from './policy.ts';

const REVIEW = {
  changes: [
    { object: { kind: 'Pod', metadata: { name: 'a' }, spec: { privileged: true } }, oldObject: null },
    {
      object: { kind: 'Pod', metadata: { name: 'b' }, spec: { big: 12345678901234567890n } },
      oldObject: null,
    },
  ],
  package: { name: 'web', path: 'web', repository: 'acme/x', labels: {}, annotations: {} },
  params: { team: 'blue' },
  namespaces: {},
};

async function judge(module: RegoModule, limits = {}): Promise<Judgement> {
  const runtime = createRuntime({ foreignLimits: { ...SHORT_LIMITS, ...limits } });
  return runtime.judgeRego!(module, REVIEW);
}

async function refusal(parts: Parts, limits = {}): Promise<string> {
  const judgement = await judge(moduleOf(policy(parts)), limits);
  return 'refused' in judgement ? `${judgement.refused.code}: ${judgement.refused.message}` : 'judged';
}

const SPRINTF = [
  '"privileged":true',
  '"%s has %d of %v"',
  '["a", 1, ["b", null]]',
  '[{"result":[',
  ']}]',
  '[]',
  '"big":12345678901234567890',
  '"parameters":{"team":"blue"}',
];
/** Where the first text is in the input: one finding, whose message is made by a function of the host. */
const TOLD = `(if (result i32) (call $holds $0)
  (then (call $joined $3 (call $builtin2 (i32.const 7) (i32.const 0) $1 $2) $4))
  (else (if (result i32) (i32.and (call $holds $6) (call $holds $7)) (then $5) (else (call $abort $1) (unreachable)))))`;

test.each([
  ['with opa_eval', 3],
  ['with a context', 0],
])(
  'a module by the ABI of OPA, %s, judges each resource and may call functions of its host',
  async (_what, minor) => {
    const bytes = policy({ minor, builtins: { sprintf: 7 }, rules: [TOLD] }, SPRINTF);
    expect(await judge(moduleOf(bytes))).toEqual({
      remarks: [{ at: 0, kind: 'violation', message: 'a has 1 of ["b", null]' }],
    });
  },
);

test('which rules are asked', async () => {
  const rules = ['[{"result":["no"]}]', '[{"result":false}]', '[]', '[{"result":"odd"}]'];
  const bytes = policy({ rules, entrypoints: { 'k/deny': 0, 'k/allow': 1, 'k/warn': 2, 'k/other': 3 } });
  expect(await judge(moduleOf(bytes))).toEqual({
    remarks: [0, 1].flatMap((at) => [
      { at, kind: 'violation', message: 'no' },
      { at, kind: 'violation', message: 'the policy does not allow it' },
    ]),
  });
  expect(await judge(moduleOf(bytes, 'k/none'))).toMatchObject({
    refused: { code: 'REGO_INVALID', hint: 'Its entrypoints are: k/allow, k/deny, k/other, k/warn.' },
  });
});

const NEVER = '(loop $l (result i32) (br $l))';
const EATS = `(loop $l (result i32) (br_if $l (i32.ne (memory.grow (i32.const 16)) (i32.const -1))) (unreachable))`;

test.each<[string, Parts, string, object?]>([
  [
    'asks for a function that is not there',
    { builtins: { 'http.send': 1, sprintf: 2, 'time.now_ns': 3 } },
    'REGO_INVALID: policy.wasm cannot run: It uses http.send, time.now_ns, which cannot run here.',
  ],
  [
    'is made for another ABI',
    { version: 2 },
    'REGO_INVALID: policy.wasm cannot run: It is made for version 2',
  ],
  [
    'imports what no policy does',
    { more: '', memory: '2', rules: [], builtins: {}, entrypoints: { a: 0, b: 1 } },
    'REGO_INVALID: policy.wasm cannot run: It has several entrypoints',
  ],
  [
    'begins with too much memory',
    { memory: '2000' },
    'WASM_MEMORY: policy.wasm cannot run: It begins with 125 MiB',
  ],
  [
    'never ends',
    { rules: [NEVER] },
    'FUNCTION_TIMEOUT: policy.wasm took longer than 0.4 s',
    { timeoutMs: 400 },
  ],
  ['eats memory', { rules: [EATS] }, 'REGO_TRAP: policy.wasm broke off: unreachable (it held 6'],
])('a module that %s is refused with the reason', async (_what, parts, message, limits = {}) => {
  expect(await refusal(parts, limits)).toContain(message);
});

test('what is no policy, is another file or comes from a fork does not run', async () => {
  const bytes = policy({ rules: ['[]'] });
  const other = Uint8Array.of(...bytes.subarray(0, 8));
  expect(await judge(moduleOf(other))).toMatchObject({ refused: { code: 'REGO_INVALID' } });
  expect(await judge(moduleOf(Uint8Array.of(1, 2)))).toMatchObject({ refused: { code: 'WASM_INVALID' } });
  expect(await judge({ ...moduleOf(bytes), sha256: 'ab' })).toMatchObject({
    refused: { code: 'WASM_DIGEST' },
  });
  expect(await judge({ ...moduleOf(bytes), bytes: null })).toMatchObject({
    refused: { code: 'WASM_MISSING' },
  });
  const fork = createRuntime().withForeign!({ allowed: [], policies: true, denied: 'it is a fork.' });
  expect(await fork.judgeRego!(moduleOf(bytes), REVIEW)).toMatchObject({
    refused: { code: 'FUNCTION_NOT_HERE' },
  });
});

describe('what rules give', () => {
  test.each<[string, unknown, object[]]>([
    ['k/deny', ['a', 'b'], [{ message: 'a' }, { message: 'b' }]],
    ['k/deny', [{ msg: 'm', field: 'spec.a' }], [{ message: 'm', field: 'spec.a' }]],
    [
      'k/violation',
      [{ msg: 'm', details: { field: ['spec', 'a', 0, 'b'] } }],
      [{ message: 'm', field: 'spec.a[0].b' }],
    ],
    ['k/warn', [{ message: 'm' }], [{ kind: 'warning', message: 'm' }]],
    ['k/allow', true, []],
    ['k/allow', null, [{ message: 'the policy does not allow it' }]],
    ['k/deny', null, []],
    ['k/deny', false, []],
    ['k/deny', true, [{ message: 'the rule deny is true' }]],
    ['k', { deny: ['a'], warn: ['b'], helper: 1 }, [{ message: 'a' }, { kind: 'warning', message: 'b' }]],
    [
      'k',
      { helper: 1 },
      [{ kind: 'error', message: expect.stringContaining('gives {"helper":1}') as string }],
    ],
    ['k/deny', [1], [{ kind: 'error', message: expect.stringContaining('gives 1') as string }]],
    ['k/x', true, [{ kind: 'error', message: expect.stringContaining('gives true') as string }]],
  ])('%s: %j', (entrypoint, value, wanted) => {
    expect(remarksOf([{ [entrypoint]: value }])).toEqual(
      wanted.map((one) => ({ at: 0, kind: 'violation', ...one })),
    );
  });
});

test.each<[string, readonly never[] | readonly unknown[], unknown]>([
  ['sprintf', ['%s|%v|%d|%q', ['a', { b: [true] }, 3, 'c']], 'a|{"b": [true]}|3|"c"'],
  [
    'sprintf',
    ['%5d|%-5s|%05.1f|%+d|%x|%X|%t', [42, 'ab', 3.14159, 7, 255, 'hi', 'no']],
    '   42|ab   |003.1|+7|ff|6869|%!t(string=no)',
  ],
  ['sprintf', ['%d%% %d', [1]], '1% %!d(MISSING)'],
  ['sprintf', ['%s', ['a', 2]], 'a%!(EXTRA int=2)'],
  ['sprintf', ['%d %v %g', ['a', 1.5, 1e21]], '%!d(string=a) 1.5 %!g(int=1000000000000000000000)'],
  ['sprintf', ['%v %e', [2.5e-7, 1234.5]], '2.5e-07 1.234500e+03'],
  ['sprintf', ['%*d|%.2s', [4, 7, 'abc']], '   7|ab'],
  ['sprintf', [1, []], undefined],
  ['strings.any_prefix_match', [['x', 'docker.io/a'], ['docker.io/']], true],
  ['strings.any_suffix_match', ['a:latest', ':v1'], false],
  ['semver.compare', ['1.2.3-rc.10', '1.2.3-rc.9'], 1],
  ['semver.compare', ['1.2.3-rc', '1.2.3'], -1],
  ['semver.compare', ['1.2', '1.2.3'], undefined],
  ['semver.is_valid', ['1.0.0+b'], true],
  ['units.parse', ['100m'], 0.1],
  ['units.parse', ['1.5Gi'], 1_610_612_736],
  ['units.parse', ['x'], undefined],
  ['units.parse_bytes', ['2KiB'], 2048],
  ['units.parse_bytes', ['1kb'], 1000],
  ['json.is_valid', ['{'], false],
  ['hex.decode', ['6869'], 'hi'],
  ['strings.count', ['aXbX', 'X'], 2],
  ['crypto.md5', ['a'], '0cc175b9c0f1b6a831c399e269772661'],
])('%s(%j)', (name, args, wanted) => {
  expect(regoBuiltins()[name]!(...(args as never[]))).toEqual(wanted);
});
