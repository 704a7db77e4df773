import { z } from 'zod';

import type { PullRecord } from '../collaboration-records.ts';
import { collaborationStore } from '../collaboration-store.ts';
import type { ForgeContext } from '../context.ts';
import { changePull, pullById } from '../pulls/pull-events.ts';
import { touch } from '../pulls/transitions.ts';
import { refusal } from '../refusal.ts';
import { bodyOf, created, ok } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { simpleUser } from '../shapes/account.ts';
import { issueOf, simplePull } from '../shapes/pull.ts';
import { teamShape } from '../shapes/team.ts';
import { pullAt } from './writing.ts';

const wanted = z.object({
  reviewers: z.array(z.string()).default([]),
  team_reviewers: z.array(z.string()).default([]),
});

/** Who is asked for a review. */
export function addReviewers(context: ForgeContext, router: Router): void {
  const read = { app: ['pull_requests:read'], user: 'read' } as const;
  const write = { app: ['pull_requests:write'], user: 'triage' } as const;
  const path = '/pulls/:number/requested_reviewers';
  const { pulls } = collaborationStore(context.store);

  router.repo('GET', path, read, (request) => {
    const pull = pullAt(context, request);
    const { records } = context;
    return ok({
      users: pull.reviewerIds.map((id) => simpleUser(context, records.account(id))),
      teams: pull.reviewTeamIds
        .map((id) => records.teams.get(id))
        .filter((team) => team !== undefined)
        .map((team) => teamShape(context, team)),
    });
  });

  router.repo('POST', path, write, async (request) => {
    const pull = pullAt(context, request);
    const { users, teams } = named(context, request, pull);
    for (const id of users.filter((user) => !pull.reviewerIds.includes(user))) {
      await move({
        context,
        request,
        pull,
        action: 'review_requested',
        who: { user: id },
        change: (now) => pulls.update(pull.id, { reviewerIds: [...now.reviewerIds, id] }),
      });
    }
    for (const id of teams.filter((team) => !pull.reviewTeamIds.includes(team))) {
      await move({
        context,
        request,
        pull,
        action: 'review_requested',
        who: { team: id },
        change: (now) => pulls.update(pull.id, { reviewTeamIds: [...now.reviewTeamIds, id] }),
      });
    }
    return created(simplePull(context, request.repository, pullById(context, pull.id)));
  });

  router.repo('DELETE', path, write, async (request) => {
    const pull = pullAt(context, request);
    const { users, teams } = named(context, request, pull);
    for (const id of users.filter((user) => pull.reviewerIds.includes(user))) {
      await move({
        context,
        request,
        pull,
        action: 'review_request_removed',
        who: { user: id },
        change: (now) =>
          pulls.update(pull.id, { reviewerIds: now.reviewerIds.filter((each) => each !== id) }),
      });
    }
    for (const id of teams.filter((team) => pull.reviewTeamIds.includes(team))) {
      await move({
        context,
        request,
        pull,
        action: 'review_request_removed',
        who: { team: id },
        change: (now) =>
          pulls.update(pull.id, { reviewTeamIds: now.reviewTeamIds.filter((each) => each !== id) }),
      });
    }
    return ok(simplePull(context, request.repository, pullById(context, pull.id)));
  });
}

async function move({
  context,
  request,
  pull,
  action,
  who,
  change,
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly pull: PullRecord;
  readonly action: string;
  readonly who: { readonly user: number } | { readonly team: number };
  readonly change: (now: PullRecord) => void;
}): Promise<void> {
  const team = 'team' in who ? context.records.teams.get(who.team) : undefined;
  const extra =
    'user' in who
      ? { requested_reviewer: simpleUser(context, context.records.account(who.user)) }
      : { requested_team: team === undefined ? {} : teamShape(context, team) };
  const apply = (): void => {
    change(pullById(context, pull.id));
    touch(context, pull);
  };
  await changePull({
    context,
    repository: request.repository,
    pull,
    sender: request.actor().user,
    action,
    change: apply,
    extra,
  });
}

/** The people and teams that the body names. @throws 422 for the author, strangers and unknown names */
function named(
  context: ForgeContext,
  request: RepositoryRequest,
  pull: PullRecord,
): { users: number[]; teams: number[] } {
  const { reviewers, team_reviewers: slugs } = bodyOf(request, wanted);
  const author = issueOf(context, pull).userId;
  const users = reviewers.map((login) => {
    const account = context.records.accountByLogin(login);
    if (account?.id === author) throw refusal(422, 'Review cannot be requested from pull request author.');
    const stranger =
      account === undefined ||
      account.type === 'Organization' ||
      context.access.roleOf(account, request.repository) === 'none';
    if (stranger) {
      throw refusal(
        422,
        'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the repository.',
      );
    }
    return account.id;
  });
  const teams = slugs.map((slug) => {
    const team = context.records.teams.first('slug', [request.repository.ownerId, slug]);
    if (team === undefined) throw refusal(422, `Could not resolve to a node with the slug of '${slug}'.`);
    return team.id;
  });
  return { users, teams };
}
