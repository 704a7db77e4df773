import type { PullRecord } from '../collaboration-records.ts';
import type { ForgeContext } from '../context.ts';
import { baseOf } from '../pulls/mergeability.ts';
import { paginated } from '../request.ts';
import type { Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { diffEntry } from '../shapes/diff-entry.ts';
import { commitShapes } from './pull-commits.ts';
import { pullAt } from './writing.ts';

/** GitHub shows no more files and commits of a pull request. */
const MAX_FILES = 3000;
const MAX_COMMITS = 250;

/** What a pull request changes: files and commits. */
export function addPullFiles(context: ForgeContext, router: Router): void {
  const read = { app: ['pull_requests:read'], user: 'read' } as const;

  router.repo('GET', '/pulls/:number/files', read, async (request) => {
    const pull = pullAt(context, request);
    const { git, from } = await sides(context, request, pull);
    const files = await git.diff(from, pull.headSha, { patch: true });
    return paginated(request, files.slice(0, MAX_FILES), (file) =>
      diffEntry(context, request.repository, file, pull.headSha),
    );
  });

  router.repo('GET', '/pulls/:number/commits', read, async (request) => {
    const pull = pullAt(context, request);
    const { git, base } = await sides(context, request, pull);
    const shas = await git.log({ include: [pull.headSha], exclude: [base], reverse: true });
    return commitShapes(context, request, shas.slice(0, MAX_COMMITS));
  });
}

/** The answer to a request for `.diff` or `.patch`; undefined when JSON is wanted. */
export async function changeText(
  context: ForgeContext,
  request: RepositoryRequest,
  pull: PullRecord,
): Promise<Reply | undefined> {
  const wanted = /application\/vnd\.github(?:\.v3)?\.(diff|patch)/.exec(request.accept)?.[1];
  if (wanted !== 'diff' && wanted !== 'patch') return undefined;
  const { git, from } = await sides(context, request, pull);
  return {
    status: 200,
    body: await git.diffText(from, pull.headSha, wanted),
    headers: { 'content-type': `application/vnd.github.${wanted}; charset=utf-8` },
  };
}

async function sides(
  context: ForgeContext,
  request: RepositoryRequest,
  pull: PullRecord,
): Promise<{ git: ReturnType<ForgeContext['git']>; base: string; from: string }> {
  const git = context.git(request.repository);
  const base = await baseOf(context, request.repository, pull);
  return { git, base, from: (await git.mergeBase(base, pull.headSha)) ?? base };
}
