import type { PackageFiles } from '../../package/package.ts';
import type { Finding } from '../../package/render/render-types.ts';
import { shorten } from '../../text/cut-text.ts';
import { guardrailCheck } from '../check-names.ts';
import { guardrailChecks } from '../check/guardrail-checks.ts';
import { runtimeFor } from '../render/foreign-functions.ts';
import { contextOf, loadGuardrails } from '../render/guardrails.ts';
import type { RenderedPackage } from '../render/proposal-render.ts';
import { code, sentence, foreignSentence } from '../text/markdown-blocks.ts';
import type { DraftSetting } from './setting.ts';

/**
 * Which of today's enforced guardrails a package would fail, with what each says, or why it cannot be rendered;
 * undefined where all is well. Advice (`warn`, `dryrun`) does not count.
 */
export async function guardrailsAgainst(
  { world: ports, access, asker: { config }, base, directory }: DraftSetting,
  path: string,
  files: PackageFiles,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const loaded = await loadGuardrails({ git: access.git, config, base, now: ports.now(), signal });
  const guardrails = loaded.forPackage(path);
  const result = await ports.content.render({
    files,
    runtime: runtimeFor(ports.runtime, loaded),
    guardrails,
    context: await contextOf(
      access,
      guardrails,
      {
        path,
        treeish: base,
        directory,
        head: { files, skipped: [] },
        ...(config.deploy && { deploy: config.deploy }),
      },
      signal,
    ),
    ...(signal && { signal }),
  });
  const rendered: RenderedPackage = {
    package: { path, directory, trees: { mergeBase: null, left: null, base: null, head: null } },
    ok: result.ok,
    runs: [...result.runs, ...loaded.brokenFor(path)],
    findings: result.findings,
    changes: new Map(),
  };
  const failing = guardrailChecks(config, [rendered]).filter(({ conclusion }) => conclusion === 'failure');
  if (failing.length > 0) {
    return failing
      .map(({ name, title }) => `${code(name)} (${whatFound(name, result.findings) ?? title})`)
      .join(', ');
  }
  const own = result.runs.find((run) => run.guardrail === undefined && run.exitCode !== 0);
  if (result.problem !== undefined) return sentence(result.problem.message).replace(/\.$/, '');
  return own === undefined ? undefined : `its own pipeline fails at ${own.function}`;
}

/** Findings that are named; the check of the proposal tells the rest. */
const MAX_NAMED = 3;

/** What a guardrail objects to, in its words; undefined where it only failed. */
function whatFound(check: string, findings: readonly Finding[]): string | undefined {
  const found = findings.filter(
    ({ guardrail, severity }) =>
      guardrail !== undefined && guardrailCheck(guardrail) === check && severity === 'error',
  );
  const messages = [
    ...new Set(found.map(({ message }) => foreignSentence(shorten(message, 300)).replace(/\.$/, ''))),
  ];
  if (messages.length === 0) return undefined;
  const more = messages.length > MAX_NAMED ? `; and ${messages.length - MAX_NAMED} more` : '';
  return `${messages.slice(0, MAX_NAMED).join('; ')}${more}`;
}
