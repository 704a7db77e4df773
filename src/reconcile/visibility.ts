import type { RepositoryFacts } from './forge-port.ts';

const FROM_OPEN_TO_CLOSED: readonly RepositoryFacts['visibility'][] = ['public', 'internal', 'private'];

/** Pure: content, and even a name, goes only where as few people can read it as where it comes from. */
export function mayFlow(
  from: Pick<RepositoryFacts, 'visibility'>,
  to: Pick<RepositoryFacts, 'visibility'>,
): boolean {
  return FROM_OPEN_TO_CLOSED.indexOf(from.visibility) <= FROM_OPEN_TO_CLOSED.indexOf(to.visibility);
}
