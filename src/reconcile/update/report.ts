/** What the forge is told of an update whose branch was pushed; without a pull request, it is brought to the registered branch. */
import { repositoryName } from '../../catalog/catalog.ts';
import { pathInRepository } from '../../revision/package-path.ts';
import { upstreamText } from '../../text/revision-text.ts';
import type { VariantTarget } from '../downstream/downstream.ts';
import type { Withheld } from '../downstream/update-target.ts';
import type { Ports } from '../ports.ts';
import { DASHBOARD_TITLE } from '../repository/dashboard-news.ts';
import { mayFlow, mayKnow } from '../repository/visibility.ts';
import { code, commitLink } from '../text/markdown-blocks.ts';
import { planTitle } from './body.ts';
import type { ByPull } from './direct-commit.ts';
import { bringDirectly, type Arrived } from './direct.ts';
import { tellOfRetarget } from './news.ts';
import type { VariantOutcome } from './outcome.ts';
import type { UpdatePlan } from './plan.ts';
import type { Prepared, UpdateMemory } from './prepare.ts';
import { openOrRefresh, upsertBlockedNotice } from './pull.ts';
import type { Staged } from './push.ts';
import { heldByOthers, type UpdateQuota } from './quota.ts';
import type { Route } from './route.ts';

/** Says on the forge what was pushed, and fills in what came of each package. */
export async function reportOnForge({
  ports,
  prepared: { plan, staged, outcomes, route = { kind: 'usual' } },
  memory,
  quota,
  signal,
}: {
  readonly ports: Ports;
  readonly prepared: Prepared;
  readonly memory: UpdateMemory;
  readonly quota: UpdateQuota;
  readonly signal: AbortSignal | undefined;
}): Promise<void> {
  const stopped = [...outcomes.values()].filter((outcome) => outcome.kind === 'withheld');
  if (staged === undefined) {
    await upsertBlockedNotice({ ports, plan, stopped, brought: [], signal });
    return;
  }
  const { brought, push } = staged;
  const { open, head } = plan;
  const now = push?.to ?? head;
  const way = await wayOf({ ports, plan, staged, route, quota, signal });
  if (way.kind !== 'pull') {
    for (const { down, to } of brought) outcomes.set(down.path, { ...way, to });
    return;
  }
  // Told before the text of the pull request says it: where a process ended between the push and that, it is told now.
  const isNews = push !== undefined || open?.title !== planTitle(plan, brought);
  if (isNews && now !== null) await tellOfRetarget({ ports, plan, members: brought, now, signal });
  const pull = await openOrRefresh({ ports, plan, brought, why: way.why, words: memory, signal });
  if (pull.kind === 'opened') {
    ports.metrics?.updateBrought('pull-request');
    const repository = plan.downstreamRepository.facts.fullName;
    if (way.why !== '')
      ports.log.info({ repository, pull: pull.pull, reason: way.why }, 'the update has a pull request');
  }
  for (const { down, to, way: { withdrawn } = {} } of brought) {
    if (outcomes.has(down.path)) continue;
    outcomes.set(down.path, { ...pull, to, ...(withdrawn !== undefined && { withdrawn }) });
  }
  await upsertBlockedNotice({ ports, plan, stopped, brought, signal });
}

/** That an update has a pull request, with '' for `why` where nothing is to be said of that; or what becomes of one that has none. */
async function wayOf({
  ports,
  plan,
  staged: { brought, push },
  route,
  quota,
  signal,
}: {
  readonly ports: Ports;
  readonly plan: UpdatePlan;
  readonly staged: Staged;
  readonly route: Route;
  readonly quota: UpdateQuota;
  readonly signal: AbortSignal | undefined;
}): Promise<ByPull | Withheld | Arrived> {
  if (route.kind === 'usual') return { kind: 'pull', why: '' };
  if (route.kind === 'pull') return route;
  const commit = push?.to ?? plan.head ?? '';
  const answer = await bringDirectly({ ports, plan, brought, commit, signal }, push !== null);
  if (answer.kind !== 'pull') return answer;
  const full = await heldByOthers(plan, [], answer, quota);
  if (full === null) quota.take();
  return full ?? answer;
}

/** Where a command asked for the update, what came of it is the answer. The dashboard shows it without a comment. */
export async function tellWhoAsked(
  ports: Pick<Ports, 'open' | 'catalog'>,
  target: VariantTarget,
  outcome: VariantOutcome,
  signal?: AbortSignal,
): Promise<void> {
  if (target.askedIn === undefined) return;
  if (target.askedFrom !== undefined) return tellElsewhere(ports, target, outcome, signal);
  const { forge } = await ports.open(target.repository, signal);
  const marker = `<!-- portico:asked ${encodeURIComponent(target.package)} -->`;
  if (outcome.kind !== 'withheld') {
    if (ports.catalog.kept(target.repository.id, DASHBOARD_TITLE)?.number === target.askedIn) return;
    const by = outcome.kind === 'arrived' ? code(outcome.commit) : `#${outcome.pull}`;
    const done = `${by} updates ${code(target.package)} to ${upstreamText(outcome.to, code)}.`;
    await forge.upsertSticky(target.askedIn, marker, done, signal);
    return;
  }
  const text = `${code(target.package)} is not updated${wishText(ports, target)} (${code(outcome.reason)}): ${outcome.message}`;
  await forge.upsertSticky(target.askedIn, marker, text, signal);
}

/** Of an update that was asked for in another repository: as far as that one may still know of it. */
async function tellElsewhere(
  { open, catalog }: Pick<Ports, 'open' | 'catalog'>,
  target: VariantTarget,
  outcome: VariantOutcome,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { repository, package: path, askedFrom, askedIn } = target;
  const [there, here] = [catalog.get(repository.id), askedFrom && catalog.get(askedFrom.id)];
  if (there === undefined || here === undefined || askedIn === undefined || !mayKnow(here, there)) return;
  const name = repositoryName(there);
  const { htmlUrl } = await (await open(repository, signal)).forge.get(signal);
  const what = code(`${name}:${path}`);
  const { forge } = await open(here.ref, signal);
  const marker = `<!-- portico:asked ${encodeURIComponent(`${name}:${path}`)} -->`;
  const page =
    outcome.kind === 'withheld'
      ? `[${code(name)}](${htmlUrl})`
      : outcome.kind === 'arrived'
        ? commitLink(htmlUrl, outcome.commit)
        : `[${code(`${name}#${outcome.pull}`)}](${htmlUrl}/pull/${outcome.pull})`;
  const why = outcome.kind === 'withheld' && mayFlow(there, here) ? `: ${outcome.message}` : '.';
  const text =
    outcome.kind === 'withheld'
      ? `${what} is not updated${wishText({ catalog }, target)} (${code(outcome.reason)})${why} See the dashboard of ${page}.`
      : `${page} updates ${what} to ${upstreamText(outcome.to, code)}.`;
  await forge.upsertSticky(askedIn, marker, text, signal);
}

/** A package without an upstream is made from its sources, whose versions are no revisions. */
function wishText(
  { catalog }: Pick<Ports, 'catalog'>,
  { repository, package: path, to }: VariantTarget,
): string {
  if (to === undefined) return '';
  const known = catalog.get(repository.id);
  const at = known && pathInRepository(known.directory, path);
  const one = known?.packages.find(({ directory }) => directory === at);
  return ` to ${one?.lock === null ? code(to) : upstreamText(to, code)}`;
}
