/**
 * How real the local forge is in end-to-end tests: late, out of step and refusing for a moment, as GitHub has been seen to be
 * (localforge/README.md), with times a hundredth as long. `FORGE_SEED` chooses what its chances are drawn from.
 */
export const SEED = Number(process.env['FORGE_SEED'] ?? '1');

export const REALISTIC = { seed: SEED, pace: 0.01 } as const;

/** The bot's pauses, as much shorter. */
export const RETRY_MS = 5;
