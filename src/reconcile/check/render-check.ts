/** Pure: the check of the packages' own pipelines. */

import type { Finding, FunctionRun } from '../../package/render/render-types.ts';
import type { OutsideFinding } from '../../package/tool-files/tool-files.ts';
import { fileIn } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import { cutLines } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { RENDER_CHECK } from '../check-names.ts';
import type { CheckAnnotation } from '../forge/checks.ts';
import type { RenderedPackage } from '../render/proposal-render.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { code, fenced, sentence, foreignSentence } from '../text/markdown-blocks.ts';
import { annotationOf, findingTitle, placed, titlePart, type CheckContent } from './check-content.ts';

/** Bytes, as the forge counts the text of a check. A cut patch would not apply. */
const MAX_PATCH = 60_000;

export function renderCheck(
  rendered: readonly RenderedPackage[],
  commit: RenderCommit,
  /** Lines outside of packages by which tools read other content in them. */
  outside: readonly OutsideFinding[] = [],
): CheckContent {
  const own = rendered.flatMap((one) =>
    one.findings.filter(({ guardrail }) => guardrail === undefined).map((finding) => ({ one, finding })),
  );
  // What a function only tells is no finding on a line: it would bury those that are.
  const findings = own.filter(({ finding }) => finding.severity !== 'info');
  const remarks = own.filter(({ finding }) => finding.severity === 'info');
  const failed = rendered.filter((one) => renderFailed(one));
  const unstable = rendered.filter((one) => one.unstable !== undefined);
  const withheld = commit.state === 'withheld';
  const title =
    failed.length > 0
      ? failedTitle(failed)
      : unstable.length > 0
        ? `${names(unstable)}: a function is not idempotent`
        : outside.length > 0
          ? `${outside[0]?.path}: tools would read other content`
          : withheld
            ? 'The branch is not rendered'
            : rendered.length === 0
              ? 'Nothing to render'
              : `${counted(rendered.length, 'package')} rendered`;
  const summary = [
    ...failed.map((one) => failure(one)),
    ...unstable.map(
      (one) =>
        `Rendering ${code(one.package.path)} a second time changed it again (${(one.unstable?.paths ?? []).map(code).join(', ')}). Nothing was committed. Fix the function so that a second run changes nothing.`,
    ),
    ...(withheld
      ? [
          `${commit.reason} Apply the patch below with \`git apply\`, or run \`portico render\` on the branch, then push.`,
        ]
      : []),
    ...outside.map(({ message }) => foreignSentence(message)),
    runTable(rendered),
  ].filter((part) => part !== '');
  const { annotations, rest } = placed([
    ...findings.map(({ one, finding }) => annotationOf(one, finding)),
    ...rendered.flatMap((one) => problemAnnotation(one)),
    ...outside.map(({ path, line, message }) => ({
      path,
      startLine: line,
      endLine: line,
      level: 'failure' as const,
      title: 'tool files',
      message,
    })),
  ]);
  return {
    name: RENDER_CHECK,
    conclusion:
      failed.length > 0 || unstable.length > 0 || outside.length > 0 || withheld ? 'failure' : 'success',
    title,
    summary: summary.length === 0 ? quietSummary(rendered, commit) : summary.join('\n\n'),
    ...textOf([withheld ? patchText(commit) : '', rest, remarksText(remarks.map(({ finding }) => finding))]),
    annotations,
  };
}

/** Where no function ran and nothing failed. */
function quietSummary(rendered: readonly RenderedPackage[], commit: RenderCommit): string {
  if (rendered.length === 0) return 'There is no package to render.';
  return commit.state === 'rendered' && commit.pushed
    ? 'Portico committed what rendering changed.'
    : 'Rendering changed nothing.';
}

/** How many lines of function output are listed. */
const MAX_TOLD = 200;

function remarksText(remarks: readonly Finding[]): string {
  if (remarks.length === 0) return '';
  const lines = remarks
    .slice(0, MAX_TOLD)
    .map(
      ({ function: name, file, message }) =>
        `- ${code(name)}${file === undefined ? '' : ` in ${code(file)}`}: ${code(message)}`,
    );
  const more = remarks.length > MAX_TOLD ? [`- and ${remarks.length - MAX_TOLD} more`] : [];
  return ['Function output:', '', ...lines, ...more].join('\n');
}

function textOf(parts: readonly string[]): { readonly text?: string } {
  const text = joined(parts);
  return text === '' ? {} : { text };
}

