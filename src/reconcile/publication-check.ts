import { PUBLICATION_CHECK } from './check-names.ts';
import type { CheckInput } from './forge-port.ts';
import type { CommitInfo } from './git-port.ts';
import { code, table } from './markdown-blocks.ts';

const MOST_ROWS = 100;

/** Pure: what the head of the registered branch says about packages that came to it past any proposal. */
export function publicationCheck(head: string, flagged: ReadonlyMap<string, CommitInfo>): CheckInput {
  const rows = [...flagged].map(([path, { oid }]) => [code(path), code(oid.slice(0, 7))]);
  const more = rows.length > MOST_ROWS ? [`${rows.length - MOST_ROWS} more are not shown.`] : [];
  return {
    name: PUBLICATION_CHECK,
    headSha: head,
    externalId: head,
    status: 'completed',
    conclusion: 'neutral',
    title: `Not published: ${[...flagged.keys()].join(', ')}`,
    summary: [
      'These packages are not published as they stand here: they did not come by a proposal.',
      table(['package', 'pushed as'], rows.slice(0, MOST_ROWS)),
      ...more,
      'A proposal that changes the package publishes it with what was pushed. To publish pushes by themselves, set `publish.directPushes: publish` in `.github/portico.yaml`.',
    ].join('\n\n'),
  };
}

/** The same once all of it is published. */
export function publishedCheck(head: string): CheckInput {
  return {
    name: PUBLICATION_CHECK,
    headSha: head,
    externalId: head,
    status: 'completed',
    conclusion: 'success',
    title: 'Everything is published',
    summary: 'Every package on the branch is published as it stands here.',
  };
}
