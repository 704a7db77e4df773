import type { ResourceRef } from '../package.ts';

export type Side = 'upstream' | 'local';

/** What a conflict is settled for; `both` counts only for conflicts that offer it. */
export type Choice = Side | 'both';

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
  /** The values are a stretch of lines of the text, or of items of the list: the rest of it was merged. */
  readonly part?: true;
  /** Both sides only added something here, so both may stay: upstream's, then local's. */
  readonly both?: true;
  /** Other fields that this one excludes, so that they follow its side. */
  readonly also?: readonly FollowingField[];
  /** 1-based line in the merged file where the value stands, if it stands anywhere. */
  readonly line?: number;
}

/** A field that is settled with another one. */
export interface FollowingField {
  readonly path: string;
  readonly base: unknown;
  readonly upstream: unknown;
  readonly local: unknown;
}

/** What the two sides did, as a part of a sentence. A record without values says no more than that both did something. */
export function conflictStory({
  base,
  upstream,
  local,
  part,
}: Pick<Conflict, 'base' | 'upstream' | 'local' | 'part'>):
  | 'added on both sides'
  | 'changed on both sides'
  | 'deleted upstream, changed here'
  | 'deleted here, changed upstream' {
  const isNothing = (value: unknown): boolean =>
    value === undefined || (part === true && (value === '' || (Array.isArray(value) && value.length === 0)));
  const [o, u, d] = [base, upstream, local].map(isNothing);
  if (u !== d) return u === true ? 'deleted upstream, changed here' : 'deleted here, changed upstream';
  return o === true && u === false ? 'added on both sides' : 'changed on both sides';
}
