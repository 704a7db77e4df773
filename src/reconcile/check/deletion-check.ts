import { DELETION_CHECK } from '../check-names.ts';
import { code } from '../text/markdown-blocks.ts';
import type { CheckContent } from './check-content.ts';

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
      title: 'Resources stay where a package is removed',
      summary: `${names} would be no package any more, and these files would stay, where no guardrail looks at them:\n\n${files.join('\n')}\n\nRemove them too, or keep the Kptfile.`,
    };
  }
  if (users.length === 0) {
    return {
      name: DELETION_CHECK,
      conclusion: 'success',
      title: 'Nothing known is made from what is removed',
      summary: `${names}: removed from the branch by the merge. The tags stay.`,
    };
  }
  return {
    name: DELETION_CHECK,
    conclusion: 'failure',
    title: `${users.length === 1 ? 'A package is' : `${users.length} packages are`} made from what is removed`,
    summary: `${names} is the upstream of:\n\n${users.map((user) => `- ${user}`).join('\n')}\n\nMove them to another upstream, or remove them, first; then \`/portico render\` looks again.`,
  };
}
