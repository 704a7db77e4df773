/**
 * People and events on one repository, chosen at random. The real thing is the bot with the local forge; the model
 * knows only what people did, because what must hold is read from git and the forge (`model-holds.ts`).
 */
import * as fc from 'fast-check';

import { below } from '../e2e/packages.ts';
import { holds } from './model-holds.ts';
import { configMap, smallPackage } from './small-package.ts';
import type { Files, StageRepository } from './stage-repository.ts';
import type { Login, Stage } from './stage.ts';

export interface Real {
  readonly stage: Stage;
  readonly repo: StageRepository;
  /** Loses this repository's webhooks while work goes on. */
  readonly losing: (work: () => Promise<unknown>) => Promise<unknown>;
}

export interface Model {
  /** Branch → its pull request, and what people committed on it and did not take back. */
  readonly branches: Map<string, { pull?: number; commits: string[] }>;
  /** Tags as they were first seen: name → object. */
  readonly tags: Map<string, string>;
  /** Pull requests that are over and were found right. */
  readonly over: Set<number>;
  /** Somebody pushed to the registered branch since the last revision. */
  pushed: boolean;
  /** The last command pushed there and did something else at the same moment. */
  pushedMeanwhile: boolean;
  readonly done: string[];
  /** What each kind of event came to. */
  readonly tally: Tally;
}

/** `done` changed something, `refused` was answered with a no, `nothing` had nothing to act on. */
type Came = 'done' | 'refused' | 'nothing';
export type Tally = Map<string, Record<Came | 'lost', number>>;

export type Command = fc.AsyncCommand<Model, Real>;

interface Act {
  readonly kind: string;
  readonly name: string;
  /** Does it, and answers a function that tells, once all is quiet, what it came to. */
  readonly act: (model: Model, real: Real) => Promise<() => Promise<Came> | Came>;
}

const WORKSPACES = ['one', 'two'] as const;
/** Also the newest pull request that Portico made itself: a rollback, a deletion. */
const TARGETS = [...WORKSPACES, 'made'] as const;
const PEOPLE = ['alice', 'bob', 'carol'] as const satisfies readonly Login[];
const VALUES = ['red', 'green', 'blue'] as const;
const DATA = { color: 'blue', size: 'small', shape: 'round' };

/** What main holds at first. */
export const FILES = below('web', smallPackage('web', { data: DATA }));

export function freshModel(tally: Tally = new Map()): Model {
  return {
    branches: new Map(),
    tags: new Map(),
    over: new Set(),
    pushed: false,
    pushedMeanwhile: false,
    done: [],
    tally,
  };
}

/** A command that waits until all is quiet and then looks whether everything holds. */
function command(acts: readonly Act[], lost: boolean): Command {
  const name = `${acts.map((one) => one.name).join(' while ')}${lost ? ' (webhooks lost)' : ''}`;
  return {
    check: () => true,
    async run(model, real) {
      model.done.push(name);
      model.pushedMeanwhile = acts.length > 1 && acts.some(({ kind }) => kind === 'push to main');
      let ends: (() => Promise<Came> | Came)[] = [];
      const work = async (): Promise<void> => {
        ends = await Promise.all(acts.map(({ act }) => act(model, real)));
      };
      if (lost) {
        await real.losing(work);
        await real.stage.look(real.repo.repo);
      } else await work();
      await real.stage.idle();
      for (const [at, { kind }] of acts.entries()) {
        const counts = model.tally.get(kind) ?? { done: 0, refused: 0, nothing: 0, lost: 0 };
        model.tally.set(kind, counts);
        const came = await ends[at]!();
        counts[came] += 1;
        if (lost && came !== 'nothing') counts.lost += 1;
        if (came !== 'done') model.done[model.done.length - 1] += ` [${came}]`;
      }
      await holds(model, real);
    },
    toString: () => name,
  };
}

const branchOf = (workspace: string): string => `drafts/web/${workspace}`;

async function pullOf(
  model: Model,
  { repo, stage }: Real,
  target: (typeof TARGETS)[number],
): Promise<number | undefined> {
  if (target !== 'made') return model.branches.get(branchOf(target))?.pull;
  const { data } = await stage.as('alice').rest.pulls.list({ ...repo.where, state: 'open' });
  return data.find(({ user }) => user?.type === 'Bot')?.number;
}

/** Files that bring one value, on top of what a commit holds; the whole package where it is gone. */
async function change(repo: StageRepository, ref: string, key: string, value: string): Promise<Files> {
  const text = await repo.read('web/config.yaml', ref);
  const data = Object.fromEntries(
    [...(text ?? '').matchAll(/^ {2}(color|size|shape): (\w+)$/gm)].map(([, field = '', is = '']) => [
      field,
      is,
    ]),
  );
  const config = { 'web/config.yaml': configMap('web', { ...DATA, ...data, [key]: value }) };
  return text === null ? { ...FILES, ...config } : config;
}

