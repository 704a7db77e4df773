/** One thing that somebody does, and how it is told. */

import type { StageRepository } from '../reconcile/stage-repository.ts';
import type { Login } from '../reconcile/stage.ts';
import type { Place, World } from './world.ts';

/** What came of it is known when all is quiet. */
export type Outcome = () => Promise<string> | string;

export interface Act {
  readonly name: string;
  /** `nothing`: there was nothing to act on. */
  readonly act: (world: World) => Promise<Outcome>;
}

const NOTHING: Outcome = () => 'nothing';
const DONE: Outcome = () => '';

/** The forge refuses what people may not do: that too is something that happens. */
async function attempt(work: () => Promise<unknown>): Promise<Outcome> {
  try {
    return (await work()) === null ? NOTHING : DONE;
  } catch (error) {
    const { status, name, message } = error as { status?: number; name?: string; message?: string };
    if (status === undefined && name !== 'GraphqlResponseError') throw error;
    return () => `refused by the forge: ${message?.split('\n')[0]?.slice(0, 80)}`;
  }
}

export function does(name: string, work: (world: World) => Promise<unknown>): Act {
  return { name, act: (world) => attempt(() => work(world)) };
}

/** A comment; the outcome is what it was answered with. */
export async function say(
  repository: StageRepository,
  number: number,
  by: Login,
  body: string,
): Promise<Outcome> {
  let comment = 0;
  const said = await attempt(async () => {
    comment = await repository.say(number, body, by);
  });
  if (comment === 0) return said;
  return async () => {
    const { reaction, reply } = await repository.answerTo(number, comment).catch(() => ({
      reaction: 'not to be found',
      reply: '',
    }));
    return `${reaction ?? 'no answer'}${
      reaction === 'confused'
        ? `: ${reply
            ?.replaceAll(/<!--.*?-->|\s+/gs, ' ')
            .trim()
            .slice(0, 160)}`
        : ''
    }`;
  };
}

/** The newest open pull request of a branch, or the newest of the bot for `bot`; null where there is none. */
export async function pullOf(repository: StageRepository, branch: string): Promise<number | null> {
  const pulls = await repository.pulls();
  return (
    pulls.find(({ head, user }) => (branch === 'bot' ? user.type === 'Bot' : head.ref === branch))?.number ??
    null
  );
}

/** An open issue by its title; null where there is none. */
export async function issueOf(
  world: World,
  repository: StageRepository,
  title: RegExp,
): Promise<number | null> {
  const { data } = await world.stage
    .as('alice')
    .rest.issues.listForRepo({ ...repository.where, state: 'open', per_page: 100 });
  return data.find((one) => one.pull_request === undefined && title.test(one.title))?.number ?? null;
}

export function inPlace(place: Place): string {
  return place === 'web' ? '' : ` in ${place}`;
}
