/** One command for many: the plan as it stands in an issue, with how far it is. */

import { isSameAccount } from '../../command/account.ts';
import { type BulkRequest, isMeant } from '../../command/bulk-request.ts';
import type { Step } from '../../command/step.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import { loadProposal, rootPackages } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { sealedComment, sealedRecords } from '../seal/sealed-comment.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { code, sentence, table } from '../text/markdown-blocks.ts';
import { updateChoices } from './update-choices.ts';

export interface BulkItem {
  /** Pull request that the command is said in; absent: in the issue. */
  readonly pull?: number;
  /** Head of it when the plan was made. */
  readonly head?: string;
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

/** A plan with its results must fit into one comment: more are planned one part after the other. */
const MAX_ITEMS = 100;
const MAX_PLAN = 14_000;
const MAX_TEXT_LENGTH = 80;

const KIND = 'bulk';

/** Writes the plan into the issue; a dry run is only told. */
export async function planBulk({
  ports,
  access,
  asked,
  step: { request, dryRun },
  signal,
}: {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly asked: CommandRequest;
  readonly step: Extract<Step, { do: 'plan-bulk' }>;
  readonly signal?: AbortSignal | undefined;
}): Promise<StepOutcome> {
  const { forge, git } = access;
  const [facts] = await Promise.all([forge.get(signal), git.fetch({}, signal)]);
  const all = await itemsOf({ ports, access, facts, request, signal });
  if (all.length === 0) {
    return {
      kind: 'refused',
      message: `Nothing to ${request.action} here matches ${code(request.match)}.`,
      hint: 'Try another --match: a glob over package paths, or label=value.',
    };
  }
  const items = fitting(all);
  const plan: BulkPlan = {
    request,
    login: asked.login,
    accountId: asked.accountId,
    comment: asked.id,
    items,
    results: {},
  };
  if (dryRun) return { kind: 'done', reply: planText(plan, all.length, true) };
  await writePlan({ ports, access, facts, issue: asked.number, plan, found: all.length, signal });
  return { kind: 'done' };
}

/** A result as the plan keeps it. */
export function shortResult(outcome: BulkResult['outcome'], text: string): BulkResult {
  const flat = sentence(text);
  return { outcome, text: flat.length > MAX_TEXT_LENGTH ? `${flat.slice(0, MAX_TEXT_LENGTH - 1)}…` : flat };
}

function fitting(items: readonly BulkItem[]): BulkItem[] {
  let size = 0;
  return items.slice(0, MAX_ITEMS).filter((item) => {
    size += JSON.stringify(item).length;
    return size <= MAX_PLAN;
  });
}

/** Makes the comment say what the plan is and how far it is. */
export async function writePlan({
  ports,
  access: { forge },
  facts,
  issue,
  plan,
  found,
  signal,
}: {
  readonly ports: Pick<Ports, 'seals'>;
  readonly access: Pick<RepositoryAccess, 'forge'>;
  readonly facts: Pick<RepositoryFacts, 'id'>;
  readonly issue: number;
  readonly plan: BulkPlan;
  readonly found: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const sealed = sealedComment(KIND, placeOf(facts, issue), plan, ports.seals);
  // First, because what is too long is cut at the end.
  const body = [sealed, planText(plan, found, false)].join('\n\n');
  await forge.upsertSticky(issue, `<!-- portico:${KIND} ${plan.comment} -->`, body, signal);
}

/** The newest plan of a person in an issue, or the one that this comment confirmed before. */
export async function planOf({
  ports,
  access: { forge },
  facts,
  asked,
  signal,
}: {
  readonly ports: Pick<Ports, 'app' | 'seals'>;
  readonly access: Pick<RepositoryAccess, 'forge'>;
  readonly facts: Pick<RepositoryFacts, 'id'>;
  readonly asked: Pick<CommandRequest, 'id' | 'number' | 'login' | 'accountId'>;
  readonly signal?: AbortSignal | undefined;
}): Promise<BulkPlan | undefined> {
  const comments = await forge.listComments(asked.number, signal);
  const place = placeOf(facts, asked.number);
  // The seal says that this is what we wrote.
  const plans = (await sealedRecords({ ports, forge, kind: KIND, place, comments, signal })) as BulkPlan[];
  const own = plans.filter(({ login, accountId: id }) =>
    isSameAccount({ login, id }, { login: asked.login, id: asked.accountId }),
  );
  return (
    own.find(({ confirmed }) => confirmed === asked.id) ??
    own
      .filter(({ confirmed }) => confirmed === undefined)
      .sort((a, b) => a.comment - b.comment)
      .at(-1)
  );
}

interface ItemsRequest {
  readonly ports: Ports;
  readonly access: RepositoryAccess;
  readonly facts: RepositoryFacts;
  readonly request: BulkRequest;
  readonly signal: AbortSignal | undefined;
}

async function itemsOf(wanted: ItemsRequest): Promise<BulkItem[]> {
  const { access, facts, request, signal } = wanted;
  return request.action === 'update' || request.action === 'rollback'
    ? packageItems(wanted)
    : pullItems(access, facts, request, signal);
}

async function packageItems({ ports, access, facts, request, signal }: ItemsRequest): Promise<BulkItem[]> {
  const { git } = access;
  const found = await openRegistered(access, { facts, isFetched: true }, signal);
  if (found.kind === 'none') return [];
  const { config, head } = found;
  const meant: { path: string; directory: RepositoryDirectory }[] = [];
  for (const { path, directory } of await rootPackages(access, head, config.directory, signal)) {
    const labels = (await readKptfileAt(git, head, directory, signal)).kptfile?.labels ?? {};
    if (isMeant(request, { path, labels })) meant.push({ path, directory });
  }
  if (request.action === 'rollback') {
    return meant.map(({ path }) => ({
      what: path,
      line: `rollback ${quoted(`${path}@${request.to ?? ''}`)}`,
    }));
  }
  const choices = await updateChoices({
    ports,
    access,
    repository: { facts, config },
    commit: head,
    packages: meant,
    signal,
  });
  return choices
    .filter(({ upstream }) => request.upstream === undefined || upstream.includes(request.upstream))
    .map((choice) => ({
      what: `${choice.package}: ${choice.current ?? 'somewhere'} → ${request.to ?? 'latest'} of ${choice.upstream}`,
      line: `update ${quoted(choice.package)} ${request.to ?? 'latest'}`,
    }));
}

async function pullItems(
  access: RepositoryAccess,
  facts: RepositoryFacts,
  request: BulkRequest,
  signal: AbortSignal | undefined,
): Promise<BulkItem[]> {
  const items: BulkItem[] = [];
  for (const { number, draft } of await access.forge.listOpenPulls(signal)) {
    if (request.action !== 'close' && draft !== (request.action === 'propose')) continue;
    const loaded = await loadProposal(access, number, {}, signal);
    if (loaded.kind === 'none') continue;
    const { packages, head, pull } = loaded.snapshot;
    if (pull.headRepositoryId !== facts.id && request.action !== 'close') continue;
    const labels = await Promise.all(
      packages.map(
        async ({ directory }) =>
          (await readKptfileAt(access.git, head.oid, directory, signal)).kptfile?.labels,
      ),
    );
    // A proposal is meant where all that it touches is: nobody approves more than was named.
    const all = packages.every(({ path }, at) => isMeant(request, { path, labels: labels[at] ?? {} }));
    if (packages.length === 0 || !all) continue;
    const what = packages.map(({ path }) => path).join(', ');
    items.push({ pull: number, head: head.oid, what: `#${number}: ${what}`, line: request.action });
  }
  return items;
}

function planText(plan: BulkPlan, found: number, dryRun: boolean): string {
  const { items, results, login, confirmed } = plan;
  const done = Object.keys(results).length;
  const rows = items.map(({ what, line }, at) => {
    const result = results[at];
    return [
      String(at + 1),
      code(what),
      code(line),
      result === undefined ? (confirmed === undefined ? '' : '…') : MARKS[result.outcome],
      result?.text ?? '',
    ];
  });
  const state = dryRun
    ? 'This is a dry run: nothing will be done.'
    : confirmed === undefined
      ? `To run it, ${code(login)} comments \`/portico confirm\` in this issue. Rights and checks are verified for each item at that time.`
      : done === items.length
        ? '**All items are done.**'
        : `**${done} of ${items.length}** items are done.`;
  const left = found - items.length;
  return [
    `Plan: ${code(plan.request.action)} for ${items.length} of ${found} that match ${code(plan.request.match)}. ${state}`,
    ...(left > 0 && confirmed === undefined
      ? [`Run the command again for the remaining ${left} once these are done.`]
      : []),
    table(['', 'item', 'command', '', ''], rows),
  ].join('\n\n');
}

const MARKS: Record<BulkResult['outcome'], string> = { done: '🚀', refused: '😕', failed: '👎' };

function quoted(word: string): string {
  return /^[\w@./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function placeOf({ id }: Pick<RepositoryFacts, 'id'>, issue: number): string {
  return `${id}#${issue}`;
}