/** The forge refuses what people may not do now: that too is something that happens. */
async function tried<T>(work: Promise<T>, then: (result: T) => unknown = () => {}): Promise<() => Came> {
  try {
    await then(await work);
    return () => 'done';
  } catch (error) {
    if ((error as { status?: number }).status === undefined) throw error;
    return () => 'refused';
  }
}

const NOTHING = (): Came => 'nothing';

async function said({ repo }: Real, number: number, text: string, by: Login): Promise<() => Promise<Came>> {
  const comment = await repo.say(number, `/portico ${text}`, by);
  return async () => {
    const { reaction } = await repo.answerTo(number, comment);
    if (reaction === undefined) throw new Error(`nobody answered "/portico ${text}" on #${number}`);
    return reaction === 'rocket' ? 'done' : 'refused';
  };
}

const say =
  (text: string) =>
  (target: (typeof TARGETS)[number], by: Login): Act => ({
    kind: `/portico ${text.split(' ')[0]}`,
    name: `${by}: ${text} on ${target}`,
    async act(model, real) {
      const pull = await pullOf(model, real, target);
      return pull === undefined ? NOTHING : said(real, pull, text, by);
    },
  });

/** A person pushes to a draft, and opens its pull request where there is none. */
function push(w: string, k: string, v: string, draft: boolean): Act {
  return {
    kind: 'push',
    name: `push ${k}=${v} to ${w}${draft ? ', as draft' : ''}`,
    async act(model, { repo }) {
      const branch = branchOf(w);
      const known = model.branches.get(branch) ?? { commits: [] };
      model.branches.set(branch, known);
      const goesOn = known.commits.length > 0;
      const files = await change(repo, goesOn ? branch : 'main', k, v);
      return tried(repo.push(branch, files, goesOn ? {} : { from: 'main' }), async (commit) => {
        known.commits.push(commit);
        if (known.pull === undefined) known.pull = (await repo.create(branch, draft)).data.number;
      });
    },
  };
}

function forcePush(w: string, k: string, v: string): Act {
  return {
    kind: 'force-push',
    name: `force-push ${w} with ${k}=${v}`,
    async act(model, { repo }) {
      const known = model.branches.get(branchOf(w));
      if (known?.pull === undefined) return NOTHING;
      const files = await change(repo, 'main', k, v);
      const from = await repo.head('main');
      return tried(repo.push(branchOf(w), files, { from, force: true }), (commit) => {
        known.commits = [commit];
      });
    },
  };
}

function pushMain(k: string, v: string): Act {
  return {
    kind: 'push to main',
    name: `push ${k}=${v} to main`,
    async act(model, { repo }) {
      const files = await change(repo, 'main', k, v);
      model.pushed = true;
      return tried(repo.push('main', files));
    },
  };
}

function review(target: (typeof TARGETS)[number], by: Login, event: 'APPROVE' | 'REQUEST_CHANGES'): Act {
  return {
    kind: `review ${event}`,
    name: `${by} reviews ${target}: ${event}`,
    async act(model, real) {
      const pull_number = await pullOf(model, real, target);
      if (pull_number === undefined) return NOTHING;
      const { pulls } = real.stage.as(by).rest;
      return tried(pulls.createReview({ ...real.repo.where, pull_number, event, body: 'seen' }));
    },
  };
}

/** The newest approval is taken back. */
function dismiss(target: (typeof TARGETS)[number]): Act {
  return {
    kind: 'dismiss an approval',
    name: `alice dismisses an approval of ${target}`,
    async act(model, real) {
      const pull_number = await pullOf(model, real, target);
      if (pull_number === undefined) return NOTHING;
      const { pulls } = real.stage.as('alice').rest;
      const { data } = await pulls.listReviews({ ...real.repo.where, pull_number });
      const review_id = data.findLast(({ state }) => state === 'APPROVED')?.id;
      if (review_id === undefined) return NOTHING;
      return tried(pulls.dismissReview({ ...real.repo.where, pull_number, review_id, message: 'no' }));
    },
  };
}

function mergeByButton(target: (typeof TARGETS)[number], merge_method: 'merge' | 'squash' | 'rebase'): Act {
  return {
    kind: 'merge button',
    name: `${merge_method} ${target} by the button`,
    async act(model, real) {
      const pull_number = await pullOf(model, real, target);
      if (pull_number === undefined) return NOTHING;
      return tried(
        real.stage.as('alice').rest.pulls.merge({ ...real.repo.where, pull_number, merge_method }),
      );
    },
  };
}

