/** What people do on one repository, each with what it must have come to when all is quiet. */
import { change, contentOf } from './model-content.ts';
import type { Act, Branch, Came, End, Model, Real, Said } from './model.ts';
import type { Login } from './stage.ts';

const WORKSPACES = ['one', 'two'] as const;
/** Also the newest pull request that Portico made itself: a rollback, a deletion. */
export type Target = (typeof WORKSPACES)[number] | 'made';
export type Workspace = (typeof WORKSPACES)[number];
export type Method = 'merge' | 'squash' | 'rebase';

/** The forge refuses what people may not do now: that too is something that happens. */
async function tried<T>(work: Promise<T>, then: (result: T) => unknown = () => {}): Promise<() => Came> {
  try {
    await then(await work);
    return () => 'done';
  } catch (error) {
    const { status, name } = error as { status?: number; name?: string };
    if (status === undefined && name !== 'GraphqlResponseError') throw error;
    return () => 'refused';
  }
}

export const NOTHING = (): Came => 'nothing';

const branchOf = (workspace: string): string => `drafts/web/${workspace}`;

async function pullOf(model: Model, { repo, stage }: Real, target: Target): Promise<number | undefined> {
  if (target !== 'made') return model.branches.get(branchOf(target))?.pull;
  const { data } = await stage.as('alice').rest.pulls.list({ ...repo.where, state: 'open' });
  return data.find(({ user }) => user?.type === 'Bot')?.number;
}

/** What the head of a pull request holds. */
async function contentAt({ repo }: Real, pull: number): Promise<string> {
  return String(await contentOf(repo, (await repo.pull(pull)).head.sha));
}

/** Remembers what somebody said of a pull request, once it is known to be taken. */
async function remembering(
  model: Model,
  real: Real,
  said: Pick<Said, 'pull' | 'by' | 'what'>,
  saying: () => Promise<End>,
): Promise<End> {
  const { step } = model;
  const before = await contentAt(real, said.pull);
  const end = await saying();
  return async () => {
    const came = await end();
    if (came !== 'done') return came;
    const after = model.alone ? before : await contentAt(real, said.pull);
    model.said.push({ ...said, step, contents: [before, after] });
    return came;
  };
}

/** Says a command; the end is what it was answered with. */
export async function said(model: Model, real: Real, number: number, text: string, by: Login): Promise<End> {
  const comment = await real.repo.say(number, `/portico ${text}`, by);
  return async () => {
    const { reaction, reply } = await real.repo.answerTo(number, comment);
    if (reaction === undefined) throw new Error(`nobody answered "/portico ${text}" on #${number}`);
    if (reaction !== 'rocket' && reaction !== 'confused') {
      throw new Error(`"/portico ${text}" on #${number} failed: ${reply}`);
    }
    if (reaction === 'rocket' && by === 'rita' && text !== 'explain') {
      throw new Error(`rita may only read, and "/portico ${text}" was done for her`);
    }
    if (reaction === 'rocket') return 'done';
    model.done[model.done.length - 1] += ` [${reply?.replaceAll(/<!--.*?-->|\s+/gs, ' ').slice(0, 150)}]`;
    return 'refused';
  };
}

const REMEMBERED: Readonly<Record<string, Said['what']>> = {
  approve: 'approve',
  reject: 'reject',
  publish: 'publish',
};

export function say(text: string, target: Target, by: Login): Act {
  const [verb = ''] = text.split(' ');
  const what = REMEMBERED[verb];
  return {
    kind: `/portico ${verb}`,
    name: `${by}: ${text} on ${target}`,
    async act(model, real) {
      const pull = await pullOf(model, real, target);
      if (pull === undefined) return NOTHING;
      const saying = async (): Promise<End> => {
        const end = await said(model, real, pull, text, by);
        return async () => {
          const came = await end();
          if (came === 'done' && model.alone) await stands(real, pull, verb);
          return came;
        };
      };
      return what === undefined ? saying() : remembering(model, real, { pull, by, what }, saying);
    },
  };
}

/** What a command that was done, and nothing else, has come to. */
async function stands({ repo }: Real, number: number, verb: string): Promise<void> {
  const { draft, merged, state } = await repo.pull(number);
  const is = merged ? 'merged' : draft ? 'a draft' : state;
  const must = { propose: 'open', reject: 'a draft', publish: 'merged' }[verb] ?? is;
  if (is !== must) throw new Error(`"/portico ${verb}" was done, and #${number} is ${is}`);
}

function known(model: Model, branch: string): Branch {
  const found = model.branches.get(branch) ?? { commits: [], fields: new Set() };
  model.branches.set(branch, found);
  return found;
}

/** A person pushes to a draft, and opens its pull request where there is none. */
export function push(w: Workspace, k: string, v: string, draft: boolean): Act {
  return {
    kind: 'push',
    name: `push ${k}=${v} to ${w}${draft ? ', as draft' : ''}`,
    async act(model, { repo }) {
      const name = branchOf(w);
      const branch = known(model, name);
      const goesOn = branch.commits.length > 0;
      // People push what they made of a commit: one that has moved since refuses them.
      const from = await repo.head(goesOn ? name : 'main');
      const { files, isWhole } = await change(repo, from, k, v);
      return tried(repo.push(name, files, { from }), async (commit) => {
        branch.commits.push(commit);
        if (isWhole) branch.fields = null;
        branch.fields?.add(k);
        if (branch.pull === undefined) branch.pull = (await repo.create(name, draft)).data.number;
      });
    },
  };
}

