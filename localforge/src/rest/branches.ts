import type { RestEndpointMethodTypes } from '@octokit/rest';
import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import { protectionOf, rulesetsFor } from '../gate.ts';
import { isRefName } from '../git-refs.ts';
import type { GitRef } from '../git-repository.ts';
import type { RepositoryRecord } from '../records.ts';
import { notFound, unprocessable } from '../refusal.ts';
import { pointHead } from '../repositories.ts';
import { bodyOf, created, ok, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { commitShape } from '../shapes/commit.ts';
import { CONTENTS_READ, CONTENTS_WRITE, demandMoved } from './git-refs.ts';
import { protectionShape } from './protection.ts';

type Branch = RestEndpointMethodTypes['repos']['getBranch']['response']['data'];
type ShortBranch = RestEndpointMethodTypes['repos']['listBranches']['response']['data'][number];

const renameBody = z.object({ new_name: z.string() });

/** `/branches`. */
export function addBranchRoutes(context: ForgeContext, router: Router): void {
  router.repo('GET', '/branches', CONTENTS_READ, async (request) => {
    const refs = await context.git(request.repository).refs('refs/heads/');
    const wanted = request.query('protected');
    const shown = refs.filter(
      (ref) => wanted === undefined || String(isProtected(context, request.repository, ref)) === wanted,
    );
    return paginated(request, shown, (ref) => shortBranch(context, request.repository, ref));
  });
  router.repo('GET', '/branches/:branch{.+}', CONTENTS_READ, async (request) =>
    ok(await branchShape(context, request.repository, await branchAt(context, request))),
  );
  router.repo('POST', '/branches/:branch{.+}/rename', CONTENTS_WRITE, async (request) => {
    const { new_name: name } = bodyOf(request, renameBody);
    const { repository } = request;
    const from = await branchAt(context, request);
    const ref = `refs/heads/${name}`;
    if (!isRefName(ref)) throw unprocessable('The new branch name is invalid.');
    if ((await context.git(repository).ref(ref)) !== undefined)
      throw unprocessable('The branch already exists.');
    const changes = [
      { ref, before: null, after: from.sha },
      { ref: from.ref, before: from.sha, after: null },
    ];
    const isDefault = from.ref === `refs/heads/${repository.defaultBranch}`;
    const result = await context.refs.update(repository, changes, {
      actor: request.actor(),
      enforce: !isDefault,
    });
    demandMoved(result, 'The branch cannot be renamed.');
    if (isDefault) {
      await pointHead(context, context.records.repositories.update(repository.id, { defaultBranch: name }));
    }
    return created(await branchShape(context, repository, { ...from, ref }));
  });
}

async function branchAt(context: ForgeContext, request: RepositoryRequest): Promise<GitRef> {
  const found = await context.git(request.repository).ref(`refs/heads/${request.param('branch')}`);
  if (found === undefined) throw notFound();
  return found;
}

const nameOf = (ref: GitRef): string => ref.ref.slice('refs/heads/'.length);

function isProtected(context: ForgeContext, repository: RepositoryRecord, ref: GitRef): boolean {
  return (
    protectionOf(context, repository, nameOf(ref)) !== undefined ||
    rulesetsFor(context, repository, ref.ref).length > 0
  );
}

function shortBranch(context: ForgeContext, repository: RepositoryRecord, ref: GitRef): ShortBranch {
  const name = nameOf(ref);
  const protection = protectionOf(context, repository, name);
  const url = context.urls.repoApi(repository, `/branches/${encodeURIComponent(name)}/protection`);
  const checks = protection?.requiredStatusChecks?.checks ?? [];
  return {
    name,
    commit: { sha: ref.sha, url: context.urls.repoApi(repository, `/commits/${ref.sha}`) },
    protected: isProtected(context, repository, ref),
    protection: {
      enabled: protection !== undefined,
      required_status_checks: {
        enforcement_level:
          checks.length === 0 ? 'off' : protection?.enforceAdmins === true ? 'everyone' : 'non_admins',
        contexts: checks.map((check) => check.context),
        checks: checks.map((check) => ({ context: check.context, app_id: check.appId })),
      },
    },
    protection_url: url,
  };
}

async function branchShape(
  context: ForgeContext,
  repository: RepositoryRecord,
  ref: GitRef,
): Promise<Branch> {
  const commit = await context.git(repository).commit(ref.sha);
  if (commit === undefined) throw notFound();
  const name = nameOf(ref);
  const protection = protectionOf(context, repository, name);
  const short = shortBranch(context, repository, ref);
  return {
    name,
    commit: commitShape(context, repository, commit),
    _links: {
      self: context.urls.repoApi(repository, `/branches/${encodeURIComponent(name)}`),
      html: context.urls.repoWeb(repository, `/tree/${name}`),
    },
    protected: short.protected,
    protection: {
      ...(protection === undefined ? {} : protectionShape(context, repository, protection)),
      ...short.protection,
    },
    protection_url: short.protection_url ?? '',
  };
}
