import { PUBLICATION_CHECK } from './check-names.ts';
import { code, table } from './markdown-blocks.ts';
import type { CheckInput, CommitInfo } from './ports.ts';

/** Pure: what the head of the registered branch says about packages that came to it past any proposal. */
export function publicationCheck(head: string, flagged: ReadonlyMap<string, CommitInfo>): CheckInput {
  const names = [...flagged.keys()].join(', ');
  const rows = [...flagged].map(([path, { oid }]) => [code(path), code(oid.slice(0, 7))]);
  return {
    name: PUBLICATION_CHECK,
    headSha: head,
    externalId: head,
    status: 'completed',
    conclusion: 'neutral',
    title: `Not published: ${names}`,
    summary: [
      'These packages are not published as they stand here: they did not come by a proposal.',
      table(['package', 'pushed as'], rows),
      'A proposal that changes the package publishes it with what was pushed. To publish pushes by themselves, set `publish.directPushes: publish` in `.github/portico.yaml`.',
    ].join('\n\n'),
  };
}
