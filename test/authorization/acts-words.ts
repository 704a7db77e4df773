/** What people say and press: commands, edits, reviews, the merge button. */
import type { Login } from '../reconcile/stage.ts';
import { does, inPlace, issueOf, pullOf, say, type Act } from './act.ts';
import type { Place } from './world.ts';

const NOBODY: Act['act'] = async () => () => 'nothing';

/** Says a command in the pull request of a branch. */
export function command(by: Login, text: string, branch: string, place: Place = 'web'): Act {
  return {
    name: `${by}: /portico ${text} in the pull request of ${branch}${inPlace(place)}`,
    act: async (world) => {
      const number = await pullOf(world.at(place), branch);
      if (number === null) return NOBODY(world);
      return say(world.at(place), number, by, `/portico ${text}`);
    },
  };
}

/** Says a command in an issue: of the person's own, or the one that asks to retire a revision. */
export function inIssue(by: Login, text: string, place: Place = 'web', title = /^Commands$/): Act {
  return {
    name: `${by}: /portico ${text} in ${title.source.includes('Commands') ? 'an issue' : 'the issue of the retirement'}${inPlace(place)}`,
    act: async (world) => {
      const repository = world.at(place);
      let number = await issueOf(world, repository, title);
      if (number === null && title.source === '^Commands$') {
        const { issues } = world.stage.as('alice').rest;
        number = (await issues.create({ ...repository.where, title: 'Commands' })).data.number;
      }
      if (number === null) return NOBODY(world);
      return say(repository, number, by, `/portico ${text}`);
    },
  };
}

/** Somebody's harmless words, changed by another at once into a command. */
export function editedInto(by: Login, words: string, editor: Login, text: string, branch: string): Act {
  return {
    name: `${by} says "${words}" in the pull request of ${branch}, and ${editor} edits it to /portico ${text}`,
    act: async (world) => {
      const repository = world.at('web');
      const number = await pullOf(repository, branch);
      if (number === null) return NOBODY(world);
      const comment_id = await repository.say(number, words, by);
      await world.stage
        .as(editor)
        .rest.issues.updateComment({ ...repository.where, comment_id, body: `/portico ${text}` });
      return () => '';
    },
  };
}

/** Puts the bot's words from one pull request into its comment in another, seals and all. */
export function copyWords(by: Login, from: string, to: string): Act {
  return does(`${by} copies the bot's words from ${from} to ${to}`, async (world) => {
    const repository = world.at('web');
    const pulls = await repository.pulls('all');
    const source = pulls.find(({ head }) => head.ref === from)?.number;
    const target = await pullOf(repository, to);
    if (source === undefined || target === null) return null;
    const ours = async (number: number) =>
      (await repository.comments(number)).filter(({ user }) => user?.type === 'Bot');
    const [theirs, here] = await Promise.all([ours(source), ours(target)]);
    const { issues } = world.stage.as(by).rest;
    for (const { body } of theirs) {
      await issues.createComment({ ...repository.where, issue_number: target, body: body! });
    }
    if (theirs[0] === undefined || here[0] === undefined) return null;
    const comment_id = here[0].id;
    return issues.updateComment({
      ...repository.where,
      comment_id,
      body: theirs.map(({ body }) => body).join('\n'),
    });
  });
}

export function review(
  by: Login,
  branch: string,
  event: 'APPROVE' | 'REQUEST_CHANGES' = 'APPROVE',
  place: Place = 'web',
): Act {
  return does(`${by} reviews ${branch}: ${event}${inPlace(place)}`, async (world) => {
    const pull_number = await pullOf(world.at(place), branch);
    if (pull_number === null) return null;
    const { pulls } = world.stage.as(by).rest;
    return pulls.createReview({ ...world.at(place).where, pull_number, event, body: 'Seen.' });
  });
}

export function dismiss(by: Login, branch: string): Act {
  return does(`${by} dismisses the newest approval of ${branch}`, async (world) => {
    const repository = world.at('web');
    const pull_number = await pullOf(repository, branch);
    if (pull_number === null) return null;
    const { pulls } = world.stage.as(by).rest;
    const { data } = await pulls.listReviews({ ...repository.where, pull_number });
    const newest = data.findLast(({ state }) => state === 'APPROVED');
    if (newest === undefined) return null;
    return pulls.dismissReview({ ...repository.where, pull_number, review_id: newest.id, message: 'No.' });
  });
}

export function mergeByButton(
  by: Login,
  branch: string,
  merge_method: 'merge' | 'squash' | 'rebase' = 'merge',
  place: Place = 'web',
): Act {
  return does(`${by} merges ${branch} by the button (${merge_method})${inPlace(place)}`, async (world) => {
    const pull_number = await pullOf(world.at(place), branch);
    if (pull_number === null) return null;
    return world.stage.as(by).rest.pulls.merge({ ...world.at(place).where, pull_number, merge_method });
  });
}

export function autoMerge(by: Login, branch: string): Act {
  return does(`${by} has ${branch} merged when it may be`, async (world) => {
    const repository = world.at('web');
    const number = await pullOf(repository, branch);
    if (number === null) return null;
    const id = (await repository.pull(number)).node_id;
    const mutation = `mutation($id: ID!) {
      enablePullRequestAutoMerge(input: {pullRequestId: $id, mergeMethod: MERGE}) { clientMutationId }
    }`;
    return world.stage.as(by).graphql(mutation, { id });
  });
}

/** Everything is looked at. */
export const sweep: Act = {
  name: 'the sweep comes',
  act: async () => () => '',
};
