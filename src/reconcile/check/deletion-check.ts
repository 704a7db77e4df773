import { DELETION_CHECK } from '../check-names.ts';
import { code } from '../text/markdown-blocks.ts';
import type { CheckContent } from './check-content.ts';

/** Users of the removed package that the check lists. */
const MAX_LISTED = 20;

/** What the check says on a proposal that removes packages. */
export function deletionCheck(
  removed: readonly string[],
  users: readonly string[],
  left: readonly string[],
): CheckContent {
  const names = removed.map(code).join(', ');
  if (left.length > 0) {
    const more = left.length - MAX_LISTED;
    const files = [
      ...left.slice(0, MAX_LISTED).map((path) => `- ${code(path)}`),
      ...(more > 0 ? [`- ${more} more`] : []),
    ];
    return {
      name: DELETION_CHECK,
      conclusion: 'failure',
      title: 'Files remain where a package is removed',
      summary: `${names} would no longer be a package, but these files would remain, and no guardrail would check them:\n\n${files.join('\n')}\n\nRemove them too, or keep the Kptfile.`,
    };
  }
  if (users.length === 0) {
    return {
      name: DELETION_CHECK,
      conclusion: 'success',
      title: 'No known package depends on what is removed',
      summary: `The merge removes ${names} from the branch. The tags stay.`,
    };
  }
  return {
    name: DELETION_CHECK,
    conclusion: 'failure',
    title: `${users.length === 1 ? '1 package depends' : `${users.length} packages depend`} on what is removed`,
    summary: `${names} is the upstream of:\n\n${users.map((user) => `- ${user}`).join('\n')}\n\nMove them to another upstream, or remove them, first. Then run \`/portico render\` to check again.`,
  };
}
