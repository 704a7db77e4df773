/** One command for many: what it is about, and its plan as it stands in an issue. */

import { isSameAccount } from '../../command/account.ts';
import { type BulkRequest, isMeant } from '../../command/bulk-request.ts';
import type { UpdateChoice } from '../../command/command-state.ts';
import type { Step } from '../../command/step.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { CommentSource } from '../comment-source.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { readKptfileAt } from '../repository/kptfile-at.ts';
import { loadProposal, rootPackages } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import { sealedComment, sealedRecords } from '../seal/sealed-comment.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';
import { leftOutText, planDigest, planText, type BulkItem, type BulkPlan } from './bulk-record.ts';
import { fleetItems } from './fleet-plan.ts';
import { updateChoices } from './update-choices.ts';

/** A plan with its results must fit into one comment: more are planned one part after the other. */
const MAX_ITEMS = 100;
const MAX_PLAN = 14_000;
/** The same for items in other repositories, which name content: with all results they still fit. */
const MAX_FLEET_PLAN = 25_000;

const KIND = 'bulk';

/** Writes the plan into the issue; a dry run is only told. */
export async function planBulk(
  { ports, access, signal }: RepositoryWork,
  source: CommentSource,
  asked: CommandRequest,
  { request, dryRun }: Extract<Step, { do: 'plan-bulk' }>,
): Promise<StepOutcome> {
  const { forge, git } = access;
  const [facts] = await Promise.all([forge.get(signal), git.fetch({}, signal)]);
  const { fleet } = request;
  const found =
    fleet === undefined
      ? { items: await itemsOf({ ports, access, facts, request, signal }), leftOut: [], unread: 0 }
      : await fleetItems({ ports, access, source, request: { ...request, fleet }, most: MAX_ITEMS, signal });
  if ('kind' in found) return found;
  const { items: all, leftOut, unread } = found;
  const notPlanned = leftOutText(leftOut);
  if (all.length === 0) {
    const hint =
      fleet === undefined
        ? 'Try another --match: a glob over package paths, or label=value.'
        : 'It is about open update pull requests in repositories that readers of this one may know.';
    return {
      kind: 'refused',
      message: `Nothing to ${request.action} matches ${code(request.match)}.`,
      hint: `${hint}\n\n${notPlanned}`.trim(),
    };
  }
  const items = fitting(all, fleet === undefined ? MAX_PLAN : MAX_FLEET_PLAN);
  const plan: BulkPlan = {
    request,
    login: asked.login,
    accountId: asked.accountId,
    comment: asked.id,
    items,
    results: {},
  };
  const total = all.length + unread;
  if (dryRun)
    return { kind: 'done', reply: [planText(plan, facts, total, true), notPlanned].join('\n\n').trim() };
  await writePlan({ ports, access, facts, issue: asked.number, plan, found: total, signal });
  return { kind: 'done', ...(notPlanned !== '' && { reply: notPlanned }) };
}

function fitting(items: readonly BulkItem[], most: number): BulkItem[] {
  let size = 0;
  return items.slice(0, MAX_ITEMS).filter((item) => {
    size += JSON.stringify(item).length;
    return size <= most;
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
  readonly facts: Pick<RepositoryFacts, 'id' | 'htmlUrl'>;
  readonly issue: number;
  readonly plan: BulkPlan;
  readonly found: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<void> {
  const sealed = sealedComment(KIND, placeOf(facts, issue), plan, ports.seals);
  // First, because what is too long is cut at the end.
  const body = [sealed, planText(plan, facts, found, false)].join('\n\n');
  await forge.upsertSticky(issue, `<!-- portico:${KIND} ${plan.comment} -->`, body, signal);
}

/**
 * The plan of a person in an issue that this comment confirmed before; else the one whose digest begins so, or the newest
 * that waits for confirmation.
 */
export async function planOf(
  { ports, access: { forge }, signal }: RepositoryWork<'app' | 'seals', 'forge'>,
  facts: Pick<RepositoryFacts, 'id'>,
  asked: Pick<CommandRequest, 'id' | 'number' | 'login' | 'accountId'>,
  named?: string,
): Promise<BulkPlan | undefined> {
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
      .filter((plan) => named === undefined || planDigest(plan).startsWith(named))
      .sort((a, b) => a.comment - b.comment)
      .at(-1)
  );
}

interface ItemsRequest extends RepositoryWork {
  readonly facts: RepositoryFacts;
  readonly request: BulkRequest;
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
  const choices = await updateChoices({ ports, access, signal }, { facts, config }, head, meant);
  return choices
    .filter(({ upstream }) => request.upstream === undefined || upstream.includes(request.upstream))
    .map((choice) => ({
      what: `${choice.package}: ${wishText(choice, request.to ?? 'latest')} of ${choice.upstream}`,
      line: `update ${quoted(choice.package)} ${request.to ?? 'latest'}`,
    }));
}

function wishText({ bySources, current }: UpdateChoice, to: string): string {
  return bySources === true ? to : upstreamText({ from: current, to });
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

function quoted(word: string): string {
  return /^[\w@./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function placeOf({ id }: Pick<RepositoryFacts, 'id'>, issue: number): string {
  return `${id}#${issue}`;
}
