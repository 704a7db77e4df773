/** Pure: which update comes with which, and which first. */
import { matchesGlob } from './glob.ts';
import type { UpdateGroup, UpdatePolicy } from './repository-config.ts';

/** The group that a package is updated with; undefined where it has a pull request of its own. */
export function groupOf(
  { groups = [] }: Pick<UpdatePolicy, 'groups'>,
  path: string,
): UpdateGroup | undefined {
  return groups.find(({ packages }) => matchesGlob(path, packages));
}

/** The place of a package in the order of updates, from 0; Infinity where nobody gave it one. */
export function priorityOf({ priority = [] }: Pick<UpdatePolicy, 'priority'>, path: string): number {
  const at = priority.findIndex((glob) => matchesGlob(path, [glob]));
  return at < 0 ? Number.POSITIVE_INFINITY : at;
}
