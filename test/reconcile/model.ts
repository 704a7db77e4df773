/**
 * People and events on one repository, chosen at random, and what must hold whenever all is quiet. The real thing is
 * the bot with the local forge; the model knows only what people did, because what must hold is read from git.
 */
import * as fc from 'fast-check';

import { configMap } from './small-package.ts';
import type { StageRepository } from './stage-repository.ts';
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
  /** Revisions that a command retired. */
  readonly retired: Set<string>;
  /** Somebody pushed to the registered branch since the last revision. */
  pushed: boolean;
  readonly done: string[];
}

type Command = fc.AsyncCommand<Model, Real>;

const WORKSPACES = ['one', 'two'] as const;
const PEOPLE = ['alice', 'bob', 'carol'] as const satisfies readonly Login[];
const VALUES = ['red', 'green', 'blue'] as const;

export function freshModel(): Model {
  return { branches: new Map(), tags: new Map(), retired: new Set(), pushed: false, done: [] };
}

/** A command that waits until all is quiet and then looks whether everything holds. */
function command(
  name: string,
  can: (model: Model) => boolean,
  act: (model: Model, real: Real) => Promise<void>,
  lost = false,
): Command {
  return {
    check: can,
    async run(model, real) {
      model.done.push(name);
      if (lost) {
        await real.losing(() => act(model, real));
        await real.stage.look(real.repo.repo);
      } else await act(model, real);
      await real.stage.idle();
      await holds(model, real);
    },
    toString: () => (lost ? `${name} (webhooks lost)` : name),
  };
}

const branchOf = (workspace: string): string => `drafts/web/${workspace}`;
const isOpen = (model: Model, workspace: string): boolean =>
  model.branches.get(branchOf(workspace))?.pull !== undefined;

async function content(repo: StageRepository, ref: string, key: string, value: string): Promise<string> {
  const text = (await repo.read('web/config.yaml', ref)) ?? '';
  const data = Object.fromEntries(
    [...text.matchAll(/^ {2}(color|size|shape): (\w+)$/gm)].map(([, field = '', is = '']) => [field, is]),
  );
  return configMap('web', { color: 'blue', size: 'small', shape: 'round', ...data, [key]: value });
}

const ignoring = async (work: Promise<unknown>): Promise<void> => {
  // The forge refuses what people may not do now: that too is something that happens.
  await work.catch((error: unknown) => {
    if ((error as { status?: number }).status === undefined) throw error;
  });
};

const say = (text: string) => (w: string, by: Login, isLost: boolean) =>
  command(
    `${by}: ${text} on ${w}`,
    (model) => isOpen(model, w),
    async (model, { repo }) => {
      await repo.say(model.branches.get(branchOf(w))!.pull!, `/portico ${text}`, by);
    },
    isLost,
  );

/** A person pushes to a draft, and opens its pull request where there is none. */
function push(w: string, k: string, v: string, draft: boolean, isLost: boolean): Command {
  return command(
    `push ${k}=${v} to ${w}${draft ? ', as draft' : ''}`,
    () => true,
    async (model, { repo }) => {
      const branch = branchOf(w);
      const known = model.branches.get(branch) ?? { commits: [] };
      model.branches.set(branch, known);
      if ((await repo.read('web/Kptfile')) === null) return;
      const from = known.commits.length > 0 || known.pull !== undefined ? branch : 'main';
      const files = { 'web/config.yaml': await content(repo, from, k, v) };
      const start = known.commits.length > 0 ? {} : { from: 'main' };
      known.commits.push(await repo.push(branch, files, start));
      if (known.pull !== undefined) return;
      known.pull = (await repo.create(branch, draft)).data.number;
    },
    isLost,
  );
}

/** The first command of every schedule. */
export function begin(workspace: (typeof WORKSPACES)[number]): Command {
  return push(workspace, workspace === 'one' ? 'color' : 'size', 'red', false, false);
}

/** All that can happen. */
export function commands(): fc.Arbitrary<Command>[] {
  const workspace = fc.constantFrom(...WORKSPACES);
  const key = fc.constantFrom('color', 'size', 'shape');
  const value = fc.constantFrom(...VALUES);
  const who = fc.constantFrom(...PEOPLE);
  const lost = fc.boolean();
  const said = (text: string): fc.Arbitrary<Command> =>
    fc.tuple(workspace, who, lost).map(([w, by, isLost]) => say(text)(w, by, isLost));

  return [
    fc
      .tuple(workspace, key, value, fc.boolean(), lost)
      .map(([w, k, v, draft, isLost]) => push(w, k, v, draft, isLost)),
    fc.tuple(workspace, key, value, lost).map(([w, k, v, isLost]) =>
      command(
        `force-push ${w} with ${k}=${v}`,
        (model) => isOpen(model, w),
        async (model, { repo }) => {
          const branch = branchOf(w);
          if ((await repo.read('web/Kptfile')) === null) return;
          const files = { 'web/config.yaml': await content(repo, 'main', k, v) };
          const sha = await repo.push(branch, files, { from: await repo.head('main'), force: true });
          model.branches.get(branch)!.commits = [sha];
        },
        isLost,
      ),
    ),
    fc.tuple(key, value, lost).map(([k, v, isLost]) =>
      command(
        `push ${k}=${v} to main`,
        () => true,
        async (model, { repo }) => {
          if ((await repo.read('web/Kptfile')) === null) return;
          model.pushed = true;
          await repo.push('main', { 'web/config.yaml': await content(repo, 'main', k, v) });
        },
        isLost,
      ),
    ),
    fc
      .tuple(workspace, who, fc.constantFrom('APPROVE', 'REQUEST_CHANGES'), lost)
      .map(([w, by, event, isLost]) =>
        command(
          `${by} reviews ${w}: ${event}`,
          (model) => isOpen(model, w),
          async (model, { repo, stage }) => {
            const pull_number = model.branches.get(branchOf(w))!.pull!;
            const review = { ...repo.where, pull_number, event: event as 'APPROVE', body: 'seen' };
            await ignoring(stage.as(by).rest.pulls.createReview(review));
          },
          isLost,
        ),
      ),
    fc.tuple(workspace, fc.constantFrom('merge', 'squash'), lost).map(([w, method, isLost]) =>
      command(
        `${method} ${w} by the button`,
        (model) => isOpen(model, w),
        async (model, { repo, stage }) => {
          const pull_number = model.branches.get(branchOf(w))!.pull!;
          const merge = { ...repo.where, pull_number, merge_method: method as 'merge' };
          await ignoring(stage.as('alice').rest.pulls.merge(merge));
        },
        isLost,
      ),
    ),
    said('propose'),
    said('approve'),
    said('reject not now'),
    said('publish'),
    said('publish'),
    said('resolve all local'),
    said('resolve all upstream'),
    said('explain'),
    fc
      .tuple(fc.constantFrom('rollback web@v1', 'delete web', 'delete web@v1', 'approve'), who, lost)
      .map(([text, by, isLost]) =>
        command(
          `${by}: ${text} in the issue`,
          () => true,
          async (_model, { repo, stage }) => {
            const issues = await stage
              .as('alice')
              .rest.issues.listForRepo({ ...repo.where, creator: 'alice' });
            const issue =
              issues.data.find(({ pull_request }) => pull_request === undefined)?.number ??
              (await stage.as('alice').rest.issues.create({ ...repo.where, title: 'Commands' })).data.number;
            await repo.say(issue, `/portico ${text}`, by);
          },
          isLost,
        ),
      ),
  ];
}

