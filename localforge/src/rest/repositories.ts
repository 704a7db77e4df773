import { rm } from 'node:fs/promises';

import { z } from 'zod';

import { roleAtLeast } from '../access.ts';
import type { ForgeContext } from '../context.ts';
import { personOf } from '../people.ts';
import type { AccountRecord, RepositoryRecord } from '../records.ts';
import { forbidden, invalid, notFound, refusal } from '../refusal.ts';
import { createRepository, pointHead } from '../repositories.ts';
import { bodyOf, created, noContent, ok, paginated } from '../request.ts';
import type { ForgeRequest, Reply, RepositoryRequest } from '../request.ts';
import type { Router } from '../router.ts';
import { fullRepository, repositoryShape } from '../shapes/repository.ts';
import type { Viewer } from '../viewer.ts';
import { tellOfInstalled } from './installations.ts';

const NAME = /^[A-Za-z0-9_.-]{1,100}$/;
const METADATA = { app: [], user: 'read' } as const;
const ADMIN = { app: ['administration:write'], user: 'admin' } as const;

const settings = z.object({
  name: z.string().optional(),
  description: z.string().nullish(),
  homepage: z.string().nullish(),
  private: z.boolean().optional(),
  visibility: z.enum(['public', 'private', 'internal']).optional(),
  has_issues: z.boolean().optional(),
  has_projects: z.boolean().optional(),
  has_wiki: z.boolean().optional(),
  is_template: z.boolean().optional(),
  default_branch: z.string().optional(),
  allow_squash_merge: z.boolean().optional(),
  allow_merge_commit: z.boolean().optional(),
  allow_rebase_merge: z.boolean().optional(),
  allow_auto_merge: z.boolean().optional(),
  allow_update_branch: z.boolean().optional(),
  delete_branch_on_merge: z.boolean().optional(),
  web_commit_signoff_required: z.boolean().optional(),
  archived: z.boolean().optional(),
});
const createBody = settings.extend({ name: z.string(), auto_init: z.boolean().default(false) });
const topicsBody = z.object({ names: z.array(z.string()) });

/** `/repos/{owner}/{repo}` itself, lists of repositories, and topics. */
export function addRepositoryRoutes(context: ForgeContext, router: Router): void {
  const { records } = context;
  router.repo('GET', '', METADATA, (request) =>
    ok(fullRepository(context, request.repository, request.viewer)),
  );
  router.repo('PATCH', '', ADMIN, (request) => change(context, request));
  router.repo('DELETE', '', ADMIN, (request) => remove(context, request));
  router.repo('GET', '/topics', METADATA, (request) => ok({ names: request.repository.topics }));
  router.repo('PUT', '/topics', ADMIN, (request) => {
    const { names } = bodyOf(request, topicsBody);
    const topics = names.map((name) => name.toLowerCase());
    if (topics.length > 20 || topics.some((topic) => !/^[a-z0-9][a-z0-9-]{0,49}$/.test(topic))) {
      throw refusal(422, 'Validation Failed', {
        errors: [
          'Topics must start with a lowercase letter or number, and have at most 50 of a-z, 0-9 and "-".',
        ],
      });
    }
    records.repositories.update(request.repository.id, { topics, updatedAt: context.now() });
    return ok({ names: topics });
  });

  router.route('POST', '/user/repos', 'signed-in', (request) => {
    const actor = request.actor();
    if (actor.kind === 'installation') throw forbidden('Resource not accessible by integration');
    return create(context, request, actor.user);
  });
  router.route('POST', '/orgs/:org/repos', { app: ['administration:write'], user: 'read' }, (request) => {
    const org = organization(context, request);
    const { viewer } = request;
    const allowed =
      viewer.kind === 'installation'
        ? viewer.installation.accountId === org.id
        : viewer.kind === 'user' && context.access.isOrgMember(org.id, viewer.user.id);
    if (!allowed) throw forbidden('You need to be a member of the organization to create a repository.');
    return create(context, request, org);
  });
  router.route('GET', '/user/repos', 'signed-in', (request) => {
    const { user } = request.actor();
    const mine = records.repositories.all().filter((repository) => roleOfPerson(context, user, repository));
    return lists(context, request, mine);
  });
  router.route('GET', '/orgs/:org/repos', 'anyone', (request) =>
    lists(context, request, records.repositories.find('owner', [organization(context, request).id])),
  );
  router.route('GET', '/users/:username/repos', 'anyone', (request) => {
    const account = records.accountByLogin(request.param('username'));
    if (account === undefined) throw notFound();
    const found = records.repositories.find('owner', [account.id]);
    return lists(
      context,
      request,
      found.filter((repository) => !repository.private),
    );
  });
  router.route('GET', '/repositories/:repository_id', 'anyone', (request) => {
    const repository = records.repositories.get(Number(request.param('repository_id')) || 0);
    if (repository === undefined || !visible(context, request.viewer, repository)) throw notFound();
    return ok(fullRepository(context, repository, request.viewer));
  });
}

