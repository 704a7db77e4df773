import type { CatalogRepository } from '../../catalog/catalog.ts';
import type { Standing } from '../../catalog/last-looks.ts';
import type { ConfigProblem } from '../../config/config-problem.ts';
import type { ExemptionState } from '../../config/exemptions.ts';
import type { Exemption } from '../../config/repository-config.ts';
import type { PlannedVariant, StalledVariant } from '../downstream/variant-plan.ts';
import type { DashboardFacts } from './facts.ts';

export interface StandingVariant {
  readonly planned: PlannedVariant;
  /** What came of the last look at it. */
  readonly standing: Standing | undefined;
}

export interface StandingExemption {
  readonly exemption: Exemption;
  readonly state: ExemptionState;
}

export interface DashboardInput extends DashboardFacts {
  readonly repository: CatalogRepository;
  readonly standings: ReadonlyMap<string, Standing>;
  /** Directories of packages that stand on the branch otherwise than published, see past-proposals.ts. */
  readonly changed: ReadonlySet<string>;
  /** Directories of packages whose newest revision nobody approved. */
  readonly unapproved: ReadonlySet<string>;
  /** Variants whose documents stand here, and what came of each. */
  readonly variants: readonly StandingVariant[];
  readonly stalled: readonly StalledVariant[];
  /** What waits for the limits of the forge, see limit-part.ts. */
  readonly limit: string;
  /** What came without a pull request, see direct-updates.ts. */
  readonly direct: string;
  /** Rollouts whose documents stand here, see rollout-body.ts. */
  readonly rollouts: string;
  readonly problems: readonly ConfigProblem[];
  /** Exceptions to guardrails, and what each is worth today. */
  readonly exemptions: readonly StandingExemption[];
  /** Refs that stand for a pause or for orders, and that Portico has not written. */
  readonly unsealed: readonly string[];
}
