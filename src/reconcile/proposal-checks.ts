/** Pure: from what rendering found to the check runs that people see. */
import type { ConfigProblem } from '../config/config-problem.ts';
import type { RepositoryConfig } from '../config/repository-config.ts';
import type { KptfileProblem } from '../package/kptfile.ts';
import type { Conflict } from '../package/merge/conflict.ts';
import type { Finding, FunctionRun } from '../package/render/render-types.ts';
import { shortDigest } from '../revision/digest.ts';
import {
  AGGREGATE_CHECK,
  CONFIG_CHECK,
  CONFLICTS_CHECK,
  guardrailCheck,
  PACKAGE_CHECK,
  RENDER_CHECK,
} from './check-names.ts';
import { code, conflictTable, fenced, sentence, shownValue, table } from './markdown-blocks.ts';
import type { CheckAnnotation, CheckInput } from './ports.ts';
import type { RenderedPackage } from './proposal-render.ts';
import type { RenderCommit } from './render-commit.ts';

export interface ProposalFacts {
  readonly config: RepositoryConfig;
  readonly headSha: string;
  readonly digest: string;
  readonly rendered: readonly RenderedPackage[];
  readonly removed: readonly string[];
  readonly commit: RenderCommit;
  /** Directory from the top of the repository → what is wrong with its Kptfile. */
  readonly kptfiles: ReadonlyMap<string, readonly KptfileProblem[]>;
  readonly conflicts: readonly Conflict[];
  /** The list of conflicts is not where Portico put it. */
  readonly lost: boolean;
  /** Where the conflicting package lies, from the top of the repository. */
  readonly conflictDirectory: string;
  /** Packages that the base branch changed after the proposal left it. */
  readonly behind: readonly string[];
  /** Set when the proposal changes the configuration. */
  readonly configProblems?: readonly ConfigProblem[];
}

/** A cut patch would not apply. */
const MOST_PATCH = 60_000;

type Conclusion = NonNullable<CheckInput['conclusion']>;

interface Draft {
  readonly name: string;
  readonly conclusion: Conclusion;
  readonly title: string;
  readonly summary: string;
  readonly text?: string;
  readonly annotations?: readonly CheckAnnotation[];
}

/** All checks of a proposal, the aggregate last: it is written when the others stand. */
export function proposalChecks(facts: ProposalFacts): CheckInput[] {
  const drafts = [
    packageCheck(facts),
    renderCheck(facts),
    conflictsCheck(facts),
    ...(facts.configProblems === undefined ? [] : [configCheck(facts.configProblems)]),
    ...guardrailChecks(facts),
  ];
  return [...drafts, aggregate(drafts, facts)].map((draft) => ({
    ...draft,
    headSha: facts.headSha,
    externalId: draft.name === AGGREGATE_CHECK ? facts.digest : shortDigest(facts.digest),
    status: 'completed',
  }));
}

function packageCheck(facts: ProposalFacts): Draft {
  const problems = [...facts.kptfiles].flatMap(([directory, found]) =>
    found.map((problem) => ({ file: inDirectory(directory, 'Kptfile'), ...problem })),
  );
  const errors = problems.filter(({ severity }) => severity === 'error');
  const names = [...facts.rendered.map((one) => one.package.path), ...facts.removed];
  return {
    name: PACKAGE_CHECK,
    conclusion: errors.length > 0 ? 'failure' : 'success',
    title:
      errors.length > 0 ? count(errors.length, 'mistake') + ' in Kptfiles' : count(names.length, 'package'),
    summary:
      names.length === 0
        ? 'The proposal touches no package.'
        : table(
            ['package', 'what'],
            names.map((name) => [code(name), facts.removed.includes(name) ? 'removed' : 'changed']),
          ),
    annotations: problems.map(({ file, line, severity, message, path }) => ({
      path: file,
      startLine: line ?? 1,
      endLine: line ?? 1,
      level: severity === 'error' ? 'failure' : 'warning',
      title: path === '' ? 'Kptfile' : path,
      message,
    })),
  };
}

