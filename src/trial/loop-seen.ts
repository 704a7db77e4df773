/** What the life of a package came to. */
export interface LoopSeen {
  /** Names of the proposal's checks with their conclusions. */
  readonly checks: readonly (readonly [name: string, conclusion: string | null])[];
  readonly revision: Readonly<Record<'tag' | 'annotated' | 'ledger' | 'release', boolean>>;
  /** How the second revision was proposed downstream; null where it was not. */
  readonly update: string | null;
  /** What changed when Portico looked once more. */
  readonly rewritten: readonly string[];
}
