/** What the rules of branches demand, read once for many jobs: who decides on a rule that may have just changed asks anew. */
import { PorticoError } from '../error.ts';
import type { Forge } from '../reconcile/forge/forge.ts';
import type { BranchDemands } from '../reconcile/ports.ts';
import { keepNewest } from '../reconcile/text/keep-newest.ts';

export interface DemandsOfBranches {
  /** Those of one repository. */
  of(repositoryId: number, forge: Pick<Forge, 'branchRules' | 'branchProtection'>): BranchDemands;
}

/** How long what the rules of a branch say is good. */
const AGE_MS = 600_000;
/** Branches whose demands are remembered: one for each registered repository, mostly. */
const MAX_BRANCHES = 50_000;

type Demands = Awaited<ReturnType<BranchDemands>>;

/** `now` in milliseconds. */
export function createBranchDemands(now: () => number): DemandsOfBranches {
  const known = new Map<string, { readonly at: number; readonly demands: Demands }>();
  return {
    of:
      (repositoryId, forge) =>
      async (branch, { anew = false } = {}, signal) => {
        const key = `${repositoryId} ${branch}`;
        const found = known.get(key);
        if (found !== undefined && !anew && now() - found.at < AGE_MS) return found.demands;
        const demands = await read(forge, branch, signal);
        keepNewest(known, key, { at: now(), demands }, MAX_BRANCHES);
        return demands;
      },
  };
}

async function read(
  forge: Pick<Forge, 'branchRules' | 'branchProtection'>,
  branch: string,
  signal: AbortSignal | undefined,
): Promise<Demands> {
  const [rules, protection] = await Promise.all([
    answerOrNull(forge.branchRules(branch, signal)),
    answerOrNull(forge.branchProtection(branch, signal)),
  ]);
  return {
    requiresSignatures: rules?.requiresSignatures ?? false,
    refusesPushes: protection?.isOn === false ? (rules?.refusesPushes ?? null) : null,
    requiredChecks:
      rules === null || protection === null
        ? null
        : new Set([...rules.requiredChecks.map(({ context }) => context), ...protection.requiredChecks]),
  };
}

async function answerOrNull<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof PorticoError && UNTOLD.has(error.code)) return null;
    throw error;
  }
}

const UNTOLD: ReadonlySet<string> = new Set(['FORGE_NOT_FOUND', 'FORGE_FORBIDDEN']);
