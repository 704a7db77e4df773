/**
 * What a proposed configuration would do to what is published, before it is merged: its guardrails run over every
 * package. Nothing in it has been approved yet, so only built-in functions run, which have no way out.
 */

import type { GuardrailConfig, RepositoryConfig } from '../../config/repository-config.ts';
import type { ErrorCode } from '../../error-code.ts';
import type { Refusal } from '../../error.ts';
import type { PackageFiles } from '../../package/package.ts';
import type { Finding, FunctionRun, Guardrail } from '../../package/render/render-types.ts';
import { digestOf } from '../../revision/digest.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { shorten } from '../../text/cut-text.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { loadGuardrails, type LoadedGuardrails } from '../render/guardrails.ts';
import { filesAt } from '../repository/package-files.ts';
import { loadRevisionRefs, newestRevision } from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { keepNewest } from '../text/keep-newest.ts';

/** What one guardrail finds in one published package. */
export interface TrialFinding {
  readonly package: string;
  /** The newest revision; null where the branch stands in for it. */
  readonly revision: string | null;
  readonly guardrail: string;
  readonly mode: GuardrailConfig['mode'];
  readonly errors: number;
  /** The first of them. */
  readonly message: string;
}

export interface ConfigTrial {
  /** Packages that were looked at, and those beyond the limit. */
  readonly packages: number;
  readonly left: number;
  /** What fails with the proposed configuration and does not with the one in force. */
  readonly newly: readonly TrialFinding[];
  /** Packages that an enforced mutator would change. */
  readonly rewritten: readonly string[];
  /** Guardrails that are not built in, or that read what nobody has approved: they run once they are merged. */
  readonly notRun: readonly string[];
  /** Guardrails whose own configuration is missing or wrong. */
  readonly broken: readonly {
    readonly guardrail: string;
    readonly message: string;
    readonly hint: string;
  }[];
}

/** What is remembered of one package under one set of guardrails. */
interface Outcome {
  readonly findings: readonly Omit<TrialFinding, 'package' | 'revision'>[];
  /** Guardrails whose function is neither built in nor allowed by the same configuration. */
  readonly unknown: readonly (readonly [string, Refusal])[];
  readonly notRun: readonly string[];
  readonly rewritten: boolean;
}

export type TrialMemory = Map<string, Outcome>;

/** Nothing was tried yet. */
export function createTrialMemory(): TrialMemory {
  return new Map();
}

/** What a trial is made with. */
export interface TrialWork {
  readonly ports: Pick<Ports, 'content' | 'builtins' | 'runtimeVersion' | 'now'>;
  readonly memory: TrialMemory;
  readonly signal: AbortSignal | undefined;
}

/** Packages that one look takes; and how many outcomes are remembered. */
const MAX_PACKAGES = 500;
const MAX_REMEMBERED = 5_000;

/**
 * Compares the proposed configuration with the one in force. Null where they demand the same. A package and a set of
 * guardrails that were seen before are not run again.
 */
export async function tryConfiguration(
  work: TrialWork,
  git: Git,
  sides: {
    readonly config: RepositoryConfig;
    readonly inForce: LoadedGuardrails;
    readonly base: string;
    /** The commit with the proposed configuration. */
    readonly head: string;
  },
): Promise<ConfigTrial | null> {
  const { ports, signal } = work;
  const { config, inForce, base, head } = sides;
  const proposed = await loadGuardrails({
    git,
    config,
    base: head,
    now: ports.now(),
    signal,
    approved: inForce.reads,
  });
  if (proposed.digest === inForce.digest) return null;
  const refs = await loadRevisionRefs(git, signal);
  const all = await rootPackages({ git }, base, config.directory, signal);
  const newly: TrialFinding[] = [];
  const rewritten: string[] = [];
  const notRun = new Set<string>(proposed.unapproved);
  const unknown = new Map<string, Refusal>();
  for (const { path, directory } of all.slice(0, MAX_PACKAGES)) {
    const newest = newestRevision(refs, directory);
    const place = { commit: newest?.tag.commit ?? base, directory, path };
    const now = await outcomeOf(work, git, place, proposed);
    for (const name of now.notRun) notRun.add(name);
    for (const [name, refusal] of now.unknown) unknown.set(name, refusal);
    const suspicious = now.findings.length > 0 || now.rewritten;
    const before = suspicious ? await outcomeOf(work, git, place, inForce) : NOTHING;
    const failedBefore = new Set(before.findings.map(({ guardrail, mode }) => `${mode} ${guardrail}`));
    for (const finding of now.findings) {
      if (failedBefore.has(`${finding.mode} ${finding.guardrail}`)) continue;
      newly.push({ package: path, revision: newest?.name ?? null, ...finding });
    }
    if (now.rewritten && !before.rewritten) rewritten.push(path);
  }
  return {
    packages: Math.min(all.length, MAX_PACKAGES),
    left: Math.max(0, all.length - MAX_PACKAGES),
    newly,
    rewritten,
    notRun: [...notRun].sort(),
    broken: brokenIn(proposed, config, unknown),
  };
}

