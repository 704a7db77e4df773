/** Plays one schedule on a stage of its own repositories, and judges what came of it. */

import { stageRepository } from '../reconcile/stage-repository.ts';
import { startStage, type Stage } from '../reconcile/stage.ts';
import type { Outcome } from './act.ts';
import { startAudit } from './audit.ts';
import { flowHolds, freshFlow, hearWords, noteFlow } from './flowing.ts';
import { publishingHolds, type Finding } from './publishing.ts';
import { effectsOf, powerless, reachHolds } from './reaching.ts';
import type { Schedule, Step } from './schedules.ts';
import { tellsNothing } from './telling.ts';
import { nothingWithheld } from './withholding.ts';
import { nameOf, ownerOf, placesOf, repositoriesOf, type Place, type World } from './world.ts';

export interface Played {
  readonly findings: readonly Finding[];
  /** The story: who did what, and what it was answered with. */
  readonly done: readonly string[];
  readonly revisions: number;
  /** Merges into a registered branch. */
  readonly merged: number;
  readonly refused: number;
}

const losingOf = new WeakMap<Stage, Set<number>>();

/** A stage with the repositories of these schedules; webhooks come twice and out of order. */
export async function stageFor(
  some: readonly { readonly number: number; readonly schedule: Schedule }[],
): Promise<Stage> {
  const stage = await startStage(
    Object.assign({}, ...some.map(({ number, schedule }) => repositoriesOf(schedule.setting, number))),
    { logLevel: 'warn' },
  );
  const losing = new Set<number>();
  losingOf.set(stage, losing);
  Object.assign(stage.forge.knobs.webhooks, {
    duplicate: 0.2,
    reorder: 3,
    seed: 7,
    lose: ({ repositoryId }: { repositoryId: number | null }) =>
      repositoryId !== null && losing.has(repositoryId),
  });
  for (const { number, schedule } of some) {
    const { setting } = schedule;
    for (const place of placesOf(setting)) {
      if (place === 'web' || place === 'shop')
        await allowAutoMerge(stage, nameOf(place, number), setting.ruled);
    }
  }
  return stage;
}

async function allowAutoMerge(stage: Stage, repo: string, isRuled: boolean): Promise<void> {
  const { repos } = stage.as('alice').rest;
  const where = { owner: 'acme', repo };
  await repos.update({ ...where, allow_auto_merge: true });
  if (!isRuled) return;
  await repos.updateBranchProtection({
    ...where,
    branch: 'main',
    enforce_admins: false,
    restrictions: null,
    required_pull_request_reviews: null,
    required_status_checks: {
      strict: false,
      contexts: [],
      checks: [{ context: 'portico', app_id: stage.forge.app.id }],
    },
  });
}

/** Plays it step by step; each is judged when all is quiet. */
export async function play(stage: Stage, schedule: Schedule, number: number): Promise<Played> {
  const world = worldOf(stage, schedule, number);
  const flow = freshFlow();
  const off = stage.forge.onExchange(hearWords(flow, number));
  const findings: Finding[] = [];
  try {
    await noteFlow(world, flow, number);
    for (const step of schedule.steps) {
      const since = world.audit.events.length;
      const at = world.audit.next();
      await take(world, step, number);
      if (mayFlowElsewhere(world, since)) await noteFlow(world, flow, number);
      findings.push(...(await publishingHolds(world, since)), ...(await reachHolds(world, at)));
      const nobody = step.acts.length === 1 && !step.lost ? await powerless(world, at) : null;
      for (const effect of nobody === null ? [] : effectsOf(world, at)) {
        findings.push({ code: 'without-right', what: `${nobody}, and the bot ${effect}` });
      }
    }
    const since = world.audit.events.length;
    world.audit.next();
    await look(world, number);
    findings.push(
      ...(await publishingHolds(world, since)),
      ...(await flowHolds(world, flow, number)),
      ...(await tellsNothing(world, number)),
      ...(await nothingWithheld(world)),
    );
  } finally {
    off();
  }
  const moves = world.audit.of('moved');
  return {
    findings: [...new Map(findings.map((one) => [`${one.code} ${one.what}`, one])).values()],
    done: world.done,
    revisions: moves.filter(
      ({ ref, before, isBot }) => isBot && before === null && ref.startsWith('refs/tags/'),
    ).length,
    merged: moves.filter(({ ref, isBot }) => isBot && ref === 'refs/heads/main').length,
    refused: world.done.filter((one) => one.includes('[confused') || one.includes('[refused')).length,
  };
}

/** Content, configuration or rights changed. */
function mayFlowElsewhere({ audit }: World, since: number): boolean {
  return audit.events
    .slice(since)
    .some((one) => (one.kind === 'moved' ? one.ref === 'refs/heads/main' : one.kind === 'wrote'));
}

function worldOf(stage: Stage, { setting }: Schedule, number: number): World {
  const places = new Map(
    placesOf(setting).map((place) => [
      place,
      stageRepository({ ...stage, owner: ownerOf(place), name: nameOf(place, number) }),
    ]),
  );
  const names = new Set([...places.keys()].map((place) => nameOf(place, number)));
  return {
    stage,
    audit: startAudit(stage.forge, (repo) => names.has(repo.split('/')[1] ?? '')),
    places,
    forks: new Map(),
    done: [],
    at: (place: Place) => places.get(place)!,
  };
}

async function take(world: World, { acts, lost }: Step, number: number): Promise<void> {
  const losing = losingOf.get(world.stage)!;
  const { records } = world.stage.forge.context;
  const ids = [...world.places.values()].map(({ owner, repo }) => records.repositoryByName(owner, repo)!.id);
  let outcomes: Outcome[] = [];
  if (lost) ids.forEach((id) => losing.add(id));
  try {
    outcomes = await Promise.all(acts.map((one) => one.act(world)));
    if (lost) await world.stage.forge.settled();
  } finally {
    ids.forEach((id) => losing.delete(id));
  }
  if (lost || acts.some(({ name }) => name === 'the sweep comes')) await look(world, number);
  await world.stage.idle();
  const told = await Promise.all(
    acts.map(async ({ name }, at) => {
      const outcome = await outcomes[at]!();
      return outcome === '' ? name : `${name} [${outcome}]`;
    }),
  );
  world.done.push(`${told.join(' WHILE ')}${lost ? ' (webhooks lost)' : ''}`);
}

async function look(world: World, number: number): Promise<void> {
  for (const place of world.places.keys()) await world.stage.look(nameOf(place, number));
}
