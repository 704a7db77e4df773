import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { expect } from 'vitest';

import { inState, undisturbed, type Undisturbed } from './crash-run.ts';
import { prepare, REPOSITORIES, SCENARIOS, type Scenario } from './fault-scenarios.ts';
import { makeGround, type FaultStage, type Ground } from './fault-stage.ts';

/** A prepared ground, and what each scenario comes to on it when nothing goes wrong: played once. */
export interface Play extends AsyncDisposable {
  readonly ground: Ground;
  readonly prepared: string;
  undisturbed(scenario: Scenario): Promise<Undisturbed>;
  /** Plays a scenario under a fault and holds the end against the undisturbed one. */
  disturbed(
    scenario: Scenario,
    disturb: (stage: FaultStage) => Promise<void>,
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
      await disturb(stage);
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
