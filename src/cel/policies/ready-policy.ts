/** A policy that comes with Portico: off until a guardrail names it. */
import type { Policy } from '../policy.ts';

export type ParamType = 'text' | 'texts' | 'number' | 'boolean' | 'map of texts';

export interface Param {
  readonly type: ParamType;
  /** Null where absent. */
  readonly default?: unknown;
  readonly required?: boolean;
  /** For the documentation, a phrase. */
  readonly about: string;
}

export interface ReadyPolicy {
  /** What `policy:` says. */
  readonly name: string;
  /** What it demands, one sentence. */
  readonly demands: string;
  /** Why, or what it leaves alone; for the documentation. */
  readonly notes?: string;
  readonly params: Readonly<Record<string, Param>>;
  readonly policy: Policy;
}
