import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { functionResultList } from '../function/result-list.ts';
import type { Finding, FunctionRun, RenderResult } from '../package/render/render-types.ts';
import { EXIT } from './exit-code.ts';
import type { Terminal } from './terminal.ts';
import { visible } from './terminal.ts';
import type { Call } from './verb.ts';

/** Of what one function only tells, so many lines are shown; warnings and errors all are. */
const MAX_TOLD = 20;

/** Says on stderr what ran and what was found; `place` names a file of the package from where the person stands. */
export function reportRender(
  result: RenderResult,
  terminal: Terminal,
  place: (file: string) => string,
): void {
  terminal.progress('');
  const lines = result.runs.map((run) => runLine(run, terminal));
  const counts = new Map<string, number>();
  // Why a function was refused stands below its line, with what can be done here.
  const told = new Set(result.runs.map(({ refused }) => refused && `${refused.message} ${refused.hint}`));
  for (const finding of foundOnce(result.findings)) {
    if (told.has(finding.message)) continue;
    const by = finding.guardrail ?? finding.function;
    const count = counts.get(by) ?? 0;
    if (finding.severity === 'info') counts.set(by, count + 1);
    if (finding.severity !== 'info' || count < MAX_TOLD) lines.push(findingLine(finding, terminal, place));
  }
  for (const [by, count] of counts) {
    if (count > MAX_TOLD)
      lines.push(`… and ${count - MAX_TOLD} more from ${by}; --results FILE and --json show all.`);
  }
  if (lines.length > 0) terminal.say(lines.join('\n'));
  if (result.problem !== undefined) {
    const { file, line, message, hint } = result.problem;
    const where = file === undefined ? '' : `${place(file)}${line === undefined ? '' : `:${line}`}: `;
    terminal.say(`${terminal.style('red', 'error:', 'stderr')} ${where}${withoutPlace(message, file, line)}`);
    terminal.say(hint);
  }
}

/** What the pipelines of a package and of its subpackage both find in one place is told once. */
function foundOnce(findings: readonly Finding[]): Iterable<Finding> {
  const byText = new Map<string, Finding>();
  for (const finding of findings) {
    const { severity, message, file, line, guardrail, resource } = finding;
    byText.set(
      JSON.stringify([severity, message, file, line, guardrail ?? finding.function, resource]),
      finding,
    );
  }
  return byText.values();
}

/** A message that begins with its place, as seen from the package, without it: the place is told as seen from here. */
function withoutPlace(message: string, file: string | undefined, line: number | undefined): string {
  const starts = file === undefined ? [] : [`${file}:${line ?? ''}: `, `${file}: `];
  const start = starts.find((one) => message.startsWith(one)) ?? '';
  return message.slice(start.length);
}

/** Writes kpt's result list where `--results` and `--results-dir` say so, whether the functions succeeded or not. */
export async function writeResults(call: Call, result: RenderResult): Promise<void> {
  const file = call.text('results');
  const directory = call.text('results-dir');
  if (directory !== undefined) await mkdir(call.path(directory), { recursive: true });
  const places = [file, directory === undefined ? undefined : join(directory, 'results.yaml')];
  for (const place of places)
    if (place !== undefined) await writeFile(call.path(place), functionResultList(result));
}

/** 0 fine, 1 a function failed or a validator found errors, 65 the package cannot be rendered at all. */
export function renderExit(result: RenderResult): number {
  if (result.problem !== undefined) return EXIT.input;
  return result.ok ? EXIT.ok : EXIT.failed;
}

/** The part of a render result that `--json` prints; content stays out. */
export function renderDocument({
  ok,
  changed,
  runs,
  findings,
  problem,
}: RenderResult): Record<string, unknown> {
  return { ok, changed, runs, findings, ...(problem === undefined ? {} : { problem }) };
}

function runLine(run: FunctionRun, terminal: Terminal): string {
  const failed = run.exitCode !== 0 || run.refused !== undefined;
  // What a guardrail only warns of holds nothing up.
  const mark = !failed
    ? terminal.style('green', '[PASS]', 'stderr')
    : run.mode === undefined
      ? terminal.style('red', '[FAIL]', 'stderr')
      : terminal.style('yellow', '[WARN]', 'stderr');
  const where = run.package === '.' ? '' : ` in ${run.package}`;
  const by = run.guardrail === undefined ? '' : ` (guardrail ${run.guardrail})`;
  const lines = [`${mark} ${run.function}${where}${by}`];
  if (run.refused !== undefined) lines.push(run.refused.message, waysHere(run.refused));
  else if (failed && run.stderr !== undefined) lines.push(...run.stderr.trim().split('\n').slice(0, 20));
  return lines.map((line, at) => (at === 0 ? line : `       ${visible(line)}`)).join('\n');
}

/** What a refused function can be allowed by on the command line, before the ways that there are anywhere. */
function waysHere({ code, hint }: NonNullable<FunctionRun['refused']>): string {
  const here = HERE[code];
  return here === undefined ? hint : `${here} ${hint}`;
}

const CONFIG =
  'On the command line, pass the configuration whose spec.functions allows it, with --config .github/portico.yaml; or try a module of your own with portico eval DIR --image FILE.wasm.';

const HERE: Readonly<Record<string, string>> = {
  EXEC_NOT_ALLOWED:
    'On the command line, add --allow-exec to run it with your rights, in bubblewrap if that is installed.',
  FUNCTION_UNKNOWN: CONFIG,
  FUNCTION_VERSION_UNKNOWN: CONFIG,
  CONTAINERS_OFF:
    'On the command line, set PORTICO_CONTAINERS=auto to run it with podman, docker or nerdctl on this machine.',
};

function findingLine(
  { severity, message, file, line, guardrail, ...finding }: Finding,
  terminal: Terminal,
  place: (file: string) => string,
): string {
  const where = file === undefined ? '' : `${place(file)}${line === undefined ? '' : `:${line}`}: `;
  const colour = severity === 'error' ? 'red' : severity === 'warning' ? 'yellow' : 'cyan';
  return `${where}${terminal.style(colour, `${severity}:`, 'stderr')} ${message} [${guardrail ?? finding.function}]`;
}