function patchText({ patch, opaque }: Extract<RenderCommit, { state: 'withheld' }>): string {
  const files = opaque.length === 0 ? '' : `Not in the patch: ${opaque.map(code).join(', ')}.`;
  const long = Buffer.byteLength(patch) > MAX_PATCH;
  const shown = long ? 'The patch is too long to show here. Run `portico render`.' : fenced(patch, 'diff');
  return joined([shown, files]);
}

/** True when the package's own pipeline or its Kptfile failed; guardrails speak for themselves. */
function renderFailed(one: RenderedPackage): boolean {
  return (
    one.problem !== undefined ||
    one.runs.some(
      (run) => run.guardrail === undefined && (run.exitCode !== 0 || run.refused !== undefined),
    ) ||
    one.findings.some((finding) => finding.guardrail === undefined && finding.severity === 'error')
  );
}

function failure(one: RenderedPackage): string {
  if (one.problem !== undefined) {
    const at =
      one.problem.file === undefined ? '' : ` (${code(fileIn(one.package.directory, one.problem.file))})`;
    return `**${code(one.package.path)}**${at}: ${foreignSentence(one.problem.message)} ${foreignSentence(one.problem.hint)}`;
  }
  const run = one.runs.find(
    (candidate) =>
      candidate.guardrail === undefined && (candidate.exitCode !== 0 || candidate.refused !== undefined),
  );
  if (run?.refused !== undefined)
    return `**${code(one.package.path)}**: ${foreignSentence(run.refused.message)} ${foreignSentence(run.refused.hint)}`;
  const output = run?.stderr ?? run?.results.map(({ message }) => message).join('\n') ?? '';
  return `**${code(one.package.path)}**: ${code(run?.function ?? 'a validator')} failed.${output === '' ? '' : `\n${fenced(cutLines(output, { characters: 4000 }))}`}`;
}

function runTable(rendered: readonly RenderedPackage[]): string {
  const rows = rendered.flatMap((one) =>
    one.runs.map((run) => [
      code(inPackage(one.package.path, run.package)),
      code(run.function),
      run.guardrail === undefined ? run.type : `guardrail ${code(run.guardrail)}`,
      outcomeOf(run),
    ]),
  );
  return rows.length === 0 ? '' : table(['package', 'function', 'as', 'result'], rows.slice(0, 200));
}

/** What a run came to, in a word or two. */
export function outcomeOf(run: FunctionRun): string {
  if (run.refused !== undefined) return 'not run';
  const found = run.results.filter(({ severity }) => severity === 'error' || severity === 'warning').length;
  if (run.exitCode !== 0 && (run.type === 'mutator' || found === 0)) return `failed (${run.exitCode})`;
  if (found > 0) return counted(found, 'finding');
  return run.results.length === 0 ? 'done' : counted(run.results.length, 'result');
}

function problemAnnotation(one: RenderedPackage): CheckAnnotation[] {
  if (one.problem?.file === undefined) return [];
  const line = one.problem.line ?? 1;
  return [
    {
      path: fileIn(one.package.directory, one.problem.file),
      startLine: line,
      endLine: line,
      level: 'failure',
      title: one.problem.code,
      message: `${sentence(one.problem.message)} ${one.problem.hint}`,
    },
  ];
}

/** The title names what is wrong with the first package, and how many have something wrong beside it. */
function failedTitle(failed: readonly RenderedPackage[]): string {
  const [first] = failed;
  if (first === undefined) return '';
  const more = failed.length > 1 ? `, and ${failed.length - 1} more` : '';
  return `${first.package.path}: ${whatFailed(first)}${more}`;
}

function whatFailed({ problem, runs, findings }: RenderedPackage): string {
  if (problem !== undefined) return titlePart(problem.message);
  const errors = findings.filter(
    ({ guardrail, severity }) => guardrail === undefined && severity === 'error',
  );
  const [error] = errors;
  if (error !== undefined) return findingTitle(error, errors.length);
  const run = runs.find(
    (one) => one.guardrail === undefined && (one.exitCode !== 0 || one.refused !== undefined),
  );
  if (run?.refused !== undefined) return titlePart(run.refused.message);
  const output = run?.stderr?.split('\n').find((line) => line.trim() !== '');
  const name = run?.function ?? 'a function';
  return output === undefined ? `${name} failed` : `${name}: ${titlePart(output)}`;
}

function names(packages: readonly RenderedPackage[]): string {
  return packages.map((one) => one.package.path).join(', ');
}

function inPackage(path: string, sub: string): string {
  return sub === '.' ? path : `${path}/${sub}`;
}
