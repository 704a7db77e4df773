/**
 * How what was published fares. Flux and Argo CD report on the commit that they have just reconciled, the branch's newest at that moment
 * (XenitAB/gitops-promotion#175, #180), which may be a later one than the one with the tag: what counts is said of any commit
 * that still holds the package as it was published.
 */

import { matchesGlob } from '../../config/glob.ts';
import type { Health } from '../../package/rollout/plan.ts';
import type { WaveGate } from '../../package/rollout/rollout.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { CommitHealth } from '../forge/checks.ts';
import type { Forge } from '../forge/forge.ts';
import type { Git } from '../git-port.ts';
import type { QuestionBudget } from './question-budget.ts';

/**
 * What stands for a tool's own contexts, as they are unless somebody changed them: Flux posts kind, name and the first part of the
 * Provider's UID, such as `kustomization/apps/0c9c2e41` (fluxcd/notification-controller internal/server/provider_commit_status.go); Argo
 * CD's template says `continuous-delivery/<application>` (argoproj/notifications-engine docs/services/github.md).
 */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  flux: ['flux', 'kustomization/**', 'helmrelease/**'],
  argocd: ['argocd', 'continuous-delivery/**'],
};

/** The tools whose statuses say how something fares, where nothing else is configured. */
const USUAL_STATUSES: readonly string[] = Object.keys(TOOLS);

/** Globs of contexts, with those of the tools that are named. */
function contextsOf(wanted: readonly string[]): readonly string[] {
  return wanted.flatMap((one) => TOOLS[one] ?? [one]);
}

interface ReportedHealth {
  readonly what: string;
  readonly state: string;
  readonly at: number;
}

/** GitHub makes a deployment inactive when a newer one took its place: it was a success before. */
const HOLDS: readonly string[] = ['success', 'inactive'];
const FAILS: readonly string[] = ['failure', 'error'];

/**
 * Pure: what a gate makes of what is said of these commits, the newest first. Each status asked for must be there, and everything that
 * fits must hold: of a status and check runs that share a name each, as with GitHub's required checks
 * (https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/collaborating-on-repositories-with-code-quality-features/troubleshooting-required-status-checks,
 * "both the check and the status are required"). What was a success on one of them holds, whatever is said of a later one, where something else may be
 * broken; else the newest that is said counts.
 */
export function judgeHealth(
  commits: readonly CommitHealth[],
  gate: Pick<WaveGate, 'statuses' | 'deployments'>,
): Health {
  const statuses = commits.flatMap(worstOfEach);
  const deployments = commits.flatMap((one) => one.deployments);
  const reports = [
    ...gate.statuses.flatMap((wanted): readonly ReportedHealth[] => {
      const fitting = statuses.filter(({ context }) => matchesGlob(context, contextsOf([wanted])));
      if (fitting.length === 0) return [{ what: `status ${wanted}`, state: 'pending', at: 0 }];
      const named = Map.groupBy(fitting, nameOf);
      return [...named.values()].map((same) => counting(`status ${same[0]?.context}`, same));
    }),
    ...gate.deployments.map((environment): ReportedHealth => {
      const named = deployments.filter((one) => one.environment === environment);
      return counting(`deployment to ${environment}`, named);
    }),
  ];
  const failed = reports.find(({ state }) => FAILS.includes(state));
  if (failed !== undefined) return { state: 'failure', at: failed.at, what: failed.what };
  const open = reports.find(({ state }) => !HOLDS.includes(state));
  if (open !== undefined) return { state: 'pending', at: open.at, what: open.what };
  return { state: 'success', at: Math.max(0, ...reports.map(({ at }) => at)), what: '' };
}

/** Pure: how each thing fares that tells of what runs, by its name. */
export interface Reports {
  readonly failing: readonly string[];
  /** What holds, or was a success. */
  readonly holding: readonly string[];
  /** What is not said yet. */
  readonly open: readonly string[];
}

/**
 * Pure: what these statuses and all deployments say of these commits, the newest first; what was a success on one of them does not
 * fail. Other statuses say nothing of what runs: they are of tests.
 */
