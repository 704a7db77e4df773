import { PUBLICATION_CHECK } from './check-names.ts';
import type { CheckInput } from './forge-port.ts';
import type { CommitInfo } from './git-port.ts';
import { code, table } from './markdown-blocks.ts';

const MOST_ROWS = 100;

/**
 * Pure: what the head of the registered branch says about packages that came to it past any proposal, and about those
 * whose revision could not be made (path → why, as Markdown).
 */
export function publicationCheck(
  head: string,
  flagged: ReadonlyMap<string, CommitInfo>,
  refused: ReadonlyMap<string, string>,
): CheckInput {
  const names = [...new Set([...refused.keys(), ...flagged.keys()])];
  const past = [...flagged].map(([path, { oid }]) => [code(path), code(oid.slice(0, 7))]);
  const wrong = [...refused].map(([path, why]) => [code(path), why]);
  return {
    name: PUBLICATION_CHECK,
    headSha: head,
    externalId: head,
    status: 'completed',
    conclusion: refused.size > 0 ? 'failure' : 'neutral',
    title: `Not published: ${names.join(', ')}`,
    summary: [
      ...(wrong.length === 0
        ? []
        : ['These packages could not be published:', rows(['package', 'why'], wrong)]),
      ...(past.length === 0 ? [] : [PAST, rows(['package', 'pushed as'], past), REMEDY]),
    ].join('\n\n'),
  };
}

const PAST = 'These packages are not published as they stand here: they did not come by a proposal.';
const REMEDY =
  'A proposal that changes the package publishes it with what was pushed. To publish pushes by themselves, set `publish.directPushes: publish` in `.github/portico.yaml`.';

function rows(heads: readonly string[], all: readonly (readonly string[])[]): string {
  const more = all.length > MOST_ROWS ? `\n\n${all.length - MOST_ROWS} more are not shown.` : '';
  return `${table(heads, all.slice(0, MOST_ROWS))}${more}`;
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
