/** `portico policy test [DIR]` */
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { parseAllDocuments } from 'yaml';

import { PorticoError } from '../../error.ts';
import { counted } from '../../text/counted.ts';
import { EXIT } from '../exit-code.ts';
import { runtimeOf } from '../functions.ts';
import { fromHere } from '../system-error.ts';
import type { Call } from '../verb.ts';
import { runGatorSuite } from './gator-suite.ts';
import { runKyvernoTest } from './kyverno-test.ts';
import type { CaseResult, Suite, SuiteTools } from './policy-case.ts';
import { runPolicyTest } from './policy-test.ts';

/** Files with tests that one run reads. */
const MAX_FILES = 10_000;

const RUNNERS: Readonly<Record<string, (suite: Suite, tools: SuiteTools) => Promise<readonly CaseResult[]>>> =
  {
    'config.portico.dev PolicyTest': runPolicyTest,
    'cli.kyverno.io Test': runKyvernoTest,
    'test.gatekeeper.sh Suite': runGatorSuite,
  };

/** Runs all cases below a directory; fails where one does, or cannot be run. */
export async function testPolicies(call: Call): Promise<number> {
  const { terminal } = call;
  const directory = call.path(call.positionals[0] ?? '.');
  const runtime = await runtimeOf(call, { allowExec: false, foreign: { allowed: [] } });
  const results: (CaseResult & { readonly file: string })[] = [];
  for (const file of await yamlFiles(directory)) {
    for (const suite of await suitesIn(file)) {
      call.signal.throwIfAborted();
      const shown = fromHere(file, call.path('.'));
      const tools: SuiteTools = { call, runtime, signal: call.signal };
      for (const result of await suite.run(tools)) results.push({ file: shown, ...result });
    }
  }
  if (results.length === 0) {
    throw new PorticoError('CONFIG_INVALID', `there are no tests of policies below ${directory}`, {
      blame: 'user',
      hint: 'Write a document of kind PolicyTest (docs/policies.md), or name another directory.',
    });
  }
  const count = (state: CaseResult['state']): number => results.filter((one) => one.state === state).length;
  const summary = {
    passed: count('passed'),
    failed: count('failed'),
    notRun: count('not-run'),
    skipped: count('skipped'),
  };
  const ok = summary.failed + summary.notRun === 0;
  if (terminal.json) terminal.document({ ok, ...summary, cases: results });
  else {
    for (const { file, name, state, why } of results) {
      terminal.print(`${terminal.style(COLOURS[state], MARKS[state])} ${file}: ${name}`);
      for (const line of why ?? []) terminal.print(`       ${line}`);
    }
    const rest = [
      `${summary.passed} passed`,
      `${summary.failed} failed`,
      ...(summary.notRun > 0 ? [`${summary.notRun} not run`] : []),
      ...(summary.skipped > 0 ? [`${summary.skipped} skipped`] : []),
    ];
    terminal.print(`${counted(results.length, 'case')}: ${rest.join(', ')}.`);
  }
  return ok ? EXIT.ok : EXIT.failed;
}

const MARKS = { passed: '[PASS]', failed: '[FAIL]', 'not-run': '[FAIL]', skipped: '[SKIP]' } as const;
const COLOURS = { passed: 'green', failed: 'red', 'not-run': 'red', skipped: 'yellow' } as const;

async function yamlFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    (cause: unknown) => {
      throw new PorticoError('CONFIG_INVALID', `${directory} cannot be read`, {
        blame: 'user',
        cause,
        hint: 'Name a directory.',
      });
    },
  );
  return entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (path) => !/(?:^|\/)(?:node_modules|\.git)\//.test(relative(directory, path).replaceAll('\\', '/')),
    )
    .sort()
    .slice(0, MAX_FILES);
}

async function suitesIn(
  file: string,
): Promise<readonly { readonly run: (tools: SuiteTools) => Promise<readonly CaseResult[]> }[]> {
  const bytes = await readFile(file);
  const text = bytes.toString('utf8');
  if (!/^kind: *["']?(?:PolicyTest|Test|Suite)\b/m.test(text)) return [];
  return parseAllDocuments(text).flatMap((document) => {
    const data: unknown = document.toJS();
    const { apiVersion, kind } = (data ?? {}) as { apiVersion?: unknown; kind?: unknown };
    const group = typeof apiVersion === 'string' ? apiVersion.split('/')[0] : '';
    const run = RUNNERS[`${group} ${typeof kind === 'string' ? kind : ''}`];
    if (run === undefined) return [];
    return [{ run: (tools: SuiteTools) => run({ file, folder: dirname(file), data }, tools) }];
  });
}
