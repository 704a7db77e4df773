import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { eventually } from './eventually.ts';
import type { Call } from './fault-proxy.ts';
import type { Scenario } from './fault-scenarios.ts';
import type { FaultStage, Ground } from './fault-stage.ts';
import { forgeState, type ForgeState } from './forge-state.ts';
import type { PorticoProcess } from './portico-process.ts';

const PRELOAD = new URL('kill-after.ts', import.meta.url).href;

/** What a scenario comes to when nothing goes wrong. */
export interface Undisturbed {
  readonly state: ForgeState;
  /** Every push and REST write of the bot, in order, by name. */
  readonly writes: readonly string[];
  /** How often each was done in its process until all was quiet. */
  readonly inside: Readonly<Record<Inside, number>>;
}

/** What `kill-after.ts` counts. */
export type Inside = 'commit' | 'stored' | 'taken';

/** Where to kill: just after that many writes to the forge, or of what is done in the process, counted from 1. */
export type Point = { readonly after: 'write' | Inside; readonly number: number };

/** Plays a scenario to its end. @throws when what it is there for is not seen */
export async function undisturbed(
  ground: Ground,
  prepared: string,
  scenario: Scenario,
): Promise<Undisturbed> {
  await using stage = await ground.open('undisturbed', prepared);
  const writes: string[] = [];
  const file = join(stage.data, 'begun');
  const bot = await stage.startBot({ env: killing(file, { after: 'commit', number: 0 }) });
  await stage.quiet();
  stage.proxy.judge((call) => {
    if (call.writes) writes.push(nameOf(call));
    return undefined;
  });
  writeFileSync(file, '');
  await scenario.act(stage);
  await stage.quiet();
  const inside = {
    commit: await countOf(file, 'commit'),
    stored: await countOf(file, 'stored'),
    taken: await countOf(file, 'taken'),
  };
  const state = await forgeState(stage, stage.repositories);
  if (!state.some((line) => line.includes(scenario.wanted)))
    throw new Error(
      `${scenario.name}: "${scenario.wanted}" is not seen in\n${state.join('\n')}\n${bot.log().slice(-4000)}`,
    );
  const code = await bot.end('SIGTERM');
  if (code !== 0) throw new Error(`the bot ended with ${code}\n${bot.log().slice(-4000)}`);
  return { state, writes, inside };
}

/**
 * Plays a scenario, kills the bot at the point, starts it again and waits until the forge is in the wanted state, and
 * still is when all is quiet. @throws with the difference when it is not
 */
export async function killedAt(
  ground: Ground,
  prepared: string,
  scenario: Scenario,
  point: Point,
  wanted: ForgeState,
): Promise<'killed' | 'not reached'> {
  await using stage = await ground.open('killed', prepared);
  const file = join(stage.data, 'begun');
  const bot = await stage.startBot(point.after === 'write' ? {} : { env: killing(file, point) });
  await stage.quiet();
  let seen = 0;
  if (point.after === 'write') {
    stage.proxy.judge(({ writes }) => {
      if (!writes || (seen += 1) !== point.number) return undefined;
      return { kind: 'lost-reset', before: async () => void (await bot.end('SIGKILL')) };
    });
  }
  writeFileSync(file, '');
  await scenario.act(stage);
  const killed = await death(stage, bot.child);
  await bot.end('SIGKILL');
  stage.proxy.judge(null);
  rmSync(file, { force: true });
  const again = await stage.startBot();
  await inState(stage, wanted, again);
  const code = await again.end('SIGTERM');
  if (code !== 0) throw new Error(`the bot ended with ${code}\n${again.log().slice(-4000)}`);
  return killed ? 'killed' : 'not reached';
}

/** When the next process dies: after a write to the forge, or after so much was done in it; undefined: it may live. */
export type Deaths =
  | { readonly after: 'write'; readonly due: (write: string, deaths: number) => boolean }
  | { readonly after: Inside; readonly number: (deaths: number) => number | undefined };

