import type { ResourceRef } from '../package.ts';

export type Side = 'upstream' | 'local';

/**
 * One place that both sides changed, each to something else. `undefined` stands for absent. The result holds the
 * value of `taken` until somebody settles it.
 */
export interface Conflict {
  /** Stable for the same file, resource, path and three values. */
  readonly id: string;
  readonly file: string;
  /** Null where the conflict is about a whole file that is no resource. */
  readonly resource: ResourceRef | null;
  /** Readable field path, such as `spec.template.spec.containers[name=web].image`; '' is the whole resource or file. */
  readonly path: string;
  readonly base: unknown;
  readonly upstream: unknown;
  readonly local: unknown;
  readonly taken: Side;
  /** 1-based line in the merged file where the value stands, if it stands anywhere. */
  readonly line?: number;
}
