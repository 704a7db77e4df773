import { z } from 'zod';

import type { ForgeContext } from '../context.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { forbidden, invalid } from '../refusal.ts';
import { createRepository } from '../repositories.ts';
import { accepted, bodyOf, paginated } from '../request.ts';
import type { RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { fullRepository, repositoryPayload, repositoryShape } from '../shapes/repository.ts';

const body = z.object({
  organization: z.string().optional(),
  name: z.string().optional(),
  default_branch_only: z.boolean().default(false),
});

/** Forks: made for a person or an organization, and listed. */
export function addForks(context: ForgeContext, router: Router): void {
  const { repositories } = context.records;
  router.repo('POST', '/forks', { app: ['administration:write'], user: 'read' }, async (request) => {
    const fork = await makeFork(context, request);
    return accepted(fullRepository(context, fork, request.viewer));
  });
  router.repo('GET', '/forks', { app: [], user: 'read' }, (request) => {
    const visible = repositories
      .find('parent', [request.repository.id])
      .filter((fork) => context.access.viewerRole(request.viewer, fork) !== 'none');
    return paginated(request, visible.toReversed(), (fork) => repositoryShape(context, fork, request.viewer));
  });
}

/** A fork that is there already is the answer, as on GitHub. */
async function makeFork(context: ForgeContext, request: RepositoryRequest): Promise<RepositoryRecord> {
  const wanted = bodyOf(request, body);
  const { repository } = request;
  const { user } = request.actor();
  const owner = ownerOf(context, user, wanted.organization);
  if (owner.id === repository.ownerId) {
    throw invalid({ resource: 'Repository', field: 'organization', code: 'invalid' });
  }
  const { repositories } = context.records;
  const known = repositories.find('parent', [repository.id]).find((fork) => fork.ownerId === owner.id);
  if (known !== undefined) return known;
  const name = freeName(context, owner, wanted.name ?? repository.name);
  const fork = await createRepository(context, {
    ownerId: owner.id,
    name,
    private: repository.private,
    description: repository.description,
    defaultBranch: repository.defaultBranch,
    parentId: repository.id,
  });
  const from = context.git(repository).directory;
  const branches = wanted.default_branch_only ? repository.defaultBranch : '*';
  await context
    .git(fork)
    .run([
      'fetch',
      '--quiet',
      '--no-write-fetch-head',
      from,
      `+refs/heads/${branches}:refs/heads/${branches}`,
      '+refs/tags/*:refs/tags/*',
    ]);
  context.emit({
    event: 'fork',
    repository,
    sender: user,
    payload: { forkee: { ...repositoryPayload(context, fork), public: !fork.private } },
  });
  return fork;
}

function ownerOf(
  context: ForgeContext,
  user: AccountRecord,
  organization: string | undefined,
): AccountRecord {
  if (organization === undefined) return user;
  const org = context.records.accountByLogin(organization);
  if (org === undefined || !context.access.isOrgMember(org.id, user.id)) {
    throw forbidden('You need to be a member of the organization to fork into it.');
  }
  return org;
}

/** GitHub counts a taken name on: `name-1`. */
function freeName(context: ForgeContext, owner: AccountRecord, name: string): string {
  for (let count = 0; ; count += 1) {
    const candidate = count === 0 ? name : `${name}-${count}`;
    if (context.records.repositoryByName(owner.login, candidate) === undefined) return candidate;
  }
}
