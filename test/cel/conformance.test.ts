/** CEL's own conformance data, run whole; what does not pass is counted, never left out. */
import {
  celList,
  celMap,
  celType,
  celUint,
  isCelError,
  isCelList,
  isCelType,
  objectType,
  plan,
} from '@bufbuild/cel';
import type { CelInput, CelValue } from '@bufbuild/cel';
import type { Value } from '@bufbuild/cel-spec/cel/expr/value_pb.js';
import { getTestRegistry } from '@bufbuild/cel-spec/testdata/registry.js';
import { getConformanceSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import type { IncrementalTest, IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import { anyUnpack } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';

import { environment } from '../../src/cel/environment.ts';
import { expandMacros } from '../../src/cel/macros.ts';
import { readSyntax } from '../../src/cel/syntax.ts';

const registry = getTestRegistry();
const equals = environment(registry);

function toInput(value: Value | undefined): CelInput {
  const kind = value?.kind;
  switch (kind?.case) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'int64Value':
    case 'doubleValue':
    case 'stringValue':
    case 'bytesValue':
      return kind.value;
    case 'uint64Value':
      return celUint(kind.value);
    case 'enumValue':
      return BigInt(kind.value.value);
    case 'listValue':
      return celList(kind.value.values.map(toInput));
    case 'mapValue':
      return celMap(
        new Map(kind.value.entries.map(({ key, value }) => [toInput(key) as string, toInput(value)])),
      );
    case 'objectValue': {
      const message = anyUnpack(kind.value, registry);
      if (message === undefined) throw new Error(`unknown message ${kind.value.typeUrl}`);
      return message;
    }
    case 'typeValue':
      return typeNamed(kind.value);
    default:
      throw new Error('no value');
  }
}

function typeNamed(name: string): CelInput {
  const run = plan(equals, readSyntax(name).root);
  const found = run();
  return isCelType(found) ? found : objectType(name);
}

function passes({ original }: IncrementalTest): boolean {
  const { expr, container, bindings, resultMatcher: matcher, checkOnly } = original;
  if (checkOnly) return false; // There is no type checker here.
  const failing = matcher.case === 'evalError' || matcher.case === 'anyEvalErrors';
  try {
    const env = environment(registry, container);
    const run = plan(
      env,
      original.disableMacros ? readSyntax(expr).root : expandMacros(readSyntax(expr).root),
    );
    const variables: Record<string, CelInput> = {};
    for (const [name, bound] of Object.entries(bindings)) {
      if (bound.kind.case !== 'value') return false;
      variables[name] = toInput(bound.kind.value);
    }
    const result = run(variables);
    if (isCelError(result)) return failing;
    if (failing) return false;
    if (matcher.case === undefined) return result === true;
    const wanted = matcher.case === 'typedResult' ? matcher.value.result : matcher.value;
    if (matcher.case !== 'value' && matcher.case !== 'typedResult') return false;
    return same(result, toInput(wanted as Value));
  } catch {
    return failing;
  }
}

function same(result: CelValue, wanted: CelInput): boolean {
  const run = plan(equals, readSyntax('[wanted, wanted == result]').root);
  const answer = run({ wanted, result });
  if (!isCelList(answer)) return false;
  const cel = answer.get(0)!;
  // Not a number equals nothing, and 1 equals 1.0, which are different answers.
  if (typeof cel === 'number' && Number.isNaN(cel)) return typeof result === 'number' && Number.isNaN(result);
  return answer.get(1) === true && celType(cel).name === celType(result).name;
}

function* testsIn(suite: IncrementalTestSuite): Generator<IncrementalTest> {
  yield* suite.tests;
  for (const inner of suite.suites) yield* testsIn(inner);
}

const percent = (good: number, all: number): string => `${((100 * good) / Math.max(1, all)).toFixed(1)} %`;

/** Passed of all, as measured: nothing may fall below. */
const FLOOR: Readonly<Record<string, readonly [number, number]>> = {
  basic: [43, 43],
  bindings_ext: [5, 5],
  block_ext: [0, 37],
  comparisons: [406, 406],
  conversions: [109, 109],
  dynamic: [226, 226],
  encoders_ext: [4, 4],
  enums: [67, 85],
  fields: [59, 60],
  fp_math: [30, 30],
  integer_math: [64, 64],
  lists: [39, 39],
  logic: [30, 30],
  macros: [44, 44],
  macros2: [46, 46],
  math_ext: [199, 199],
  namespace: [3, 3],
  optionals: [63, 70],
  parse: [218, 219],
  plumbing: [5, 5],
  proto2: [88, 108],
  proto2_ext: [0, 18],
  proto3: [73, 75],
  string: [51, 51],
  string_ext: [209, 209],
  timestamps: [76, 76],
  type_deductions: [22, 47],
  unknowns: [0, 0],
  wrappers: [36, 36],
};

/**
 * What is lacking: a type checker (type_deductions), strong enums (enums), blocks that an optimizer makes (block_ext),
 * extensions of messages (proto2_ext and parts of proto2), optional fields of messages (parts of optionals).
 */
describe('conformance with CEL', () => {
  const rows = getConformanceSuite().suites.map((section) => {
    const tests = [...testsIn(section)];
    return [section.name, tests.filter(passes).length, tests.length] as const;
  });
  const sum = (column: 1 | 2): number => rows.reduce((total, row) => total + row[column], 0);

  test('every section is at its floor', () => {
    console.log(
      [
        ...rows.map(([name, good, all]) => `${name}: ${good} of ${all}, ${percent(good, all)}`),
        `all of CEL: ${sum(1)} of ${sum(2)}, ${percent(sum(1), sum(2))}`,
      ].join('\n'),
    );
    expect(rows.map(([name]) => name)).toEqual(Object.keys(FLOOR));
    for (const [name, good, all] of rows) {
      const [floor = 0, whole = 0] = FLOOR[name] ?? [];
      expect(all, name).toBe(whole);
      expect(good, name).toBeGreaterThanOrEqual(floor);
    }
  });
});
