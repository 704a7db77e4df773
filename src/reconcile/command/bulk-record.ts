/** Pure: the plan of one command for many as a record, and as people read it. */
import type { BulkRequest } from '../../command/bulk-request.ts';
import { digestOf, shortDigest } from '../../revision/digest.ts';
import { counted, isOrAre } from '../../text/counted.ts';
import { shorten } from '../../text/cut-text.ts';
import { table } from '../../text/markdown.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import { code, foreignSentence, sentence, tableUpTo } from '../text/markdown-blocks.ts';

export interface BulkItem {
  /** Another repository that it is in, and its `owner/name`. */
  readonly repository?: number;
  readonly name?: string;
  /** Pull request that the command is said in; absent: in the issue. */
  readonly pull?: number;
  /** Head of it when the plan was made. */
  readonly head?: string;
  /** The content that the plan is about, where it is in another repository. */
  readonly digest?: string;
  /** For people: the packages. */
  readonly what: string;
  /** The command, without the prefix. */
  readonly line: string;
}

export interface BulkResult {
  readonly outcome: 'done' | 'refused' | 'failed';
  readonly text: string;
}

export interface BulkPlan {
  readonly request: BulkRequest;
  readonly login: string;
  /** The forge's number of that account; absent in plans that were made before it was kept. */
  readonly accountId?: number | undefined;
  /** The comment that asked for the plan. */
  readonly comment: number;
  readonly items: readonly BulkItem[];
  /** By place of the item. */
  readonly results: Readonly<Record<number, BulkResult>>;
  /** The comment that confirmed it. */
  readonly confirmed?: number;
}

/** Characters of a result, and of all results: a plan with all of them must fit into one comment. */
const MAX_TEXT_LENGTH = 300;
const MAX_TEXTS_LENGTH = 8_000;
/** Pull requests that the answer to a plan names as left out, and characters of the reason of each. */
const MAX_LEFT_OUT = 50;
const MAX_WHY = 300;

/** What a plan is called when it is confirmed: of everything that it says before anything is done. */
export function planDigest({ request, login, comment, items }: BulkPlan): string {
  return digestOf('portico bulk plan 1', { request, login, comment, items }).replace(/^sha256:/, '');
}

/** The command that runs a plan: one about other repositories is named by its digest. */
export function confirmation(plan: BulkPlan): string {
  return plan.request.fleet === undefined
    ? '/portico confirm'
    : `/portico confirm ${planDigest(plan).slice(0, 12)}`;
}

/** A result as a plan of so many items keeps it. */
export function shortResult({ outcome, text }: BulkResult, items: number): BulkResult {
  const most = Math.min(MAX_TEXT_LENGTH, Math.floor(MAX_TEXTS_LENGTH / items));
  return { outcome, text: shorten(sentence(text), most) };
}

/** How far a plan is; a dry run only says what would be done. */
export function planText(
  plan: BulkPlan,
  facts: Pick<RepositoryFacts, 'htmlUrl'>,
  found: number,
  dryRun: boolean,
): string {
  const { items, results, login, confirmed, request } = plan;
  const isFleet = request.fleet !== undefined;
  const rows = items.map((item, at) => {
    const result = results[at];
    const { what, line, digest = '' } = item;
    return [
      String(at + 1),
      ...(isFleet ? [linkOf(item, facts), code(what), code(shortDigest(digest))] : [code(what)]),
      code(line),
      result === undefined ? (confirmed === undefined ? '' : '…') : MARKS[result.outcome],
      result?.text ?? '',
    ];
  });
  const state = dryRun
    ? 'This is a dry run: nothing will be done.'
    : confirmed === undefined
      ? `To run it, ${code(login)} comments \`${confirmation(plan)}\` in this issue. Rights${isFleet ? ' in each repository' : ''} and checks are verified for each item at that time${isFleet ? ', and what has changed by then is left out' : ''}.`
      : progressText(Object.values(results), items.length);
  const left = found - items.length;
  return [
    `Plan: ${code(plan.request.action)} for ${items.length} of ${found} that match ${code(plan.request.match)}. ${state}`,
    ...(left > 0 && confirmed === undefined
      ? [`Run the command again for the remaining ${left} once these are done.`]
      : []),
    table(['', ...(isFleet ? ['pull request', 'packages', 'content'] : ['item']), 'command', '', ''], rows),
  ].join('\n\n');
}

function progressText(results: readonly BulkResult[], items: number): string {
  const done = results.filter(({ outcome }) => outcome === 'done').length;
  if (done === items) return '**All items are done.**';
  const failed = results.length - done;
  const rest = failed === 0 ? '' : `, ${failed} could not be done`;
  return `**${done} of ${counted(items, 'item')} ${isOrAre(items)} done${rest}.**`;
}

/** The page of the pull request; whoever approves for many looks at some. */
function linkOf({ name = '', pull = 0 }: BulkItem, { htmlUrl }: Pick<RepositoryFacts, 'htmlUrl'>): string {
  const forge = htmlUrl.split('/').slice(0, -2).join('/');
  return `[${code(`${name}#${pull}`)}](${forge}/${name}/pull/${pull})`;
}

const MARKS: Record<BulkResult['outcome'], string> = { done: '🚀', refused: '😕', failed: '👎' };

/** '' where nothing is left out. */
export function leftOutText(leftOut: readonly { readonly name: string; readonly why: string }[]): string {
  if (leftOut.length === 0) return '';
  const rows = leftOut.map(({ name, why }) => [code(name), foreignSentence(shorten(why, MAX_WHY))]);
  const intro = `${counted(leftOut.length, 'pull request')} ${isOrAre(leftOut.length)} not in the plan:`;
  return `${intro}\n\n${tableUpTo(MAX_LEFT_OUT, ['pull request', 'why'], rows)}`;
}
