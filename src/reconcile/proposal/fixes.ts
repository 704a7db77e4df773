/** What would mend the findings of a check: what functions propose, and what mutators write that are not enforced. */
import type { PackageFiles } from '../../package/package.ts';
import type { FunctionRuntime } from '../../package/render/function-runtime.ts';
import { proposesValue } from '../../package/render/proposed-values.ts';
import type { Guardrail } from '../../package/render/render-types.ts';
import { digestOf } from '../../revision/digest.ts';
import { guardrailCheck, RENDER_CHECK } from '../check-names.ts';
import type { FileChanges } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { runtimeFor } from '../render/foreign-functions.ts';
import type { LoadedGuardrails } from '../render/guardrails.ts';
import { changesBetween, type RenderedPackage } from '../render/proposal-render.ts';
import type { RenderCommit } from '../render/render-commit.ts';
import { filesAt } from '../repository/package-files.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { keepNewest } from '../text/keep-newest.ts';

/** Changes of files at the head, named from the top of the repository. */
export interface Fix {
  /** Name of the check whose findings it mends. */
  readonly check: string;
  /** A sentence. */
  readonly why: string;
  readonly changes: FileChanges;
}

/** By content and guardrails of one package; the oldest are dropped. */
export type FixMemory = Map<string, readonly Fix[]>;

/** Commits whose fixes are remembered for the button. */
const MAX_REMEMBERED = 200;

/**
 * The fixes of all checks; of one check there may be several, for several packages. Nothing is rendered unless a
 * mutator that only warns has found something.
 */
export async function loadFixes({
  ports,
  access: { git },
  snapshot: { writable },
  rendered,
  guardrails,
  commit,
  memory = new Map(),
  signal,
}: {
  readonly ports: Pick<Ports, 'runtime' | 'runtimeVersion' | 'content'>;
  readonly access: Pick<RepositoryAccess, 'git'>;
  readonly snapshot: Pick<ProposalSnapshot, 'writable'>;
  readonly rendered: readonly RenderedPackage[];
  readonly guardrails: LoadedGuardrails;
  readonly commit: RenderCommit;
  readonly memory?: FixMemory | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<Fix[]> {
  const fixes: Fix[] = [];
  const runtime = runtimeFor(ports.runtime, guardrails, { writable });
  for (const one of rendered) {
    if (one.problem !== undefined || one.unstable !== undefined) continue;
    if (commit.state === 'withheld') {
      if (one.changes.size > 0) {
        const why = 'Rendering the package writes this.';
        fixes.push({ check: RENDER_CHECK, why, changes: one.changes });
      }
      continue;
    }
    const mutators = warningMutators(one, guardrails.forPackage(one.package.path));
    const proposed = one.findings.filter(
      (finding) =>
        finding.severity !== 'info' &&
        proposesValue(finding) &&
        !mutators.some(({ name }) => name === finding.guardrail),
    );
    if (proposed.length === 0 && mutators.length === 0) continue;
    const { directory, path } = one.package;
    const tree = await git.treeId(commit.head.oid, directory, signal);
    const content = [tree, path, directory, guardrails.digest];
    const key = digestOf('portico fixes 1', [...content, ports.runtimeVersion, writable]);
    const known = memory.get(key);
    if (known !== undefined) {
      fixes.push(...known);
      continue;
    }
    const own: Fix[] = [];
    const files = await filesAt(git, commit.head.oid, directory, signal);
    const byCheck = Map.groupBy(proposed, ({ guardrail }) =>
      guardrail === undefined ? RENDER_CHECK : guardrailCheck(guardrail),
    );
    for (const [check, findings] of byCheck) {
      const after = await ports.content.proposedValues(files, findings, signal);
      own.push({
        check,
        why: findings.length === 1 ? (findings[0]?.message ?? '') : 'The function proposes this.',
        changes: changesBetween(directory, files, after),
      });
    }
    for (const guardrail of mutators) {
      const after = await written({ ports, runtime, files, guardrail, signal });
      own.push({
        check: guardrailCheck(guardrail.name),
        why: 'This guardrail would write this.',
        changes: after === null ? new Map() : changesBetween(directory, files, after),
      });
    }
    const changing = own.filter(({ changes }) => changes.size > 0);
    keepNewest(memory, key, changing, MAX_REMEMBERED);
    fixes.push(...changing);
  }
  return fixes;
}

/** Mutators that ran without being enforced, and said that they would change something. */
function warningMutators(one: RenderedPackage, guardrails: readonly Guardrail[]): Guardrail[] {
  return guardrails.filter(
    ({ name, type, mode }) =>
      type === 'mutator' &&
      mode === 'warn' &&
      one.runs.some(
        (run) =>
          run.guardrail === name &&
          run.exitCode === 0 &&
          run.results.some(({ severity }) => severity === 'warning'),
      ),
  );
}

/** The package with what the guardrail writes; null where rendering it fails. */
async function written({
  ports: { content },
  runtime,
  files,
  guardrail,
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly runtime: FunctionRuntime;
  readonly files: PackageFiles;
  readonly guardrail: Guardrail;
  readonly signal: AbortSignal | undefined;
}): Promise<PackageFiles | null> {
  const enforced: Guardrail = { ...guardrail, mode: 'enforce' };
  const result = await content.render({ files, runtime, guardrails: [enforced], ...(signal && { signal }) });
  return result.ok ? result.files : null;
}