function closeOrOpen(w: string): Act {
  return {
    kind: 'close or reopen',
    name: `close or reopen ${w}`,
    async act(model, { repo, stage }) {
      const pull_number = model.branches.get(branchOf(w))?.pull;
      if (pull_number === undefined) return NOTHING;
      const { pulls } = stage.as('alice').rest;
      const { data } = await pulls.get({ ...repo.where, pull_number });
      return tried(
        pulls.update({ ...repo.where, pull_number, state: data.state === 'open' ? 'closed' : 'open' }),
      );
    },
  };
}

function sayInIssue(text: string, by: Login): Act {
  return {
    kind: `/portico ${text.replace(/^(\w+) ?(\S*?)(@v\d)?$/, '$1$3')} in an issue`,
    name: `${by}: ${text} in the issue`,
    async act(_model, real) {
      const { issues } = real.stage.as('alice').rest;
      const { data } = await issues.listForRepo({ ...real.repo.where, creator: 'alice' });
      const number =
        data.find(({ pull_request }) => pull_request === undefined)?.number ??
        (await issues.create({ ...real.repo.where, title: 'Commands' })).data.number;
      return said(real, number, text, by);
    },
  };
}

/** Without a proposal, and often without a revision, there is little to do: the first commands see to it. */
export const BEGINNINGS: readonly (readonly Command[])[] = [
  [push('one', 'color', 'red', false), push('two', 'size', 'red', true)],
  [
    push('one', 'color', 'red', false),
    review('one', 'bob', 'APPROVE'),
    say('publish')('one', 'alice'),
    push('two', 'size', 'red', true),
  ],
].map((acts) => acts.map((act) => command([act], false)));

/** All that can happen; what leads to a revision more often, so that there are revisions to go on from. */
function acts(): fc.Arbitrary<Act> {
  const workspace = fc.constantFrom(...WORKSPACES);
  const target = fc.constantFrom('one' as const, 'one' as const, 'two' as const, 'made' as const);
  const key = fc.constantFrom('color', 'size', 'shape');
  const value = fc.constantFrom(...VALUES);
  const who = fc.constantFrom(...PEOPLE);
  const other = fc.constantFrom('bob' as const, 'carol' as const);
  const of = (weight: number, arbitrary: fc.Arbitrary<Act>) => ({ weight, arbitrary });
  const saying = (text: string): fc.Arbitrary<Act> =>
    fc.tuple(target, who).map(([w, by]) => say(text)(w, by));
  return fc.oneof(
    of(
      6,
      fc.tuple(workspace, key, value, fc.boolean()).map((given) => push(...given)),
    ),
    of(
      2,
      fc.tuple(workspace, key, value).map((given) => forcePush(...given)),
    ),
    of(
      2,
      fc.tuple(key, value).map((given) => pushMain(...given)),
    ),
    of(
      5,
      fc.tuple(target, other).map(([w, by]) => review(w, by, 'APPROVE')),
    ),
    of(
      1,
      fc.tuple(target, other).map(([w, by]) => review(w, by, 'REQUEST_CHANGES')),
    ),
    of(2, target.map(dismiss)),
    of(
      2,
      fc.tuple(target, fc.constantFrom('merge', 'squash', 'rebase')).map((given) => mergeByButton(...given)),
    ),
    of(1, workspace.map(closeOrOpen)),
    of(2, saying('propose')),
    of(
      2,
      fc.tuple(target, other).map(([w, by]) => say('approve')(w, by)),
    ),
    of(1, saying('reject not now')),
    of(7, saying('publish')),
    of(1, saying('resolve all local')),
    of(1, saying('resolve all upstream')),
    of(1, saying('explain')),
    of(
      2,
      who.map((by) => sayInIssue('rollback web@v1', by)),
    ),
    of(
      1,
      who.map((by) => sayInIssue('delete web', by)),
    ),
    of(
      1,
      who.map((by) => sayInIssue('delete web@v1', by)),
    ),
    of(
      1,
      who.map((by) => sayInIssue('approve', by)),
    ),
  );
}

/** One event, or two at the same moment; one in three is not told by webhook. */
export function commands(): fc.Arbitrary<Command> {
  const lost = fc.constantFrom(true, false, false);
  return fc.oneof(
    { weight: 6, arbitrary: fc.tuple(acts(), lost).map(([one, isLost]) => command([one], isLost)) },
    { weight: 1, arbitrary: fc.tuple(acts(), acts()).map((both) => command(both, false)) },
  );
}
