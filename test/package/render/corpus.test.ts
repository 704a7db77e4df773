/** The golden cases of rendering: what `kpt fn render` makes of a package, Portico makes too, or the case says why not. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { documentsText } from '../../../src/cli/package-stream.ts';
import { functionResultList } from '../../../src/function/result-list.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { canonical, linesChanged } from '../../corpus/canonical.ts';
import { readCases } from '../../corpus/read-cases.ts';
import {
  type Outcome,
  type RenderCase,
  type Run,
  SEARCH_PATH,
  shape,
} from '../../corpus/render/render-case.ts';
import { changesBetween, withChanges } from '../../corpus/tree-changes.ts';
import { packageOf, textsOf } from './support.ts';

const cases: RenderCase[] = readCases('render', shape);
const work = mkdtempSync(join(tmpdir(), 'portico-render-'));
afterAll(() => rmSync(work, { recursive: true }));

describe('a package is rendered as kpt renders it', () => {
  // A case waits for a process for each function.
  test.concurrent.each(cases)('$name', { timeout: 60_000 }, async (one) => {
    const result = await renderCase(one);
    expect(refusalOf(result)).toBe(one.refusal);
    const { differs } = one;
    if (differs === undefined) {
      expect(mismatch(one, one.expected, result)).toBeUndefined();
      return;
    }
    expect(outcomeOf(one, result)).toEqual(differs.expected);
    expect(mismatch(one, one.expected, result), 'there is no difference: take it out').toBeDefined();
  });
});

test('every difference from kpt is listed in docs/functions-differences.md', () => {
  const text = readFileSync(new URL('../../../docs/functions-differences.md', import.meta.url), 'utf8');
  const listed = [...text.matchAll(/^- `render\/([^`]+)`/gm)].map((match) => match[1]!);
  const names = cases.filter(({ differs }) => differs !== undefined).map(({ name }) => name);
  expect(listed.toSorted()).toEqual(names.toSorted());
});

function renderCase(one: RenderCase): Promise<RenderResult> {
  const runtime = createRuntime({
    allowExec: one.args.includes('--allow-exec'),
    workingDirectory: work,
    // The sandbox has tests of its own.
    environment: { ...process.env, PATH: SEARCH_PATH, PORTICO_EXEC_SANDBOX: 'off' },
  });
  return renderPackage({ files: packageOf(one.package), runtime });
}

/** Returns the code with which Portico refuses the package, a function, or a function's answer. */
function refusalOf({ problem, runs }: RenderResult): string | undefined {
  const codes = runs.flatMap(({ refused, results }) => [
    refused?.code,
    ...results.map(({ tags }) => tags?.['code']),
  ]);
  return problem?.code ?? codes.find((code) => code !== undefined);
}

/** Returns what Portico gave, in the form of the cases. */
function outcomeOf(one: RenderCase, result: RenderResult): Outcome {
  const runs = runsOf(result);
  return {
    exitCode: result.ok ? 0 : 1,
    files: changesBetween(one.package, textsOf(result.files)),
    ...(runs.length === 0 ? {} : { runs }),
  };
}

function runsOf(result: RenderResult): Run[] {
  return (parse(functionResultList(result)) as { items?: Run[] }).items ?? [];
}

/** Returns where Portico's result is not the tool's, undefined where it is. */
function mismatch(one: RenderCase, expected: Outcome, result: RenderResult): string | undefined {
  if (result.ok !== (expected.exitCode === 0)) return result.ok ? 'succeeds' : 'fails';
  const runs = compareRuns(expected, result);
  if (runs !== undefined) return runs;
  if (expected.stdout !== undefined) {
    const printed = documentsText(result.files);
    return dataOf('a.yaml', printed) === dataOf('a.yaml', expected.stdout) ? undefined : printed;
  }
  const wanted = withChanges(one.package, expected.files);
  const got = textsOf(result.files);
  for (const path of new Set([...Object.keys(wanted), ...Object.keys(got)])) {
    const texts = { before: one.package[path], wanted: wanted[path], got: got[path] };
    const why = compareFile(path, texts, one.compare === 'comments');
    if (why !== undefined) return why;
  }
  return undefined;
}

interface Texts {
  readonly before: string | undefined;
  readonly wanted: string | undefined;
  readonly got: string | undefined;
}

/** Data and line comments are the tool's; lines that no function touched stay, which the tool prints again. */
function compareFile(path: string, { before, wanted, got }: Texts, comments: boolean): string | undefined {
  if (wanted === got) return undefined;
  if (wanted === undefined || got === undefined)
    return `${path} is ${got === undefined ? 'missing' : 'too much'}`;
  const said = `${path} is\n${got}\nwanted\n${wanted}`;
  if (dataOf(path, wanted, comments) !== dataOf(path, got, comments)) return said;
  if (before === undefined || before === got) return undefined;
  if (dataOf(path, before) === dataOf(path, got)) return `nothing changes, but ${said}`;
  return linesChanged(before, got) > linesChanged(before, wanted) ? `more lines change: ${said}` : undefined;
}

/** What a file says; its text where it cannot be read, for the tool writes such files too. */
function dataOf(path: string, text: string, comments = true): string {
  try {
    return canonical(path, text, comments);
  } catch {
    return text;
  }
}

function compareRuns(expected: Outcome, result: RenderResult): string | undefined {
  let wanted = (expected.runs ?? []).map(plain);
  let got = runsOf(result).map(plain);
  if (!result.ok) {
    // kpt lists no function whose answer it refuses itself, and gives no reason where the function gave none.
    got = got.slice(0, wanted.length);
    got = got.map((run, at) => (wanted[at]?.results === undefined ? { ...run, results: undefined } : run));
    wanted = wanted.map((run) => ({ ...run, results: run.results }));
  }
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  return a === b ? undefined : `runs ${a}\nwanted ${b}`;
}

/** A run with its fields in one order; kpt keeps the line break at the end of stderr. */
function plain({ exec, image, exitCode, stderr, results }: Run): Run {
  return { exec, image, exitCode, stderr: stderr?.trimEnd(), results };
}