/** The organization of the path. */
export function organization(context: ForgeContext, request: ForgeRequest): AccountRecord {
  const org = context.records.accountByLogin(request.param('org'));
  if (org?.type !== 'Organization') throw notFound();
  return org;
}

const visible = (context: ForgeContext, viewer: Viewer, repository: RepositoryRecord): boolean =>
  context.access.viewerRole(viewer, repository) !== 'none';

/** A person's own list: what they own, work on, or see as a member, not every public repository. */
function roleOfPerson(context: ForgeContext, user: AccountRecord, repository: RepositoryRecord): boolean {
  const role = context.access.roleOf(user, repository);
  return (
    roleAtLeast(role, repository.private ? 'read' : 'triage') ||
    context.access.isOrgMember(repository.ownerId, user.id)
  );
}

function lists(context: ForgeContext, request: ForgeRequest, found: readonly RepositoryRecord[]): Reply {
  const shown = found.filter((repository) => visible(context, request.viewer, repository));
  const key = request.query('sort') === 'full_name' || request.query('sort') === undefined;
  const sorted = key
    ? shown.toSorted((one, other) => (context.urls.fullName(one) < context.urls.fullName(other) ? -1 : 1))
    : shown.toSorted((one, other) => (one.pushedAt > other.pushedAt ? -1 : 1));
  return paginated(request, sorted, (repository) => repositoryShape(context, repository, request.viewer));
}

type Settings = z.output<typeof settings>;