function renderCheck(facts: ProposalFacts): Draft {
  const { rendered, commit } = facts;
  const own = rendered.flatMap((one) =>
    one.findings.filter(({ guardrail }) => guardrail === undefined).map((finding) => ({ one, finding })),
  );
  const failed = rendered.filter((one) => renderFailed(one));
  const unstable = rendered.filter((one) => one.unstable !== undefined);
  const withheld = commit.state === 'withheld';
  const title =
    failed.length > 0
      ? `${names(failed)} cannot be rendered`
      : unstable.length > 0
        ? `${names(unstable)}: a function is not idempotent`
        : withheld
          ? 'The branch does not hold the rendered package'
          : rendered.length === 0
            ? 'Nothing to render'
            : `${count(rendered.length, 'package')} rendered`;
  const summary = [
    ...failed.map((one) => failure(one)),
    ...unstable.map(
      (one) =>
        `Rendering ${code(one.package.path)} a second time changed it again (${(one.unstable?.paths ?? []).map(code).join(', ')}). Nothing was committed: repair the function that does not settle.`,
    ),
    ...(withheld
      ? [
          `${commit.reason} Apply the patch below with \`git apply\`, or run \`portico render\` on the branch; then push.`,
        ]
      : []),
    runTable(rendered),
  ].filter((part) => part !== '');
  return {
    name: RENDER_CHECK,
    conclusion: failed.length > 0 || unstable.length > 0 || withheld ? 'failure' : 'success',
    title,
    summary: summary.length === 0 ? 'No package is touched.' : summary.join('\n\n'),
    ...(withheld && { text: patchText(commit) }),
    annotations: [
      ...own.map(({ one, finding }) => annotationOf(one, finding)),
      ...rendered.flatMap((one) => problemAnnotation(one)),
    ],
  };
}

function patchText({ patch, opaque }: Extract<RenderCommit, { state: 'withheld' }>): string {
  const files = opaque.length === 0 ? '' : `Not in the patch: ${opaque.map(code).join(', ')}.`;
  const long = patch.length > MOST_PATCH;
  const shown = long ? 'The patch is too long to be shown: run `portico render`.' : fenced(patch, 'diff');
  return [shown, files].filter((part) => part !== '').join('\n\n');
}

function conflictsCheck({ conflicts, lost, conflictDirectory, behind }: ProposalFacts): Draft {
  if (behind.length > 0) {
    return {
      name: CONFLICTS_CHECK,
      conclusion: 'failure',
      title: `The base branch changed ${behind.join(', ')}`,
      summary: `Since this branch left it, the base branch changed ${behind.map(code).join(', ')} too. Update the branch (the button, or merge the base into it): what is merged must be what was rendered and checked.`,
    };
  }
  if (lost) {
    return {
      name: CONFLICTS_CHECK,
      conclusion: 'failure',
      title: 'The list of conflicts is gone',
      summary:
        "This update has conflicts, and their list was taken out of the pull request's description. Portico puts it back the next time it looks; close the pull request to decline the update.",
    };
  }
  return {
    name: CONFLICTS_CHECK,
    conclusion: conflicts.length > 0 ? 'failure' : 'success',
    title: conflicts.length > 0 ? count(conflicts.length, 'open conflict') : 'No open conflict',
    summary:
      conflicts.length > 0
        ? `Upstream and this repository changed the same fields. Upstream's value stands in the branch for now. Settle each one by a commit that changes the field.\n\n${conflictTable(conflicts)}`
        : 'Upstream and local changes do not meet.',
    annotations: conflicts.map((conflict) => ({
      path: inDirectory(conflictDirectory, conflict.file),
      startLine: conflict.line ?? 1,
      endLine: conflict.line ?? 1,
      level: 'failure',
      title: conflict.path === '' ? conflict.file : conflict.path,
      message: `Both sides changed this. Upstream: ${shownValue(conflict.upstream, 120)}. Local: ${shownValue(conflict.local, 120)}. Taken: ${conflict.taken}.`,
    })),
  };
}

function configCheck(problems: readonly ConfigProblem[]): Draft {
  return {
    name: CONFIG_CHECK,
    conclusion: problems.length > 0 ? 'failure' : 'success',
    title:
      problems.length > 0
        ? `${count(problems.length, 'mistake')} in the configuration`
        : 'The configuration is valid',
    summary:
      problems.length > 0
        ? table(
            ['where', 'what', 'do this'],
            problems.map((problem) => [
              code(`${problem.file}:${problem.line}`),
              problem.message,
              problem.hint,
            ]),
          )
        : 'It comes into force when it is merged.',
    annotations: problems.map((problem) => ({
      path: problem.file,
      startLine: problem.line,
      endLine: problem.line,
      startColumn: problem.column,
      endColumn: problem.column,
      level: 'failure',
      title: problem.path === '' ? 'portico.yaml' : problem.path,
      message: `${sentence(problem.message)} ${problem.hint}`,
    })),
  };
}

