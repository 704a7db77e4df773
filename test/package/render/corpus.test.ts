import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { functionResultList } from '../../../src/function/result-list.ts';
import { createRuntime } from '../../../src/function/runtime.ts';
import type { PackageFiles } from '../../../src/package/package.ts';
import type { RenderResult } from '../../../src/package/render/render-types.ts';
import { renderPackage } from '../../../src/package/render/render.ts';
import { canonicalFile, CORPUS, hasCorpus, readDirectory } from '../../function/corpus-case.ts';

const DOCUMENT = new URL('../../../docs/functions-differences.md', import.meta.url);
const listed = new Set(
  [...readFileSync(DOCUMENT, 'utf8').matchAll(/^- `render\/([^`]+)`/gm)].map((match) => match[1]!),
);

if (!hasCorpus)
  console.warn('SKIPPED: ../shared/corpus is not there, so the cases of kpt fn render did not run');

const work = mkdtempSync(join(tmpdir(), 'portico-render-'));
afterAll(() => rmSync(work, { recursive: true }));

describe.skipIf(!hasCorpus)('what kpt fn render does', () => {
  test('is done, or the difference is listed with its reason', async () => {
    const root = join(CORPUS, 'render');
    const failed: string[] = [];
    const names = hasCorpus ? readdirSync(root).sort() : [];
    const verdicts = new Map<string, string | undefined>();
    // Two at a time: the exec functions are processes.
    const queue = [...names];
    const worker = async (): Promise<void> => {
      for (let name = queue.shift(); name !== undefined; name = queue.shift())
        verdicts.set(name, await judge(join(root, name), name));
    };
    await Promise.all([worker(), worker()]);
    for (const name of names) {
      const why = verdicts.get(name);
      if (why !== undefined && !listed.has(name)) failed.push(`${name}: ${why}`);
    }
    const passed = names.filter((name) => verdicts.get(name) === undefined).length;
    console.log(
      `${names.length} cases of kpt fn render: ${passed} equal in meaning, ${names.length - passed} differ`,
    );
    const stale = names.filter((name) => verdicts.get(name) === undefined && listed.has(name));
    expect(stale.map((name) => `${name} holds: take it off the list`)).toEqual([]);
    expect(failed).toEqual([]);
  });
});

/** Why our outcome is not kpt's, if it is not. */
async function judge(dir: string, name: string): Promise<string | undefined> {
  const input = readDirectory(join(dir, 'input'));
  const runtime = createRuntime({
    allowExec: name !== 'exec-not-allowed',
    workingDirectory: work,
    // The sandbox has tests of its own.
    environment: {
      ...process.env,
      PATH: `${join(CORPUS, 'render-functions')}:${process.env['PATH']}`,
      PORTICO_EXEC_SANDBOX: 'off',
    },
  });
  const result = await renderPackage({ files: input, runtime });
  const { outcome, args } = parse(readFileSync(join(dir, 'case.yaml'), 'utf8')) as Shown;
  if (result.ok !== (outcome === 'ok')) {
    return `${result.ok ? 'succeeds' : 'fails'}: ${JSON.stringify(result.problem ?? result.runs.at(-1))}`;
  }
  // With -o kpt leaves the files alone; that is the command's business.
  const files = args.includes('-o')
    ? undefined
    : compareFiles(result, readDirectory(join(dir, 'expected-kpt')));
  return files ?? compareResults(dir, result, outcome);
}

function compareFiles(result: RenderResult, expected: PackageFiles): string | undefined {
  for (const path of new Set([...expected.keys(), ...result.files.keys()])) {
    const wanted = canonicalFile(expected, path);
    const got = canonicalFile(result.files, path);
    if (wanted === got) continue;
    return `${path}: ${got ?? 'missing'}\nwanted: ${wanted ?? 'nothing'}`;
  }
  return undefined;
}

interface Shown {
  readonly outcome: 'ok' | 'error';
  readonly args: readonly string[];
}

interface ResultList {
  readonly exitCode: number;
  readonly items?: readonly Record<string, unknown>[];
}

function compareResults(dir: string, result: RenderResult, outcome: Shown['outcome']): string | undefined {
  const file = join(dir, 'expected-results.yaml');
  if (!existsSync(file)) return undefined;
  const wanted = plain(parse(readFileSync(file, 'utf8')) as ResultList);
  let got = plain(parse(functionResultList(result)) as ResultList);
  if (outcome === 'error') {
    // kpt names no function that failed a check of kpt's own, and says nothing where the function said nothing.
    got = got
      .slice(0, wanted.length)
      .map((item, at) => (wanted[at]?.['results'] === undefined ? { ...item, results: undefined } : item));
  }
  return JSON.stringify(got) === JSON.stringify(wanted)
    ? undefined
    : `results ${JSON.stringify(got)}\nwanted  ${JSON.stringify(wanted)}`;
}

/** Without bookkeeping annotations, which a function may list and which are each renderer's own. */
function plain(list: ResultList): Record<string, unknown>[] {
  const text = JSON.stringify(list.items ?? []).replaceAll(/ keys=[^"]*/g, '');
  return (JSON.parse(text) as Record<string, unknown>[]).map((item) => ({ ...item, stderr: undefined }));
}
