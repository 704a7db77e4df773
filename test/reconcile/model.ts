/**
 * People and events on one repository, chosen at random. The real thing is the bot with the local forge; the model
 * knows only what people did, because what must hold is read from git and the forge (`model-holds.ts`).
 */
import type * as fc from 'fast-check';

import { holds } from './model-holds.ts';
import type { StageRepository } from './stage-repository.ts';
import type { Stage } from './stage.ts';

export interface Real {
  readonly stage: Stage;
  readonly repo: StageRepository;
  /** Loses this repository's webhooks while work goes on. */
  readonly losing: (work: () => Promise<unknown>) => Promise<unknown>;
}

/** A branch of a person. */
export interface Branch {
  pull?: number;
  /** What people committed on it and did not take back. */
  commits: string[];
  /** Fields of the package that those commits set; null where they brought the whole package. */
  fields: Set<string> | null;
}

/** What somebody said of a pull request, in which step, about which contents of the package. */
export interface Said {
  readonly step: number;
  readonly pull: number;
  readonly by: string;
  readonly what: 'approve' | 'review' | 'request changes' | 'dismissed' | 'reject' | 'publish';
  /** What the head held before and after it: one where nothing else went on. */
  readonly contents: readonly string[];
}

export interface Model {
  readonly branches: Map<string, Branch>;
  /** Tags as they were first seen: name → object. */
  readonly tags: Map<string, string>;
  /** Revisions whose tag was taken away, in the step that they are asked about. */
  readonly retired: Set<string>;
  /** Revisions in the ledger that were found right. */
  readonly seen: Set<string>;
  /** Pull requests that are over and were found right. */
  readonly over: Set<number>;
  readonly said: Said[];
  /** Pull requests of Portico's → who had it opened, where that is known. */
  readonly askers: Map<number, string>;
  /** Pull requests that somebody wanted merged when they may be. */
  readonly auto: Set<number>;
  /** The package on main after the last step, null where it is not there. */
  main: { tree: string | null; content: string | null } | undefined;
  /** The revision that somebody asked last to retire. */
  asked: string | undefined;
  step: number;
  /** The last command did one thing, and nothing else went on. */
  alone: boolean;
  /** The last command may take tags away. */
  mayRetire: boolean;
  /** Somebody pushed to the registered branch since the last revision. */
  pushed: boolean;
  /** The last command pushed there and did something else at the same moment. */
  pushedMeanwhile: boolean;
  readonly done: string[];
  /** What each kind of event came to. */
  readonly tally: Tally;
}

/** `done` changed something, `refused` was answered with a no, `nothing` had nothing to act on. */
export type Came = 'done' | 'refused' | 'nothing';
export type Tally = Map<string, Record<Came | 'lost', number>>;

export type Command = fc.AsyncCommand<Model, Real>;

/** Tells, once all is quiet, what it came to, and throws where it came to what it must not. */
export type End = () => Promise<Came> | Came;

export interface Act {
  readonly kind: string;
  readonly name: string;
  readonly act: (model: Model, real: Real) => Promise<End>;
}

export function freshModel(tally: Tally = new Map()): Model {
  return {
    branches: new Map(),
    tags: new Map(),
    retired: new Set(),
    seen: new Set(),
    over: new Set(),
    said: [],
    askers: new Map(),
    auto: new Set(),
    main: undefined,
    asked: undefined,
    step: 0,
    alone: true,
    mayRetire: false,
    pushed: false,
    pushedMeanwhile: false,
    done: [],
    tally,
  };
}

/** A command that waits until all is quiet and then looks whether everything holds. */
export function command(acts: readonly Act[], lost: boolean): Command {
  const name = `${acts.map((one) => one.name).join(' while ')}${lost ? ' (webhooks lost)' : ''}`;
  return {
    check: () => true,
    async run(model, real) {
      model.done.push(name);
      model.step += 1;
      model.alone = acts.length === 1;
      model.mayRetire = false;
      model.pushedMeanwhile = acts.length > 1 && acts.some(({ kind }) => kind === 'push to main');
      let ends: End[] = [];
      const work = async (): Promise<void> => {
        ends = await Promise.all(acts.map(({ act }) => act(model, real)));
      };
      if (lost) {
        await real.losing(work);
        await real.stage.look(real.repo.repo);
      } else await work();
      await real.stage.idle();
      let anything = false;
      for (const [at, { kind }] of acts.entries()) {
        let came: Came;
        try {
          came = await ends[at]!();
        } catch (error) {
          throw failure((error as Error).message, model);
        }
        count(model, kind, came);
        if (lost && came !== 'nothing') count(model, kind, 'lost');
        if (came !== 'done') model.done[model.done.length - 1] += ` [${came}]`;
        anything ||= came !== 'nothing';
      }
      if (anything) await holds(model, real);
    },
    toString: () => name,
  };
}

export function count(model: Model, kind: string, came: Came | 'lost'): void {
  const counts = model.tally.get(kind) ?? { done: 0, refused: 0, nothing: 0, lost: 0 };
  model.tally.set(kind, counts);
  counts[came] += 1;
}

/** What went wrong, with all that led to it. */
export function failure(what: string, model: Model): Error {
  return new Error(`${what}\nafter:\n- ${model.done.join('\n- ')}`);
}
