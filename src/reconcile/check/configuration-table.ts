/** Pure: what a proposed configuration changes, for people: weaker settings first and in bold. */
import { notShown } from '../../text/counted.ts';
import { joined } from '../../text/joined.ts';
import { table } from '../../text/markdown.ts';
import { code, shownValue } from '../text/markdown-blocks.ts';
import type { ConfigurationChange } from './configuration-changes.ts';
import type { PowerApproval } from './power-check.ts';

/** What a proposed configuration changes of the one in effect. */
export interface ChangedConfig {
  /** Every setting that differs, those that weaken first. */
  readonly changes: readonly ConfigurationChange[];
  /** Who must approve what is weaker, and who of them has; absent where nothing is weaker or no one in particular is asked. */
  readonly approval?: PowerApproval | undefined;
  /** What comes of it for open proposals and other repositories, as Markdown. */
  readonly effects?: readonly string[];
}

/** Characters of one value. */
const MAX_VALUE = 200;
/** Characters shown ahead of the first that differs. */
const CONTEXT = 20;

/** The table, who must approve, and what comes of it elsewhere; `most` rows. */
export function changesText({ changes, approval, effects = [] }: ChangedConfig, most: number): string {
  if (changes.length === 0)
    return joined([
      'The configuration in effect stays the same: no setting or document changes.',
      ...effects,
    ]);
  const weaker = changes.some((one) => one.weaker);
  const rows = changes.slice(0, most).map(changeRow);
  return joined([
    weaker
      ? 'What is in effect before and after the merge; **bold: weaker than before**.'
      : 'What is in effect before and after the merge; nothing becomes weaker.',
    table(['setting', 'before', 'after'], rows),
    notShown(changes.length - most, 'setting'),
    ...effects,
    approval === undefined ? unasked(changes) : approvalText(approval),
  ]);
}

function changeRow({ field, before, after, weaker }: ConfigurationChange): string[] {
  const cells = [field, ...fromDifference(before, after)].map((text) => code(shownValue(text, MAX_VALUE)));
  return weaker ? cells.map((cell) => `**${cell}**`) : cells;
}

/** Where two long texts begin alike, what differs would be cut off. */
function fromDifference(before: string, after: string): readonly string[] {
  if (Math.max(before.length, after.length) <= MAX_VALUE) return [before, after];
  let at = 0;
  while (at < before.length && before[at] === after[at]) at += 1;
  const start = Math.max(0, at - CONTEXT);
  return [before, after].map((text) => (start === 0 ? text : `…${text.slice(start)}`));
}

function approvalText({ needed, by }: PowerApproval): string {
  const who = needed.join(' or ');
  if (by.length > 0)
    return `The configuration becomes weaker. Needs approval from ${who}: approved by ${by.map(code).join(', ')}.`;
  return `The configuration becomes weaker. Needs approval from ${who} who is not an author of it, with a review or \`/portico approve\`. If there is no one else, give another person that role; an admin can also push the change past the rules of the branch.`;
}

function unasked(changes: readonly ConfigurationChange[]): string {
  return changes.some((one) => one.weaker)
    ? 'The configuration becomes weaker, and `publish.weakeningApprovalBy` asks for no one in particular.'
    : '';
}

/** The first weaker setting, and how many there are: `publish.requireApprovals: 1 → 0, and 2 more`; '' for none. */
export function weakestText(changes: readonly ConfigurationChange[]): string {
  const [first, ...others] = changes.filter(({ weaker }) => weaker);
  if (first === undefined) return '';
  const { field, before, after } = first;
  const more = others.length > 0 ? `, and ${others.length} more` : '';
  const change = `${shownValue(field, 60)}: ${shownValue(before, 30)} → ${shownValue(after, 30)}`;
  return change.replaceAll(/\s+/g, ' ') + more;
}