/** A person goes on with what Portico made. */
export function pushToMade(k: string, v: string): Act {
  return {
    kind: "push to Portico's draft",
    name: `push ${k}=${v} to made`,
    async act(model, real) {
      const pull = await pullOf(model, real, 'made');
      if (pull === undefined) return NOTHING;
      const { ref } = (await real.repo.pull(pull)).head;
      const branch = known(model, ref);
      Object.assign(branch, { pull, fields: null });
      const { files } = await change(real.repo, ref, k, v);
      return tried(real.repo.push(ref, files), (commit) => branch.commits.push(commit));
    },
  };
}

export function forcePush(w: Workspace, k: string, v: string): Act {
  return {
    kind: 'force-push',
    name: `force-push ${w} with ${k}=${v}`,
    async act(model, { repo }) {
      const branch = model.branches.get(branchOf(w));
      if (branch?.pull === undefined) return NOTHING;
      const from = await repo.head('main');
      const { files, isWhole } = await change(repo, from, k, v);
      return tried(repo.push(branchOf(w), files, { from, force: true }), (commit) => {
        branch.commits = [commit];
        branch.fields = isWhole ? null : new Set([k]);
      });
    },
  };
}

export function pushMain(k: string, v: string): Act {
  return {
    kind: 'push to main',
    name: `push ${k}=${v} to main`,
    async act(model, { repo }) {
      const { files } = await change(repo, 'main', k, v);
      model.pushed = true;
      return tried(repo.push('main', files));
    },
  };
}

export function review(target: Target, by: Login, event: 'APPROVE' | 'REQUEST_CHANGES'): Act {
  return {
    kind: `review ${event}`,
    name: `${by} reviews ${target}: ${event}`,
    async act(model, real) {
      const pull = await pullOf(model, real, target);
      if (pull === undefined) return NOTHING;
      const { pulls } = real.stage.as(by).rest;
      const what = event === 'APPROVE' ? 'review' : 'request changes';
      return remembering(model, real, { pull, by, what }, () =>
        tried(pulls.createReview({ ...real.repo.where, pull_number: pull, event, body: 'seen' })),
      );
    },
  };
}

/** The newest approval is taken back. */
export function dismiss(target: Target): Act {
  return {
    kind: 'dismiss an approval',
    name: `alice dismisses an approval of ${target}`,
    async act(model, real) {
      const pull = await pullOf(model, real, target);
      if (pull === undefined) return NOTHING;
      const { pulls } = real.stage.as('alice').rest;
      const at = { ...real.repo.where, pull_number: pull };
      const newest = (await pulls.listReviews(at)).data.findLast(({ state }) => state === 'APPROVED');
      if (newest === undefined) return NOTHING;
      const { id: review_id, user } = newest;
      return remembering(model, real, { pull, by: user!.login, what: 'dismissed' }, () =>
        tried(pulls.dismissReview({ ...at, review_id, message: 'no' })),
      );
    },
  };
}

export function mergeByButton(target: Target, merge_method: Method, by: Login): Act {
  return {
    kind: `merge button, ${merge_method}`,
    name: `${by}: ${merge_method} ${target} by the button`,
    async act(model, real) {
      const pull_number = await pullOf(model, real, target);
      if (pull_number === undefined) return NOTHING;
      return tried(real.stage.as(by).rest.pulls.merge({ ...real.repo.where, pull_number, merge_method }));
    },
  };
}

/** Wanted merged as soon as the rules of the branch allow it. */
export function autoMerge(target: Target, method: Method, by: Login): Act {
  return {
    kind: 'auto-merge',
    name: `${by}: ${method} ${target} when it may be`,
    async act(model, real) {
      const pull = await pullOf(model, real, target);
      if (pull === undefined) return NOTHING;
      const id = (await real.repo.pull(pull)).node_id;
      const mutation = `mutation($id: ID!, $how: PullRequestMergeMethod!) {
        enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: $how}) { clientMutationId }
      }`;
      const asked = real.stage.as(by).graphql(mutation, { id, how: method.toUpperCase() });
      return tried(asked, () => model.auto.add(pull));
    },
  };
}

/** Ready for review by the person's own button, or a draft again. */
export function turn(target: Target, into: 'ready' | 'draft'): Act {
  return {
    kind: into === 'ready' ? 'ready for review' : 'convert to draft',
    name: `alice turns ${target} ${into}`,
    async act(model, real) {
      const pull = await pullOf(model, real, target);
      if (pull === undefined) return NOTHING;
      const { node_id: id, draft, state } = await real.repo.pull(pull);
      if (state === 'closed' || draft === (into === 'draft')) return NOTHING;
      const name = into === 'ready' ? 'markPullRequestReadyForReview' : 'convertPullRequestToDraft';
      const mutation = `mutation($id: ID!) { ${name}(input: {pullRequestId: $id}) { clientMutationId } }`;
      return tried(real.stage.as('alice').graphql(mutation, { id }));
    },
  };
}

export function closeOrOpen(target: Target): Act {
  return {
    kind: 'close or reopen',
    name: `close or reopen ${target}`,
    async act(model, real) {
      const pull_number = await pullOf(model, real, target);
      if (pull_number === undefined) return NOTHING;
      const { pulls } = real.stage.as('alice').rest;
      const { data } = await pulls.get({ ...real.repo.where, pull_number });
      const state = data.state === 'open' ? 'closed' : 'open';
      return tried(pulls.update({ ...real.repo.where, pull_number, state }));
    },
  };
}