/**
 * Plays a scenario and kills the bot again and again in one story: one start is followed by the next death. In the end
 * the forge must be in the wanted state. Answers how often it was killed.
 */
export async function killedAlong(
  ground: Ground,
  prepared: string,
  scenario: Scenario,
  plan: Deaths,
  wanted: ForgeState,
): Promise<number> {
  await using stage = await ground.open('killed-along', prepared);
  const file = join(stage.data, 'begun');
  let deaths = 0;
  const start = (): Promise<PorticoProcess> => {
    const number = plan.after === 'write' ? undefined : plan.number(deaths);
    if (plan.after === 'write' || number === undefined) return stage.startBot();
    return stage.startBot({ env: killing(file, { after: plan.after, number }) });
  };
  let starting = start();
  let bot = await starting;
  await stage.quiet();
  let armed = true;
  stage.proxy.judge((call) => {
    if (plan.after !== 'write' || !armed || !call.writes || !plan.due(nameOf(call), deaths)) return undefined;
    armed = false;
    // One that is not up yet cannot be killed yet, and waits for this answer.
    return { kind: 'lost-reset', before: async () => void (await (await starting).end('SIGKILL')) };
  });
  writeFileSync(file, '');
  await scenario.act(stage);
  while (await death(stage, bot.child)) {
    deaths += 1;
    armed = true;
    starting = start();
    bot = await starting;
  }
  stage.proxy.judge(null);
  await inState(stage, wanted, bot);
  const code = await bot.end('SIGTERM');
  if (code !== 0) throw new Error(`the bot ended with ${code}\n${bot.log().slice(-4000)}`);
  return deaths;
}

/** A write by what stays the same when it is made again: ids that the forge gives last are left out. */
function nameOf({ method, path, about }: Call): string {
  return `${method} ${path.replace(/(?<=\/)\d+$|(?<=\/deliveries\/)\d+/, 'N')} ${about}`.trim();
}

/** Waits for the state, and that it stays when nothing is left to do. @throws with the difference */
export async function inState(
  stage: FaultStage,
  wanted: ForgeState,
  bot: PorticoProcess,
  seconds = 60,
  see: (stage: FaultStage) => Promise<ForgeState> = (seen) => forgeState(seen, seen.repositories),
): Promise<void> {
  let state: ForgeState = [];
  const look = async (): Promise<boolean> => {
    await stage.quiet(seconds);
    state = await see(stage);
    return state.length === wanted.length && state.every((line, at) => line === wanted[at]);
  };
  await eventually('the wanted state', look, seconds).catch((error: unknown) => {
    const lines = [
      ...wanted.filter((line) => !state.includes(line)).map((line) => `- ${line.slice(0, 700)}`),
      ...state.filter((line) => !wanted.includes(line)).map((line) => `+ ${line.slice(0, 700)}`),
    ];
    throw new Error(`${String(error)}\n${lines.join('\n')}\n${bot.log().slice(-6000)}`, { cause: error });
  });
}

function killing(file: string, { after, number }: Point): Record<string, string> {
  return {
    NODE_OPTIONS: `--import=${PRELOAD}`,
    KILL_AFTER: after,
    KILL_NUMBER: String(number),
    KILL_FILE: file,
  };
}

/** The bot may be writing it anew: then it is empty. */
function countOf(file: string, what: Inside): Promise<number> {
  return eventually(
    `the count of ${what}`,
    async () => Number(readFileSync(`${file}.${what}`, 'utf8')) || undefined,
  );
}

/** True when the process died, false when all is quiet and it lives. */
async function death(stage: FaultStage, child: ChildProcess): Promise<boolean> {
  const isDead = (): boolean => child.signalCode !== null;
  if (!isDead()) await Promise.race([once(child, 'exit'), stage.quiet()]);
  return isDead();
}