/** REST's words → the record's; only what was given. */
function fieldsOf(body: Settings): Partial<Omit<RepositoryRecord, 'id'>> {
  const isPrivate =
    body.private ?? (body.visibility === undefined ? undefined : body.visibility !== 'public');
  const fields = {
    description: body.description,
    homepage: body.homepage,
    private: isPrivate,
    hasIssues: body.has_issues,
    hasProjects: body.has_projects,
    hasWiki: body.has_wiki,
    isTemplate: body.is_template,
    defaultBranch: body.default_branch,
    allowSquashMerge: body.allow_squash_merge,
    allowMergeCommit: body.allow_merge_commit,
    allowRebaseMerge: body.allow_rebase_merge,
    allowAutoMerge: body.allow_auto_merge,
    allowUpdateBranch: body.allow_update_branch,
    deleteBranchOnMerge: body.delete_branch_on_merge,
    webCommitSignoffRequired: body.web_commit_signoff_required,
    archived: body.archived,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function checkName(context: ForgeContext, owner: AccountRecord, name: string): void {
  if (!NAME.test(name) || /^\.+$/.test(name) || name.toLowerCase().endsWith('.git')) {
    throw invalid({ resource: 'Repository', field: 'name', code: 'invalid' });
  }
  if (context.records.repositoryByName(owner.login, name) !== undefined) {
    throw refusal(422, 'Repository creation failed.', {
      errors: [
        {
          resource: 'Repository',
          code: 'custom',
          field: 'name',
          message: 'name already exists on this account',
        },
      ],
    });
  }
}

async function create(context: ForgeContext, request: ForgeRequest, owner: AccountRecord): Promise<Reply> {
  const { name, auto_init: init, ...body } = bodyOf(request, createBody);
  const actor = request.actor();
  checkName(context, owner, name);
  const repository = await createRepository(context, { ...fieldsOf(body), ownerId: owner.id, name });
  context.emit({ event: 'repository', action: 'created', repository, sender: actor.user, payload: {} });
  tellInstallation(context, repository, 'added', actor.user);
  if (init) {
    const git = context.git(repository);
    const tree = await git.writeTree([
      { path: 'README.md', mode: '100644', sha: await git.writeBlob(Buffer.from(`# ${name}\n`)) },
    ]);
    const self = personOf(context, actor.user);
    const after = await git.writeCommit({
      tree,
      parents: [],
      message: 'Initial commit',
      author: self,
      committer: self,
    });
    await context.refs.update(
      repository,
      [{ ref: `refs/heads/${repository.defaultBranch}`, before: null, after }],
      {
        actor,
        enforce: false,
      },
    );
  }
  const shape = fullRepository(
    context,
    context.records.repositories.get(repository.id) ?? repository,
    request.viewer,
  );
  return created(shape, { location: shape.url });
}

/** An installation on all repositories of an account hears of new and removed ones. */
function tellInstallation(
  context: ForgeContext,
  repository: RepositoryRecord,
  action: 'added' | 'removed',
  sender: AccountRecord,
): void {
  const installation = context.access.installationFor(repository);
  if (installation === undefined) return;
  tellOfInstalled({ context, sender, installation, repository, action });
}

async function change(context: ForgeContext, request: RepositoryRequest): Promise<Reply> {
  const body = bodyOf(request, settings);
  const { repository } = request;
  const owner = context.records.account(repository.ownerId);
  const sender = request.actor().user;
  const renamed = body.name !== undefined && body.name !== repository.name ? body.name : undefined;
  if (renamed !== undefined && renamed.toLowerCase() !== repository.name.toLowerCase()) {
    checkName(context, owner, renamed);
  }
  const git = context.git(repository);
  if (
    body.default_branch !== undefined &&
    (await git.ref(`refs/heads/${body.default_branch}`)) === undefined
  ) {
    throw invalid({
      resource: 'Repository',
      field: 'default_branch',
      code: 'invalid',
      message: `The branch ${body.default_branch} was not found. Please push that ref first or create it via the Git Data API.`,
    });
  }
  if (repository.archived && body.archived !== false)
    throw forbidden('Repository was archived so is read-only.');
  const after = context.store.transaction(() => {
    if (renamed !== undefined) rememberName(context, repository, renamed);
    const updated = context.records.repositories.update(repository.id, {
      ...fieldsOf(body),
      ...(renamed === undefined ? {} : { name: renamed }),
      updatedAt: context.now(),
    });
    tellOfChange(context, repository, updated, sender);
    return updated;
  });
  if (after.defaultBranch !== repository.defaultBranch) await pointHead(context, after);
  return ok(fullRepository(context, after, request.viewer));
}

/** The old name leads to the repository from now on, and the new one no longer anywhere else. */
function rememberName(context: ForgeContext, repository: RepositoryRecord, name: string): void {
  const { redirects } = context.records;
  const owner = context.records.account(repository.ownerId).login;
  const from = `${owner}/${repository.name}`.toLowerCase();
  for (const taken of [from, `${owner}/${name}`.toLowerCase()]) {
    const present = redirects.first('from', [taken]);
    if (present !== undefined) redirects.remove(present.id);
  }
  redirects.insert({ from, repositoryId: repository.id });
}

function tellOfChange(
  context: ForgeContext,
  before: RepositoryRecord,
  after: RepositoryRecord,
  sender: AccountRecord,
): void {
  const tell = (action: string, payload: Record<string, unknown> = {}): void =>
    context.emit({ event: 'repository', action, repository: after, sender, payload });
  if (before.name !== after.name)
    tell('renamed', { changes: { repository: { name: { from: before.name } } } });
  if (before.private !== after.private) tell(after.private ? 'privatized' : 'publicized');
  if (before.archived !== after.archived) tell(after.archived ? 'archived' : 'unarchived');
  const edited = {
    ...(before.defaultBranch === after.defaultBranch
      ? {}
      : { default_branch: { from: before.defaultBranch } }),
    ...(before.description === after.description ? {} : { description: { from: before.description } }),
    ...(before.homepage === after.homepage ? {} : { homepage: { from: before.homepage } }),
  };
  if (Object.keys(edited).length > 0) tell('edited', { changes: edited });
}

async function remove(context: ForgeContext, request: RepositoryRequest): Promise<Reply> {
  const { repository } = request;
  const { records } = context;
  const sender = request.actor().user;
  await context.refs.exclusive(repository, async () => {
    context.store.transaction(() => {
      context.emit({ event: 'repository', action: 'deleted', repository, sender, payload: {} });
      tellInstallation(context, repository, 'removed', sender);
      for (const one of records.collaborators.find('repository', [repository.id]))
        records.collaborators.remove(one.id);
      for (const one of records.hooks.find('repository', [repository.id])) records.hooks.remove(one.id);
      for (const one of records.teamRepositories.find('repository', [repository.id]))
        records.teamRepositories.remove(one.id);
      for (const one of records.redirects.all()) {
        if (one.repositoryId === repository.id) records.redirects.remove(one.id);
      }
      records.repositories.remove(repository.id);
    });
    const git = context.git(repository);
    await git.close();
    await rm(git.directory, { recursive: true, force: true });
  });
  return noContent();
}