/** DESIGN: exactly one tag each revision, numbers that only grow, nothing published unapproved, no commit lost. */
export async function holds(model: Model, { repo }: Real): Promise<void> {
  const fail = (what: string): never => {
    throw new Error(`${what}\nafter:\n- ${model.done.join('\n- ')}`);
  };
  const lines = await repo.git(
    'for-each-ref',
    '--format=%(refname)%09%(objectname)%09%(*objectname)%09%(contents:trailers:unfold,only)%00',
    'refs/tags',
    'refs/portico/published',
  );
  const refs = lines
    .split('\0')
    .map((line) => line.replace(/^\n/, '').split('\t'))
    .filter(([name = '']) => name !== '')
    .map(([name = '', object = '', commit = '', said = '']) => ({ name, object, commit, said }));
  const tags = refs.filter(({ name }) => name.startsWith('refs/tags/'));
  const ledger = refs.filter(({ name }) => !name.startsWith('refs/tags/'));

  for (const { name, object } of tags) {
    const before = model.tags.get(name);
    if (before !== undefined && before !== object) fail(`${name} was moved`);
    model.tags.set(name, object);
    const kept = ledger.find((one) => one.name === name.replace('refs/tags/', 'refs/portico/published/'));
    if (kept?.object !== object) fail(`${name} is not in the ledger`);
  }
  for (const name of model.tags.keys()) {
    const kept = ledger.some((one) => one.name === name.replace('refs/tags/', 'refs/portico/published/'));
    if (!kept) fail(`${name} is gone, and the ledger does not know it`);
  }
  const numbers = ledger.map(({ name }) => number(name)).sort((a, b) => a - b);
  if (numbers.some((one, at) => one !== at + 1)) fail(`numbers are ${numbers.join(', ')}`);
  if (new Set(ledger.map(({ commit }) => commit)).size !== ledger.length) fail('two revisions of one commit');

  const pulls = await repo.pulls('all');
  for (const pull of pulls) {
    const of = ledger.filter(({ said }) => said.includes(`Proposal: #${pull.number}\n`));
    if (of.length > 1) fail(`#${pull.number} became ${of.length} revisions`);
    if (!pull.merged && of.length > 0) fail(`#${pull.number} is not merged and became a revision`);
    if (
      pull.merged &&
      pull.merged_by?.type === 'Bot' &&
      of.some(({ said }) => !said.includes('Approved-by: '))
    ) {
      fail(`#${pull.number} was published unapproved`);
    }
    if (pull.state === 'open' || pull.merged) await repo.sticky(pull.number);
    const branch = model.branches.get(pull.head.ref);
    if (branch?.pull === pull.number && pull.state === 'open') {
      for (const commit of branch.commits) {
        const missing = await repo.git('rev-list', '--count', commit, `^${pull.head.sha}`);
        if (missing !== '0') fail(`the commit ${commit} of a person is gone from ${pull.head.ref}`);
      }
    }
    if (branch?.pull === pull.number && pull.merged) {
      // What is merged is done: the workspace starts anew.
      delete branch.pull;
      branch.commits = [];
      await repo.git('update-ref', '-d', `refs/heads/${pull.head.ref}`);
      model.pushed &&= of.length === 0;
    }
  }

  const tree = await treeOf(repo, 'main');
  const newest = ledger.toSorted((a, b) => number(a.name) - number(b.name)).at(-1);
  if (tree !== null && newest !== undefined && !model.pushed) {
    const published = await treeOf(repo, newest.commit);
    if (published !== tree) fail('the package on main is not its newest revision, and nobody pushed it');
  }
}

function number(name: string): number {
  return Number(/\/v(\d+)$/.exec(name)?.[1]);
}

async function treeOf(repo: StageRepository, commit: string): Promise<string | null> {
  const line = await repo.git('ls-tree', commit, 'web');
  return /^040000 tree ([0-9a-f]+)/.exec(line)?.[1] ?? null;
}