const NOTHING: Outcome = { findings: [], unknown: [], notRun: [], rewritten: false };

/** Configuration files that cannot be used, whichever packages the guardrail is for, and functions that no one knows. */
function brokenIn(
  proposed: LoadedGuardrails,
  { guardrails }: RepositoryConfig,
  unknown: ReadonlyMap<string, Refusal>,
): ConfigTrial['broken'] {
  const examples = [...guardrails.mutators, ...guardrails.validators].flatMap(
    ({ paths }) => paths?.map((glob) => glob.replaceAll(/\*+/g, 'x')) ?? ['.'],
  );
  const refusals = new Map(unknown);
  for (const path of new Set(examples)) {
    for (const { guardrail = '', refused } of proposed.brokenFor(path))
      if (refused !== undefined) refusals.set(guardrail, refused);
  }
  return [...refusals].map(([guardrail, { message, hint }]) => ({ guardrail, message, hint }));
}

async function outcomeOf(
  { ports, memory, signal }: TrialWork,
  git: Git,
  place: { readonly commit: string; readonly directory: RepositoryDirectory; readonly path: string },
  loaded: LoadedGuardrails,
): Promise<Outcome> {
  const { commit, directory, path } = place;
  const tree = await git.treeId(commit, directory, signal);
  if (tree === null) return NOTHING;
  const key = digestOf('portico trial 2', [tree, path, loaded.digest, ports.runtimeVersion]);
  const known = memory.get(key);
  if (known !== undefined) return known;
  const files = await filesAt(git, commit, directory, signal);
  const outcome = await run(ports, { files, path }, loaded, signal);
  keepNewest(memory, key, outcome, MAX_REMEMBERED);
  return outcome;
}

/** Runs the guardrails alone: what is published has been through its own pipeline. */
async function run(
  { content, builtins }: Pick<Ports, 'content' | 'builtins'>,
  { files, path }: { readonly files: PackageFiles; readonly path: string },
  loaded: LoadedGuardrails,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const guardrails = loaded.forPackage(path);
  // Compiled policies are programs that nobody has approved: they do not run, and neither do functions that it allows.
  const denied = 'no one has approved it yet.';
  const { judgeRego: _judgeRego, ...runtime } =
    builtins.withForeign?.({ allowed: loaded.foreign.allowed, denied }) ?? builtins;
  // Validators say all they have, whatever their mode: what counts is decided here.
  const outspoken = guardrails.map((one): Guardrail =>
    one.type === 'validator' ? { ...one, mode: 'enforce' } : one,
  );
  // Nothing changes here: what is published is compared with itself.
  const context = { path, repository: '', base: files };
  const result = await content.render({
    files,
    runtime,
    guardrailsOnly: true,
    guardrails: outspoken,
    context,
    ...(signal && { signal }),
  });
  const refused = new Map(
    result.runs.flatMap(({ guardrail = '', refused: why }) =>
      why === undefined ? [] : [[guardrail, why] as const],
    ),
  );
  const unknown = [...refused].filter(([, { code }]) => UNKNOWN.has(code));
  const broken = loaded.brokenFor(path).map(({ guardrail = '', refused: why }) => [guardrail, why] as const);
  return {
    findings: [
      ...guardrails.flatMap(({ name, mode }) =>
        refused.has(name) ? [] : failures(result.findings, result.runs, name, mode),
      ),
      // Once merged, these fail for every package that they are for.
      ...[...unknown, ...broken].map(([guardrail, why]) => ({
        guardrail,
        mode: loaded.modes.get(guardrail) ?? 'enforce',
        errors: 1,
        message: shorten(why?.message ?? 'The function failed.', 1_000),
      })),
    ],
    unknown,
    notRun: [...refused.keys()].filter((name) => !unknown.some(([one]) => one === name)),
    rewritten: result.changed.length > 0,
  };
}

/** Why a function cannot run wherever it is asked to. */
const UNKNOWN: ReadonlySet<string> = new Set<ErrorCode>(['FUNCTION_UNKNOWN', 'FUNCTION_VERSION_UNKNOWN']);

function failures(
  findings: readonly Finding[],
  runs: readonly FunctionRun[],
  guardrail: string,
  mode: GuardrailConfig['mode'],
): Outcome['findings'] {
  const errors = findings.filter((one) => one.guardrail === guardrail && one.severity === 'error');
  const broke = runs.some((one) => one.guardrail === guardrail && one.exitCode !== 0);
  if (errors.length === 0 && !broke) return [];
  const message = errors[0]?.message ?? 'The function failed.';
  return [{ guardrail, mode, errors: Math.max(1, errors.length), message: shorten(message, 1_000) }];
}