function guardrailChecks({ config, rendered }: ProposalFacts): Draft[] {
  const all = [...config.guardrails.mutators, ...config.guardrails.validators];
  return all.map((guardrail) => {
    const found = rendered.flatMap((one) =>
      one.findings
        .filter((finding) => finding.guardrail === guardrail.name)
        .map((finding) => ({ one, finding })),
    );
    const runs = rendered.flatMap((one) => one.runs.filter((run) => run.guardrail === guardrail.name));
    const broken = runs.filter((run) => run.exitCode !== 0 || run.refused !== undefined);
    const errors = found.filter(({ finding }) => finding.severity === 'error');
    const bad = errors.length > 0 || broken.length > 0;
    const refused = runs.find((run) => run.refused !== undefined)?.refused;
    const notes = found.filter(({ finding }) => finding.severity !== 'info').length;
    const enforced = guardrail.mode === 'enforce';
    return {
      name: guardrailCheck(guardrail.name),
      conclusion: bad && enforced ? 'failure' : bad || (notes > 0 && !enforced) ? 'neutral' : 'success',
      title: bad
        ? (refused?.message ?? `${count(Math.max(errors.length, 1), 'finding')} (${guardrail.mode})`)
        : runs.length === 0
          ? 'No package to look at'
          : notes > 0
            ? `${count(notes, 'finding')} (${guardrail.mode})`
            : 'Nothing found',
      summary: [
        `Guardrail ${code(guardrail.name)} of the base branch's configuration, mode ${code(guardrail.mode)}.`,
        ...(refused === undefined ? [] : [refused.hint]),
        ...broken
          .map((run) => run.stderr ?? '')
          .filter((text) => text !== '')
          .map((text) => fenced(text.slice(0, 4000))),
      ].join('\n\n'),
      annotations: found.map(({ one, finding }) => annotationOf(one, finding)),
    };
  });
}

function aggregate(drafts: readonly Draft[], { digest }: ProposalFacts): Draft {
  const failing = drafts.filter(
    ({ conclusion }) => conclusion === 'failure' || conclusion === 'action_required',
  );
  return {
    name: AGGREGATE_CHECK,
    conclusion: failing.length > 0 ? 'failure' : 'success',
    title:
      failing.length > 0
        ? failing
            .map(({ name, title }) => `${name}: ${title}`)
            .join('; ')
            .slice(0, 250)
        : 'Everything that is required holds',
    summary: [
      table(
        ['check', 'result', ''],
        drafts.map(({ name, conclusion, title }) => [code(name), conclusion, title]),
      ),
      `Content digest ${code(shortDigest(digest))}: approvals are for this content.`,
    ].join('\n\n'),
  };
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
      one.problem.file === undefined
        ? ''
        : ` (${code(inDirectory(one.package.directory, one.problem.file))})`;
    return `**${code(one.package.path)}**${at}: ${sentence(one.problem.message)} ${one.problem.hint}`;
  }
  const run = one.runs.find(
    (candidate) =>
      candidate.guardrail === undefined && (candidate.exitCode !== 0 || candidate.refused !== undefined),
  );
  if (run?.refused !== undefined)
    return `**${code(one.package.path)}**: ${sentence(run.refused.message)} ${run.refused.hint}`;
  const said = run?.stderr ?? run?.results.map(({ message }) => message).join('\n') ?? '';
  return `**${code(one.package.path)}**: ${code(run?.function ?? 'a validator')} failed.${said === '' ? '' : `\n${fenced(said.slice(0, 4000))}`}`;
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

function outcomeOf(run: FunctionRun): string {
  if (run.refused !== undefined) return 'not run';
  if (run.exitCode !== 0) return `failed (${run.exitCode})`;
  return run.results.length === 0 ? 'done' : count(run.results.length, 'result');
}

function annotationOf(one: RenderedPackage, finding: Finding): CheckAnnotation {
  const line = finding.line ?? 1;
  return {
    path: inDirectory(one.package.directory, finding.file ?? 'Kptfile'),
    startLine: line,
    endLine: line,
    ...(finding.column !== undefined && { startColumn: finding.column, endColumn: finding.column }),
    level: finding.severity === 'error' ? 'failure' : finding.severity === 'warning' ? 'warning' : 'notice',
    title: finding.function,
    message: finding.message === '' ? 'The function gave no message.' : finding.message,
  };
}

function problemAnnotation(one: RenderedPackage): CheckAnnotation[] {
  if (one.problem?.file === undefined) return [];
  const line = one.problem.line ?? 1;
  return [
    {
      path: inDirectory(one.package.directory, one.problem.file),
      startLine: line,
      endLine: line,
      level: 'failure',
      title: one.problem.code,
      message: `${sentence(one.problem.message)} ${one.problem.hint}`,
    },
  ];
}

function names(packages: readonly RenderedPackage[]): string {
  return packages.map((one) => one.package.path).join(', ');
}

function inDirectory(directory: string, path: string): string {
  return directory === '' ? path : `${directory}/${path}`;
}

function inPackage(path: string, sub: string): string {
  return sub === '.' ? path : `${path}/${sub}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
