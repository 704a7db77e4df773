/** Pure: one check for each guardrail. */
import type { RepositoryConfig } from '../config/repository-config.ts';
import { annotationOf, count, type Draft } from './check-draft.ts';
import { guardrailCheck } from './check-names.ts';
import { code, fenced } from './markdown-blocks.ts';
import type { RenderedPackage } from './proposal-render.ts';

export function guardrailChecks(
  config: Pick<RepositoryConfig, 'guardrails'>,
  rendered: readonly RenderedPackage[],
): Draft[] {
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
