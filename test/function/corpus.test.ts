import { readFileSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import type { ResultItem } from '../../src/package/render/function-runtime.ts';
import { canonical, linesChanged } from '../corpus/canonical.ts';
import {
  type FunctionCase,
  messagesOf,
  type Outcome,
  plainResult,
  type Result,
  runCase,
  shape,
  textsOf,
} from '../corpus/functions/function-case.ts';
import { readCases, readRules } from '../corpus/read-cases.ts';

const cases: FunctionCase[] = readCases('functions', shape);
const rules = readRules('functions');
const titled = (some: readonly FunctionCase[]): [string, FunctionCase][] =>
  some.map((one) => [`${one.name}: ${one.rules.map((id) => rules[id]).join(' ')}`, one]);

describe('catalog functions and pipelines of packages', () => {
  test.each(titled(cases))('%s', async (_title, one) => {
    const wanted = one.differs?.expected ?? one.expected;
    const error = one.differs === undefined ? one.error : one.differs.error;
    const done = await runCase(one);
    const said = messagesOf(done);
    expect({ exitCode: done.ok ? 0 : 1, said }).toEqual({ exitCode: wanted.exitCode, said });
    if (error !== undefined) expect(said.join('\n')).toContain(error);
    if (wanted.results !== undefined) {
      const listed = (items: readonly (ResultItem | Result)[]): Result[] =>
        one.unordered === undefined ? items.map(plainResult) : items.map(plainResult).sort(byText);
      expect(listed(done.runs.flatMap((run) => run.results))).toEqual(listed(wanted.results));
    }
    compareFiles(one, wanted, textsOf(done.files));
  });

  const settled = cases.filter(
    ({ expected, differs, unstable }) =>
      (differs?.expected ?? expected).exitCode === 0 && unstable === undefined,
  );
  test.each(titled(settled))('a second run changes nothing: %s', async (_title, one) => {
    const first = await runCase(one);
    const second = await runCase(one, first.files);
    expect({ ok: second.ok, files: textsOf(second.files) }).toEqual({
      ok: true,
      files: textsOf(first.files),
    });
  });

  const differing = cases.filter(({ differs }) => differs !== undefined);
  test.each(titled(differing))('the difference from the tool is real: %s', (_title, one) => {
    const { expected, error } = one.differs!;
    expect({ expected, error }).not.toEqual({ expected: one.expected, error: one.error });
  });
});

test('every difference of a function from its tool is listed in docs/functions-differences.md', () => {
  const text = readFileSync(new URL('../../docs/functions-differences.md', import.meta.url), 'utf8');
  const listed = [...text.matchAll(/^- `functions\/([^`]+)`/gm)].map((match) => match[1]!);
  const names = cases.filter(({ differs }) => differs !== undefined).map(({ name }) => name);
  expect(listed.toSorted()).toEqual(names.toSorted());
});

/** Compares as bytes, or as data where the case says that the tool prints the file again; then no line more than the tool changes. */
function compareFiles(one: FunctionCase, wanted: Outcome, got: Readonly<Record<string, string>>): void {
  const all = { ...one.files, ...wanted.files };
  const paths = Object.keys(all).filter((path) => all[path] !== null);
  expect(Object.keys(got).sort()).toEqual(paths.sort());
  for (const path of paths) {
    const [text, target] = [got[path]!, all[path]!];
    if (one.compare === 'bytes' || wanted.files[path] === undefined) {
      expect(text, path).toBe(target);
      continue;
    }
    const comments = one.compare === 'comments';
    expect(canonical(path, text, comments), path).toBe(canonical(path, target, comments));
    const before = one.files[path] ?? '';
    expect(linesChanged(before, text), path).toBeLessThanOrEqual(linesChanged(before, target));
  }
}

function byText(a: Result, b: Result): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
