/** What people push and propose, by every way in which content comes. */
import { configMap } from '../reconcile/small-package.ts';
import { stageRepository, type Files, type StageRepository } from '../reconcile/stage-repository.ts';
import type { Login } from '../reconcile/stage.ts';
import { does, inPlace, pullOf, type Act } from './act.ts';
import type { Place } from './world.ts';

/** A package's file with one value more or another. */
async function valued(
  repository: StageRepository,
  ref: string,
  directory: string,
  key: string,
  value: string,
): Promise<Files> {
  const path = `${directory}/config.yaml`;
  const text = (await repository.read(path, ref)) ?? configMap(directory, {});
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith(`  ${key}:`));
  return { [path]: `${lines.join('\n')}\n  ${key}: ${value}\n` };
}

async function headOf(repository: StageRepository, branch: string): Promise<string | null> {
  return repository.head(branch);
}

interface Push {
  readonly by: Login;
  readonly branch: string;
  readonly value: string;
  readonly key?: string;
  readonly package?: string;
  readonly place?: Place;
  /** Commit or branch that it starts from; default: the branch, or main. */
  readonly from?: string;
  readonly force?: boolean;
  readonly message?: string;
}

export function push(push: Push): Act {
  const {
    by,
    branch,
    value,
    key = 'color',
    package: path = 'web',
    place = 'web',
    from,
    force,
    message,
  } = push;
  const how = force === true ? 'force-pushes' : 'pushes';
  return does(
    `${by} ${how} ${path} ${key}=${value} to ${branch}${from === undefined ? '' : ` from ${from}`}${message === undefined ? '' : `, saying ${JSON.stringify(message)}`}${inPlace(place)}`,
    async (world) => {
      const repository = world.at(place);
      const start = from ?? ((await headOf(repository, branch)) === null ? 'main' : branch);
      const files = await valued(repository, start, path, key, value);
      await repository.push(branch, files, {
        as: by,
        ...(from !== undefined && { from }),
        ...(force !== undefined && { force }),
        ...(message !== undefined && { message }),
      });
    },
  );
}

/** Brings a file, or takes it away. */
export function pushFile(by: Login, branch: string, path: string, text: string | null, from?: string): Act {
  return does(
    `${by} ${text === null ? 'removes' : 'adds'} ${path} on ${branch}${from === undefined ? '' : ` from ${from}`}`,
    (world) =>
      world.at('web').push(branch, { [path]: text }, { as: by, ...(from !== undefined && { from }) }),
  );
}

/** Pushes onto the newest branch of the bot, whose name people read in its pull request. */
export function pushToBots(by: Login, place: Place, value: string, isForced: boolean): Act {
  return does(
    `${by} ${isForced ? 'force-pushes' : 'pushes'} color=${value} onto the bot's branch${inPlace(place)}`,
    async (world) => {
      const repository = world.at(place);
      const number = await pullOf(repository, 'bot');
      if (number === null) return null;
      const { head } = await repository.pull(number);
      const [path = 'web'] = (await repository.git('diff', '--name-only', 'main', head.sha)).split('/');
      const from = isForced ? 'main' : head.sha;
      const kptfile = await repository.read(`${path}/Kptfile`, head.sha);
      const files = await valued(repository, head.sha, path, 'color', value);
      return repository.push(
        head.ref,
        { ...files, ...(kptfile !== null && { [`${path}/Kptfile`]: kptfile }) },
        { as: by, from, force: isForced },
      );
    },
  );
}

