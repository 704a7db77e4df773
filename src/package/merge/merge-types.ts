import type { PackageFiles } from '../package.ts';
import type { Choice, Conflict } from './conflict.ts';

export const UPDATE_STRATEGIES = [
  'resource-merge',
  'fast-forward',
  'force-delete-replace',
  'copy-merge',
] as const;

export type UpdateStrategy = (typeof UPDATE_STRATEGIES)[number];

export interface MergeInput {
  /** The upstream revision that local was made from. */
  readonly base: PackageFiles;
  /** The upstream revision to move to. */
  readonly upstream: PackageFiles;
  readonly local: PackageFiles;
  /** Default resource-merge. */
  readonly strategy?: UpdateStrategy;
  /**
   * Which side a conflict takes; default upstream, as kpt does. A whole resource or file that one side deleted and the
   * other changed stays as local has it either way, also as kpt does.
   */
  readonly onConflict?: 'upstream' | 'local';
  /** Both are the same package: what it owns beside its upstream (portico-merge.yaml) is merged like the rest of it. */
  readonly samePackage?: boolean;
  /** Conflicts that somebody settled, by id: they take that side and are not reported again. */
  readonly decisions?: ReadonlyMap<string, Choice>;
}

/** Something that could not be merged structurally and was handled in a plainer way, or is worth saying. */
export interface MergeNote {
  readonly code: string;
  readonly file: string;
  readonly message: string;
}

export interface MergeResult {
  readonly files: PackageFiles;
  /** Paths whose content, mode or existence differs from local, sorted. */
  readonly changed: readonly string[];
  readonly conflicts: readonly Conflict[];
  readonly notes: readonly MergeNote[];
  /** Ids among the decisions that no conflict has. */
  readonly strayDecisions: readonly string[];
}
