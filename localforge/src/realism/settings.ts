import { ForgeError } from '../error.ts';
import type { PointLimits } from '../point-limits.ts';

/** Something that comes late, or is refused for a while. */
export interface Delay {
  /** How often, from 0 to 1. */
  readonly share: number;
  /** Milliseconds, at most; each time a random part of it. */
  readonly ms: number;
}

/** Something that happens or not. */
export interface Chance {
  /** How often, from 0 to 1. */
  readonly share: number;
}

/** What GitHub does and a simple forge does not: each may be changed while the forge runs; null is off. */
export interface Behaviours {
  /** Between a push and the `refs/pull/N/head` that follows it. */
  pullRefLag: Delay | null;
  /** Before `mergeable` is known. */
  mergeabilityLag: Delay | null;
  /** Before the check suites of a push are made and told of. */
  checkSuiteLag: Delay | null;
  /** A new installation token is refused for so long. */
  freshTokens: Delay | null;
  /** `updated_at` of a new comment is a second after `created_at`, though nobody edited it. */
  movedTimes: Chance | null;
  /** Optional fields of webhooks are null. */
  nulls: Chance | null;
  /** A merge is refused with 405 for a reason that passes. */
  transientMerges: Chance | null;
  /** Before each step of GitHub Actions: the suite of a workflow's run, its jobs' check runs, their beginning, their end. */
  actionsLag: Delay | null;
  /** Until Flux has fetched what was pushed, and from there until it knows what became of it. */
  fluxLag: Delay | null;
  /** The same of Argo CD. */
  argoLag: Delay | null;
}

/** The behaviours, and what their chances are drawn from. */
export interface Realism extends Behaviours {
  /** The same seed draws the same chances. */
  readonly seed: number;
}

/**
 * How a forge is to be realistic: a seed, or a seed with behaviours in place of the usual ones. `pace` multiplies their
 * times: 1 is about what people have seen of GitHub, tests take a hundredth.
 */
export type RealisticOption =
  | number
  | (Partial<Behaviours> & { readonly seed: number; readonly pace?: number });

type LagName = {
  [Name in keyof Behaviours]: Behaviours[Name] extends Delay | null ? Name : never;
}[keyof Behaviours];

/** Behaviours that take time, which `pace` multiplies. */
const LAGS: Readonly<Record<LagName, true>> = {
  pullRefLag: true,
  mergeabilityLag: true,
  checkSuiteLag: true,
  freshTokens: true,
  actionsLag: true,
  fluxLag: true,
  argoLag: true,
};

/** As seen of GitHub; localforge/README.md has the sources. */
const USUAL: Behaviours = {
  pullRefLag: { share: 0.5, ms: 4_000 },
  mergeabilityLag: { share: 0.8, ms: 3_000 },
  checkSuiteLag: { share: 0.5, ms: 5_000 },
  freshTokens: { share: 0.3, ms: 2_500 },
  movedTimes: { share: 0.3 },
  nulls: { share: 0.3 },
  transientMerges: { share: 0.2 },
  actionsLag: { share: 1, ms: 8_000 },
  fluxLag: { share: 1, ms: 15_000 },
  argoLag: { share: 1, ms: 15_000 },
};

/** Every behaviour off. */
const OFF: Behaviours = {
  pullRefLag: null,
  mergeabilityLag: null,
  checkSuiteLag: null,
  freshTokens: null,
  movedTimes: null,
  nulls: null,
  transientMerges: null,
  actionsLag: null,
  fluxLag: null,
  argoLag: null,
};

/** GitHub's limits of points (`Knobs.points`), over a minute of that pace; none where the forge is not realistic. */
export function pointsOf(option: RealisticOption | false | undefined): PointLimits | null {
  if (option === undefined || option === false) return null;
  const pace = typeof option === 'number' ? 1 : (option.pace ?? 1);
  return { rest: 900, graphql: 2_000, atOnce: 100, seconds: 60 * pace };
}

/** Reads the option. @throws ForgeError FORGE_CONFIG for a seed that is no whole number */
export function realismOf(option: RealisticOption | false | undefined): Realism {
  if (option === undefined || option === false) return { seed: 0, ...OFF };
  const { seed, pace = 1, ...chosen } = typeof option === 'number' ? { seed: option } : option;
  if (!Number.isSafeInteger(seed)) {
    throw new ForgeError('FORGE_CONFIG', 'The seed of the realistic mode is not a whole number.', {
      hint: 'Give a number such as 1.',
    });
  }
  const usual: Behaviours = { ...USUAL };
  for (const name of Object.keys(LAGS) as LagName[]) {
    const lag = usual[name];
    if (lag !== null) usual[name] = { ...lag, ms: lag.ms * pace };
  }
  return { seed, ...usual, ...chosen };
}
