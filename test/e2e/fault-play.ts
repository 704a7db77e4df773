import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import { inState, undisturbed, type Undisturbed } from './crash-run.ts';
import { prepare, REPOSITORIES, SCENARIOS, type Scenario } from './fault-scenarios.ts';
import { makeGround, type FaultStage, type Ground } from './fault-stage.ts';
import type { PorticoProcess } from './portico-process.ts';

/** A prepared ground, and what each scenario comes to on it when nothing goes wrong: played once. */
export interface Play extends AsyncDisposable {
  readonly ground: Ground;
  readonly prepared: string;
  undisturbed(scenario: Scenario): Promise<Undisturbed>;
  /** Plays a scenario under a fault and holds the end against the undisturbed one. */
  disturbed(
    scenario: Scenario,
    disturb: (stage: FaultStage, bot: PorticoProcess) => Promise<void>,
    env?: Record<string, string>,
  ): Promise<void>;
}

export async function openPlay(): Promise<Play> {
  const ground = await makeGround(REPOSITORIES);
  const prepared = await prepare(ground);
  const wanted = new Map<string, Undisturbed>();
  const play: Play = {
    ground,
    prepared,
    async undisturbed(scenario) {
      const known = wanted.get(scenario.name) ?? (await undisturbed(ground, prepared, scenario));
      wanted.set(scenario.name, known);
      return known;
    },
    async disturbed(scenario, disturb, env = {}) {
      const { state } = await play.undisturbed(scenario);
      await using stage = await ground.open('faulty', prepared);
      // Times of another clock in the store would be a clock that jumps, and not one that is wrong.
      if (env['CLOCK_SKEW_MS'] !== undefined) rmSync(join(stage.data, 'bot'), { recursive: true });
      const bot = await stage.startBot({ env });
      await stage.quiet();
      await disturb(stage, bot);
      await scenario.act(stage);
      await inState(stage, state, bot, 300);
      expect(await bot.end('SIGTERM'), bot.log().slice(-3000)).toBe(0);
    },
    async [Symbol.asyncDispose]() {
      ground.remove();
    },
  };
  return play;
}

/** The scenario of that name. */
export function scenarioOf(name: string): Scenario {
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found === undefined) throw new Error(`no scenario ${name}`);
  return found;
}

/** Several plays side by side: most of a fault is waiting. Each scenario has its own, where its undisturbed end is known. */
export interface Plays extends AsyncDisposable {
  /** Plays all of them. @throws when all were played, with what went wrong in which */
  all(what: string, attempt: (play: Play, scenario: Scenario) => Promise<string>): Promise<void>;
}

export async function openPlays(scenarios: readonly Scenario[], atOnce: number): Promise<Plays> {
  const plays: Play[] = [];
  for (let at = 0; at < Math.min(atOnce, scenarios.length); at += 1) plays.push(await openPlay());
  return {
    async all(what, attempt) {
      const failures: string[] = [];
      const one = async (play: Play, scenario: Scenario): Promise<void> => {
        const started = performance.now();
        try {
          const told = await attempt(play, scenario);
          const seconds = Math.round((performance.now() - started) / 1000);
          process.stderr.write(`${what} | ${scenario.name} | as wanted, ${told}, ${seconds} s\n`);
        } catch (error) {
          failures.push(`${what} | ${scenario.name}: ${String(error)}`);
          process.stderr.write(`FAILED ${what} | ${scenario.name}\n${String(error)}\n`);
        }
      };
      await Promise.all(
        plays.map(async (play, at) => {
          for (const scenario of scenarios.filter((_, number) => number % plays.length === at))
            await one(play, scenario);
        }),
      );
      expect(failures).toEqual([]);
    },
    async [Symbol.asyncDispose]() {
      for (const play of plays) await play[Symbol.asyncDispose]();
    },
  };
}