export function reportsOf(
  commits: readonly CommitHealth[],
  wanted: readonly string[] = USUAL_STATUSES,
): Reports {
  const globs = contextsOf(wanted);
  const statuses = commits.flatMap(worstOfEach).filter(({ context }) => matchesGlob(context, globs));
  const deployments = commits.flatMap((one) => one.deployments);
  const reports = [
    ...[...Map.groupBy(statuses, nameOf).values()].map((same) =>
      counting(`status ${same[0]?.context}`, same),
    ),
    ...[...Map.groupBy(deployments, ({ environment }) => environment)].map(([environment, same]) =>
      counting(`deployment to ${environment}`, same),
    ),
  ];
  const inState = (fits: (state: string) => boolean): string[] =>
    reports.filter(({ state }) => fits(state)).map(({ what }) => what);
  return {
    failing: inState((state) => FAILS.includes(state)),
    holding: inState((state) => HOLDS.includes(state)),
    open: inState((state) => !FAILS.includes(state) && !HOLDS.includes(state)),
  };
}

type Status = CommitHealth['statuses'][number];

/** A status and a check run, and check runs of two Apps, are two things, though they share a name. */
function nameOf({ context, app }: Status): string {
  return `${app ?? 'status'} ${context}`;
}

/** Of two runs of one commit that share App and name, as jobs of two workflows may, the worse counts. */
function worstOfEach({ statuses }: CommitHealth): readonly Status[] {
  return [...Map.groupBy(statuses, nameOf).values()].flatMap((same) => {
    const [failed] = same.filter(({ state }) => FAILS.includes(state));
    return failed ?? same.find(({ state }) => !HOLDS.includes(state)) ?? same[0] ?? [];
  });
}

/** Of reports on commits, the newest commit's first: the first success of all, else the newest. */
function counting(
  what: string,
  reports: readonly { readonly state: string; readonly at: string }[],
): ReportedHealth {
  const one = reports.findLast(({ state }) => HOLDS.includes(state)) ?? reports[0];
  return { what, state: one?.state ?? 'pending', at: one === undefined ? 0 : Date.parse(one.at) };
}

/** As many commits behind the published one are looked through, and of so many it is asked what is said. */
const MAX_COMMITS = 200;
const MAX_ASKED = 10;

/**
 * Commits of the branch up to `tip` that hold the package as the published commit has it, the newest first and the published one last.
 * Of many, the newest: what reports goes on with the branch.
 */
export async function holdersOf(
  git: Git,
  published: string,
  { tip, directory }: { readonly tip: string; readonly directory: RepositoryDirectory },
  signal?: AbortSignal,
): Promise<readonly string[]> {
  if (tip === published || (await git.resolve(tip, signal)) === null) return [published];
  if (!(await git.isAncestor(published, tip, signal))) return [published];
  const tree = await git.treeId(published, directory, signal);
  const range = { from: published, to: tip };
  const later = await git.log(range, { firstParent: true, limit: MAX_COMMITS }, signal);
  const holders: string[] = [];
  for (const { oid } of later) {
    if (holders.length === MAX_ASKED - 1) break;
    if ((await git.treeId(oid, directory, signal)) === tree) holders.push(oid);
  }
  return [...holders, published];
}

/**
 * What is said of a published commit: of the published commit itself first, then of later ones, as far as the first with which all
 * holds. A success stays one, so nothing that is said of those behind it could change that. Undefined where it could not be asked for in time.
 */
export async function askHealth(
  { git, forge }: { readonly git: Git; readonly forge: Pick<Forge, 'healthOf'> },
  published: string,
  {
    place,
    gate,
    asking,
  }: {
    readonly place: Parameters<typeof holdersOf>[2];
    readonly gate: WaveGate;
    readonly asking: QuestionBudget;
  },
  signal?: AbortSignal,
): Promise<Health | undefined> {
  const asked = { statuses: gate.statuses.length > 0, environments: gate.deployments };
  await git.fetch({}, signal);
  const reports: CommitHealth[] = [];
  for (const holder of (await holdersOf(git, published, place, signal)).toReversed()) {
    const answer = await asking.ask((within) => forge.healthOf(holder, asked, within), signal);
    if (answer === undefined) return undefined;
    reports.unshift(answer);
    if (judgeHealth(reports, gate).state === 'success') break;
  }
  return judgeHealth(reports, gate);
}
