/** What people do by command in an issue: revisions come back, are retired, and the package goes. */
import { said, NOTHING } from './model-acts.ts';
import { contentOf } from './model-content.ts';
import type { Act, Came, Model, Real } from './model.ts';
import type { Login } from './stage.ts';

/** Something said in the issue for commands. `text` is made when it is said, null where there is nothing to say. */
function inIssue(
  kind: string,
  name: string,
  by: Login,
  text: (model: Model) => string | null,
  then: (model: Model, real: Real, text: string, came: Came) => Promise<void> | void = () => {},
): Act {
  return {
    kind,
    name: `${by}: ${name} in the issue`,
    async act(model, real) {
      const what = text(model);
      if (what === null) return NOTHING;
      const { issues } = real.stage.as('alice').rest;
      const { data } = await issues.listForRepo({ ...real.repo.where, creator: 'alice' });
      const number =
        data.find(({ pull_request }) => pull_request === undefined)?.number ??
        (await issues.create({ ...real.repo.where, title: 'Commands' })).data.number;
      const end = await said(model, real, number, what, by);
      return async () => {
        const came = await end();
        model.done[model.done.length - 1] += ` (${what})`;
        await then(model, real, what, came);
        return came;
      };
    },
  };
}

/** One of the revisions that there are, for a high number also the newest and retired ones; null where there is none. */
function revision(model: Model, nth: number, isNewestToo: boolean): string | null {
  const all = [...model.tags.keys()];
  const standing = all.filter((tag) => !model.retired.has(tag));
  const earlier = isNewestToo ? standing : standing.slice(0, -1);
  const chosen = nth > 2 || earlier.length === 0 ? all : earlier;
  return chosen[nth % chosen.length]?.replace('refs/tags/web/', 'web@') ?? null;
}

/** Brings back what a revision held, as a draft of Portico's. */
export function rollback(nth: number, by: Login): Act {
  return inIssue(
    '/portico rollback',
    `rollback web@(${nth})`,
    by,
    (model) => {
      const name = revision(model, nth, model.main?.tree === null);
      return name === null ? null : `rollback ${name}`;
    },
    async (model, real, text, came) => {
      if (came !== 'done' || !model.alone) return;
      const name = text.replace('rollback web@', '');
      const pull = (await real.repo.pulls()).find(
        ({ user, title }) => user.type === 'Bot' && title === `Restore web to ${name}`,
      );
      if (pull === undefined) throw new Error(`no draft brings ${name} back`);
      model.askers.set(pull.number, by);
      const trees = [`refs/portico/published/web/${name}:web`, `${pull.head.sha}:web`];
      const [wanted, held] = (await real.repo.git('rev-parse', ...trees)).split('\n');
      if (wanted !== held) throw new Error(`#${pull.number} does not hold what ${name} held`);
    },
  );
}

/** Asks to take one revision away: nothing goes before somebody else approves. */
export function askToRetire(nth: number, by: Login): Act {
  return inIssue(
    '/portico delete, of a revision',
    `delete web@(${nth})`,
    by,
    (model) => {
      const name = revision(model, nth, true);
      return name === null ? null : `delete ${name}`;
    },
    (model, _real, text, came) => {
      if (came === 'done') model.asked = text.replace('delete ', '');
    },
  );
}

export function approveRetirement(by: Login, isNamed: boolean): Act {
  return inIssue(
    '/portico approve, of a retirement',
    'approve',
    by,
    ({ asked }) => (!isNamed ? 'approve' : asked === undefined ? null : `approve ${asked}`),
    async (model, real, text, came) => {
      if (came !== 'done') return;
      model.mayRetire = true;
      const [, name] = text.split('@');
      if (name === undefined || !model.alone) return;
      const still = await real.repo.git('for-each-ref', `refs/tags/web/${name}`);
      if (still !== '') throw new Error(`${name} was to be retired and has its tag`);
      const kept = await real.repo.git('for-each-ref', `refs/portico/published/web/${name}`);
      if (kept === '') throw new Error(`${name} was retired and is not in the ledger`);
    },
  );
}

export function rejectRetirement(by: Login): Act {
  return inIssue('/portico reject, of a retirement', 'reject still used', by, () => 'reject still used');
}

export function askToDelete(by: Login): Act {
  return inIssue(
    '/portico delete, of the package',
    'delete web',
    by,
    () => 'delete web',
    async (model, real, _text, came) => {
      if (came !== 'done' || !model.alone) return;
      const pulls = await real.repo.pulls();
      const removing = pulls.filter(({ user, title }) => user.type === 'Bot' && title === 'Delete web');
      if (removing.length !== 1) throw new Error(`${removing.length} pull requests delete web`);
      model.askers.set(removing[0]!.number, by);
      const content = await contentOf(real.repo, removing[0]!.head.sha);
      if (content !== null) throw new Error('what deletes web holds it');
    },
  );
}
