/** What changes the rules: rights, configuration, refs made by hand. */
import type { Login } from '../reconcile/stage.ts';
import { does, inPlace, type Act } from './act.ts';
import type { Place, World } from './world.ts';

type Permission = 'pull' | 'push' | 'maintain';

/** Gives a role, or takes it. */
export function grant(by: Login, username: Login, permission: Permission | null, place: Place = 'web'): Act {
  const what = permission === null ? `takes ${username}'s rights` : `gives ${username} ${permission}`;
  return does(`${by} ${what}${inPlace(place)}`, (world) => {
    const { repos } = world.stage.as(by).rest;
    const { where } = world.at(place);
    return permission === null
      ? repos.removeCollaborator({ ...where, username })
      : repos.addCollaborator({ ...where, username, permission });
  });
}

/** Changes the configuration on a branch: `find` becomes `put`. */
export function configure(by: Login, branch: string, find: string, put: string, place: Place = 'web'): Act {
  return does(
    `${by} changes "${find}" to "${put}" in the configuration on ${branch}${inPlace(place)}`,
    async (world) => {
      const repository = world.at(place);
      const text = await repository.read('.github/portico.yaml');
      if (text === null || !text.includes(find)) return null;
      return repository.push(branch, { '.github/portico.yaml': text.replace(find, put) }, { as: by });
    },
  );
}

/** A ref made by hand, pointing at what is given. */
export function makeRef(
  by: Login,
  ref: string,
  place: Place,
  target: (world: World) => Promise<string>,
): Act {
  return does(`${by} makes the ref ${ref}${inPlace(place)}`, async (world) => {
    const sha = await target(world);
    return world.stage.as(by).rest.git.createRef({ ...world.at(place).where, ref, sha });
  });
}