/** A merge whose first parent is the person's own commit, and whose second is what the bot made. */
export function mergeUnderOwn(by: Login, branch: string, value: string): Act {
  return does(`${by} merges ${branch} under a commit with color=${value}`, async (world) => {
    const repository = world.at('web');
    const head = await headOf(repository, branch);
    if (head === null) return null;
    const { git } = world.stage.as(by).rest;
    const path = branch.split('/')[1] ?? 'web';
    const main = await repository.head('main');
    const at = { ...repository.where };
    const [file, content] = Object.entries(await valued(repository, head, path, 'color', value))[0]!;
    const entry = { path: file, mode: '100644' as const, type: 'blob' as const, content: content! };
    const own = await git.createTree({ ...at, base_tree: head, tree: [entry] });
    const first = await git.createCommit({ ...at, message: 'Mine', tree: own.data.sha, parents: [main] });
    const parents = [first.data.sha, head];
    const both = await git.createCommit({ ...at, message: 'Both', tree: own.data.sha, parents });
    return git.updateRef({ ...at, ref: `heads/${branch}`, sha: both.data.sha });
  });
}

/** Merges the registered branch into another, and changes something in the merge itself. */
export function evilMerge(by: Login, branch: string, value: string): Act {
  return does(`${by} merges main into ${branch} with color=${value} slipped in`, async (world) => {
    const repository = world.at('web');
    const [head, main] = await Promise.all([headOf(repository, branch), repository.head('main')]);
    if (head === null) return null;
    const { git } = world.stage.as(by).rest;
    const at = { ...repository.where };
    const [file, content] = Object.entries(await valued(repository, head, 'web', 'color', value))[0]!;
    const entry = { path: file, mode: '100644' as const, type: 'blob' as const, content: content! };
    const tree = await git.createTree({ ...at, base_tree: head, tree: [entry] });
    const parents = [head, main];
    const merge = await git.createCommit({ ...at, message: 'Merge main', tree: tree.data.sha, parents });
    return git.updateRef({ ...at, ref: `heads/${branch}`, sha: merge.data.sha });
  });
}

/** GitHub's button "Update branch". */
export function updateBranch(by: Login, branch: string): Act {
  return does(`${by} updates ${branch} by the button`, async (world) => {
    const repository = world.at('web');
    const pull_number = await pullOf(repository, branch);
    if (pull_number === null) return null;
    return world.stage.as(by).rest.pulls.updateBranch({ ...repository.where, pull_number });
  });
}

export function open(by: Login, branch: string, base = 'main', place: Place = 'web'): Act {
  return does(`${by} opens ${branch} into ${base}${inPlace(place)}`, (world) =>
    world.stage.as(by).rest.pulls.create({
      ...world.at(place).where,
      title: `Change by ${branch}`,
      head: branch,
      base,
    }),
  );
}

export function retarget(by: Login, branch: string, base: string): Act {
  return does(`${by} retargets ${branch} to ${base}`, async (world) => {
    const pull_number = await pullOf(world.at('web'), branch);
    if (pull_number === null) return null;
    return world.stage.as(by).rest.pulls.update({ ...world.at('web').where, pull_number, base });
  });
}

/** A fork of a person who may only read, with a pull request from it. */
export function proposeFromFork(by: Login, value: string): Act {
  return does(`${by} proposes color=${value} from a fork`, async (world) => {
    const main = world.at('web');
    const rest = world.stage.as(by).rest;
    let fork = world.forks.get(by);
    if (fork === undefined) {
      await rest.repos.createFork(main.where);
      const { stage } = world;
      fork = stageRepository({ ...stage, owner: by, name: main.repo });
      world.forks.set(by, fork);
    }
    await fork.push('mine', await valued(main, 'main', 'web', 'color', value), { as: by });
    return rest.pulls.create({ ...main.where, title: 'From a fork', head: `${by}:mine`, base: 'main' });
  });
}

/** The newest commit of the bot on one branch, with its message, over other content on another. */
export function forgeCommit(by: Login, branch: string, value: string): Act {
  return does(`${by} pushes color=${value} to ${branch} as the bot would have said it`, async (world) => {
    const repository = world.at('web');
    const log = await repository.git('log', '--all', '--author=portico', '--format=%B%x00', '-1');
    const message = log.split('\0')[0]?.trim() ?? '';
    const files = await valued(repository, 'main', 'web', 'color', value);
    await repository.push(branch, files, { as: by, message: message === '' ? 'Mine' : message });
  });
}
