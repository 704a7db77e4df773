/** Pure: one check for each guardrail. */

import type { Exemption, GuardrailConfig, RepositoryConfig } from '../../config/repository-config.ts';
import { EXEMPTION_TAG } from '../../package/render/exempt.ts';
import type { Finding, FunctionRun } from '../../package/render/render-types.ts';
import { counted } from '../../text/counted.ts';
import { cutLines } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { guardrailCheck } from '../check-names.ts';
import type { RenderedPackage } from '../render/proposal-render.ts';
import { code, fenced, foreignSentence, sentence, tableUpTo } from '../text/markdown-blocks.ts';
import { annotationOf, findingTitle, placed, type CheckContent } from './check-content.ts';

export function guardrailChecks(
  config: Pick<RepositoryConfig, 'guardrails' | 'exemptions'>,
  rendered: readonly RenderedPackage[],
): CheckContent[] {
  return [...config.guardrails.mutators, ...config.guardrails.validators].map((one) =>
    guardrailDraft(one, rendered, config.exemptions),
  );
}

/** Failing only where it is enforced; one that warns is neutral, and a dry run is green and says what it found. */
function guardrailDraft(
  { name, mode }: GuardrailConfig,
  rendered: readonly RenderedPackage[],
  exemptions: readonly Exemption[] = [],
): CheckContent {
  const found = rendered.flatMap((one) =>
    one.findings.filter((finding) => finding.guardrail === name).map((finding) => ({ one, finding })),
  );
  const runs = rendered.flatMap((one) =>
    one.runs.filter((run) => run.guardrail === name).map((run) => ({ path: one.package.path, run })),
  );
  const spared = found.filter(({ finding }) => finding.item.tags?.[EXEMPTION_TAG] !== undefined);
  const broken = runs.filter(({ run }) => run.exitCode !== 0 || run.refused !== undefined);
  const refused = broken.find(({ run }) => run.refused !== undefined)?.run.refused;
  const errors = found.filter(({ finding }) => finding.severity === 'error').length;
  // In a dry run everything is told as information, whatever the function calls it.
  const listed = mode === 'dryrun' ? found : found.filter(({ finding }) => finding.severity !== 'info');
  const bad = errors > 0 || broken.length > 0;
  const { annotations, rest } = placed(listed.map(({ one, finding }) => annotationOf(one, finding)));
  return {
    name: guardrailCheck(name),
    conclusion: conclusionOf(mode, bad, listed.length > 0),
    title: titleOf({
      mode,
      runs: runs.length,
      found: findingsOf(mode, listed, errors),
      broken,
      refused: refused?.message,
      spared: spared.length,
    }),
    summary: joined([
      `Guardrail ${code(name)} of the base branch's configuration, mode ${code(mode)}. ${MODES[mode]}`,
      ...(refused === undefined
        ? []
        : [`${foreignSentence(refused.message)} ${foreignSentence(refused.hint)}`]),
      runs.length > 1 ? runTable(runs, found) : '',
      exemptTable(spared, exemptions),
      ...broken
        .map(({ run }) => run.stderr ?? '')
        .filter((text) => text !== '')
        .slice(0, 5)
        .map((text) => fenced(cutLines(text, { characters: 4000 }))),
    ]),
    ...(rest !== '' && { text: rest }),
    annotations,
  };
}

const MODES: Record<GuardrailConfig['mode'], string> = {
  enforce: 'Its errors must be fixed before the proposal can be published.',
  warn: 'Its findings do not block the proposal.',
  dryrun: 'It is a trial: its findings are shown and do not block the proposal.',
};

function conclusionOf(
  mode: GuardrailConfig['mode'],
  bad: boolean,
  listed: boolean,
): CheckContent['conclusion'] {
  if (mode === 'enforce') return bad ? 'failure' : 'success';
  return mode === 'warn' && (bad || listed) ? 'neutral' : 'success';
}

type Found = readonly { readonly one: RenderedPackage; readonly finding: Finding }[];

/** What the title speaks of: where errors keep the proposal back, these. */
function findingsOf(mode: GuardrailConfig['mode'], listed: Found, errors: number): Found {
  return mode === 'enforce' && errors > 0
    ? listed.filter(({ finding }) => finding.severity === 'error')
    : listed;
}

/** The title names the first finding, and how many there are beside it. */
function titleOf({
  mode,
  runs,
  found,
  broken,
  refused,
  spared,
}: {
  readonly mode: GuardrailConfig['mode'];
  readonly runs: number;
  readonly found: Found;
  readonly broken: readonly { readonly run: FunctionRun }[];
  readonly refused: string | undefined;
  /** Findings that do not count. */
  readonly spared: number;
}): string {
  const advice = mode === 'enforce' ? '' : ` (${mode})`;
  if (refused !== undefined)
    return mode === 'enforce' ? sentence(refused).replace(/\.$/, '') : `${refused} (${mode})`;
  if (runs === 0) return 'No package to check';
  const [first] = found;
  if (first !== undefined) return `${findingTitle(first.finding, found.length)}${advice}`;
  const [failed] = broken;
  if (failed === undefined && spared > 0) return `No findings that count, ${spared} exempt`;
  return failed === undefined ? 'No findings' : `${failed.run.function} failed${advice}`;
}

/** Findings that do not count, with who answers for them, until when and why. */
function exemptTable(spared: Found, exemptions: readonly Exemption[]): string {
  if (spared.length === 0) return '';
  const known = new Map(exemptions.map((one) => [one.name, one]));
  const counts = Map.groupBy(spared, ({ finding }) => finding.item.tags?.[EXEMPTION_TAG] ?? '');
  const rows = [...counts].map(([name, found]) => {
    const { until = '', owner = '', why = '' } = known.get(name) ?? {};
    return [code(name), String(found.length), until, code(owner), foreignSentence(why)];
  });
  return `Exempt by documents of the base branch:\n\n${tableUpTo(MAX_ROWS, ['exemption', 'findings', 'until', 'owner', 'why'], rows, 'exemption')}`;
}

/** Rows of each of the check's tables. */
const MAX_ROWS = 100;

function runTable(
  runs: readonly { readonly path: string; readonly run: FunctionRun }[],
  found: readonly { readonly one: RenderedPackage }[],
): string {
  const findings = Map.groupBy(found, ({ one }) => one.package.path);
  const rows = runs.map(({ path, run }) => {
    const number = findings.get(path)?.length ?? 0;
    const outcome =
      run.refused !== undefined
        ? 'not run'
        : run.exitCode !== 0
          ? 'failed'
          : number === 0
            ? 'no findings'
            : counted(number, 'finding');
    return [code(path), outcome];
  });
  return tableUpTo(MAX_ROWS, ['package', 'result'], rows, 'package');
}
