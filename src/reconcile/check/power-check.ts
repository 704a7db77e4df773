/** Pure: the check that says what a proposal lets its packages do that they could not do before. */

import { powerMarkdown } from '../../package/power/power-markdown.ts';
import type { PowerChange, PowerDiff } from '../../package/power/power-types.ts';
import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import { counted } from '../../text/counted.ts';
import { shorten } from '../../text/cut-text.ts';
import { joined } from '../../text/joined.ts';
import { POWER_CHECK } from '../check-names.ts';
import type { CheckAnnotation } from '../forge/checks.ts';
import { code } from '../text/markdown-blocks.ts';
import { placed, type CheckContent } from './check-content.ts';

/** The permission diff of one touched package. */
export interface PackagePower {
  readonly path: string;
  /** From the top of the repository. */
  readonly directory: RepositoryDirectory;
  readonly diff: PowerDiff;
}

/** Who must approve where power grows, and who of them has. Absent where the configuration asks for nobody. */
export interface PowerApproval {
  /** As the configuration names them. */
  readonly needed: readonly string[];
  readonly by: readonly string[];
}

/** True where a package permits more than before, or where nobody can tell. */
export function mayGrow({ grown, unread }: PowerDiff): boolean {
  return grown || unread.length > 0;
}

/** Absent where nothing changes. A draft waits like a proposal: it becomes one without another look. */
export function powerCheck(
  powers: readonly PackagePower[],
  approval: PowerApproval | undefined,
): CheckContent | undefined {
  const changed = powers.filter(({ diff }) => diff.changes.length > 0 || diff.unread.length > 0);
  if (changed.length === 0) return undefined;
  const wider = changed.flatMap((one) =>
    one.diff.changes.filter(({ direction }) => direction === 'wider').map((change) => ({ one, change })),
  );
  const grows = changed.some(({ diff }) => mayGrow(diff));
  const missing = grows && approval !== undefined && approval.by.length === 0;
  const { annotations, rest } = placed(wider.map(({ one, change }) => annotation(one, change)));
  return {
    name: POWER_CHECK,
    conclusion: !grows ? 'success' : missing ? 'action_required' : 'neutral',
    title: titleOf(
      wider.map(({ change }) => change),
      changed,
      missing ? (approval?.needed ?? []) : [],
    ),
    summary: joined([
      'What the packages may do once they are applied, compared with their newest revision, or with nothing if none is published: ▲ gains a privilege, ▼ loses one.',
      !grows || approval === undefined ? '' : approvalLine(approval, wider.length > 0),
      ...changed.map(({ path, diff }) => `**${code(path)}**\n\n${powerMarkdown(diff)}`),
    ]),
    ...(rest !== '' && { text: rest }),
    annotations,
  };
}

function titleOf(
  wider: readonly PowerChange[],
  changed: readonly PackagePower[],
  missing: readonly string[],
): string {
  const unread = changed.flatMap(({ diff }) => diff.unread).length;
  if (wider.length === 0 && unread === 0) return 'Privileges shrink';
  // What has to be looked at twice is named first.
  const dangerous = wider.filter(({ danger }) => danger !== undefined);
  const [first] = [...dangerous, ...wider];
  const others = wider.length > 1 ? `, and ${wider.length - 1} more` : '';
  const more = first === undefined ? [] : [`${shorten(`▲ ${first.who}: ${first.what}`, 180)}${others}`];
  const unknown =
    unread > 0
      ? [`${more.length > 0 ? 'unknown' : 'Unknown'}: ${counted(unread, 'file')} cannot be read`]
      : [];
  const ask = missing.length > 0 ? [`needs approval from ${missing.join(' or ')}`] : [];
  return [...more, ...unknown, ...ask].join('; ');
}

function approvalLine({ needed, by }: PowerApproval, grown: boolean): string {
  const who = needed.join(' or ');
  const what = grown ? 'Privileges grow' : 'Privileges are unknown';
  return by.length > 0
    ? `${what}. Needs approval from ${who}: approved by ${by.map(code).join(', ')}.`
    : `${what}. Needs approval from ${who}, with a review or \`/portico approve\`.`;
}

function annotation({ directory }: PackagePower, change: PowerChange): CheckAnnotation {
  const { who, what, danger, file, line, column } = change;
  return {
    path: fileIn(directory, file),
    startLine: line,
    endLine: line,
    startColumn: column,
    endColumn: column,
    level: danger === undefined ? 'notice' : 'warning',
    title: `▲ ${who}`,
    message: danger === undefined ? what : `${what} (${danger})`,
  };
}
