import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import { mergeCommit } from '../merge-engine.ts';
import { personOf } from '../people.ts';
import { mergePull } from '../pulls/merge-pull.ts';
import { conflict, forbidden, notFound, refusal, unprocessable } from '../refusal.ts';
import { accepted, bodyOf, created, noContent, ok } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { issueOf } from '../shapes/pull.ts';
import { loadCommitShape } from './pull-commits.ts';
import { pullAt } from './writing.ts';

const merge = z.object({
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
  sha: z.string().optional(),
  merge_method: z.enum(['merge', 'squash', 'rebase']).default('merge'),
});

const update = z.object({ expected_head_sha: z.string().optional() });

const branches = z.object({
  base: z.string().min(1),
  head: z.string().min(1),
  commit_message: z.string().optional(),
});

/** Merging: pull requests, one branch into another, and the base into a pull request's branch. */
export function addPullMerge(context: ForgeContext, router: Router): void {
  router.repo('GET', '/pulls/:number/merge', { app: ['pull_requests:read'], user: 'read' }, (request) => {
    if (pullAt(context, request).mergedAt === null) throw notFound();
    return noContent();
  });

  router.repo('PUT', '/pulls/:number/merge', { app: ['contents:write'], user: 'write' }, async (request) => {
    const pull = pullAt(context, request);
    const wanted = bodyOf(request, merge);
    const outcome = await mergePull(context, request.repository, pull.id, {
      actor: request.actor(),
      method: wanted.merge_method,
      ...(wanted.sha === undefined ? {} : { sha: wanted.sha }),
      ...(wanted.commit_title === undefined ? {} : { title: wanted.commit_title }),
      ...(wanted.commit_message === undefined ? {} : { message: wanted.commit_message }),
    });
    if (!outcome.merged) throw refusal(outcome.status, outcome.message);
    return ok({ sha: outcome.sha, merged: true, message: 'Pull Request successfully merged' });
  });

  router.repo(
    'PUT',
    '/pulls/:number/update-branch',
    { app: ['pull_requests:write'], user: 'write' },
    async (request) => {
      const pull = pullAt(context, request);
      const { expected_head_sha: expected } = bodyOf(request, update);
      if (issueOf(context, pull).state === 'closed') throw unprocessable('The pull request is closed.');
      if (expected !== undefined && expected !== pull.headSha) {
        throw unprocessable(`expected head sha didn't match current head ref.`);
      }
      if (pull.headRepositoryId !== undefined) throw unprocessable('The head branch is in a fork.');
      const message = `Merge branch '${pull.baseRef}' into ${pull.headRef}`;
      const outcome = await mergeBranch({
        context,
        request,
        target: pull.headRef,
        source: pull.baseRef,
        message,
      });
      if (outcome === 'conflict') throw unprocessable('merge conflict between base and head');
      if (outcome === 'nothing') {
        throw unprocessable('There are no new commits on the base branch.');
      }
      return accepted({
        message: 'Updating pull request branch.',
        url: context.urls.repoApi(request.repository, `/pulls/${pull.number}`),
      });
    },
  );

  router.repo('POST', '/merges', { app: ['contents:write'], user: 'write' }, async (request) => {
    const wanted = bodyOf(request, branches);
    const message = wanted.commit_message ?? `Merge ${wanted.head} into ${wanted.base}`;
    const outcome = await mergeBranch({
      context,
      request,
      target: wanted.base,
      source: wanted.head,
      message,
    });
    if (outcome === 'nothing') return noContent();
    if (outcome === 'conflict') throw conflict('Merge conflict');
    return created(await loadCommitShape(context, request.repository, outcome.sha));
  });
}

/** Merges `source` (a branch, tag or commit) into the branch `target` and moves that. */
async function mergeBranch({
  context,
  request,
  target,
  source,
  message,
}: {
  readonly context: ForgeContext;
  readonly request: RepositoryRequest;
  readonly target: string;
  readonly source: string;
  readonly message: string;
}): Promise<'nothing' | 'conflict' | { readonly sha: string }> {
  const { repository } = request;
  const actor = request.actor();
  const git = context.git(repository);
  return context.refs.exclusive(repository, async () => {
    const ref = `refs/heads/${target}`;
    const base = (await git.ref(ref))?.sha;
    if (base === undefined) throw refusal(404, 'Base does not exist');
    const head = await git.resolve(source);
    if (head === undefined) throw refusal(404, 'Head does not exist');
    if (await git.isAncestor(head, base)) return 'nothing';
    const author = personOf(context, actor.user);
    const made = await mergeCommit(git, { base, head, message: `${message}\n`, author, committer: author });
    if (!made.clean) return 'conflict';
    const moved = await context.refs.update(repository, [{ ref, before: base, after: made.sha }], { actor });
    if (!moved.ok) {
      const messages = moved.refusals.flatMap((one) =>
        one.explanation.length > 0 ? one.explanation : one.reason,
      );
      throw forbidden(messages.join('\n'));
    }
    return { sha: made.sha };
  });
}
