import type { AppManifest } from './app-manifest.ts';
import { hashOf } from './auth.ts';
import type { CheckedForgeConfig } from './config.ts';
import type { ForgeContext } from './context.ts';
import { ForgeError } from './error.ts';
import { importRepository } from './import.ts';
import type { AccountRecord, RepositoryRecord, Role } from './records.ts';
import { createRepository, pointHead } from './repositories.ts';
import { tellOfInstallation } from './rest/apps.ts';

/**
 * Brings the forge to what the configuration says. What is there already stays, with its number; what is not in the
 * configuration is left alone; so that applying it again changes nothing.
 * @throws ForgeError for a login or folder that does not exist
 */
export async function applyConfig(
  context: ForgeContext,
  config: CheckedForgeConfig,
  options: { readonly configDirectory: string; readonly manifest: AppManifest },
): Promise<void> {
  context.store.transaction(() => {
    for (const user of config.users)
      ensureAccount({ context, login: user.login, type: 'User', name: user.name, email: user.email });
    for (const { login } of Object.values(config.tokens)) ensureAccount({ context, login, type: 'User' });
    for (const [token, { login }] of Object.entries(config.tokens)) ensureToken(context, token, login);
    for (const org of config.orgs) ensureOrganization(context, org);
  });
  for (const repo of config.repos) await ensureRepository(context, repo, options.configDirectory);
  context.store.transaction(() => {
    for (const org of config.orgs) ensureTeamRepositories(context, org);
    for (const installation of config.app.installations)
      ensureInstallation(context, installation, options.manifest);
  });
}

function ensureAccount({
  context,
  login,
  type,
  name,
  email,
}: {
  readonly context: ForgeContext;
  readonly login: string;
  readonly type: AccountRecord['type'];
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}): AccountRecord {
  const { accounts, accountByLogin } = context.records;
  const present = accountByLogin(login);
  if (present !== undefined) {
    const change = { ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) };
    return Object.keys(change).length === 0 ? present : accounts.update(present.id, change);
  }
  return accounts.insert({ login, type, name: name ?? null, email: email ?? null, createdAt: context.now() });
}

function needAccount(context: ForgeContext, login: string, where: string): AccountRecord {
  const account = context.records.accountByLogin(login);
  if (account !== undefined) return account;
  throw new ForgeError('FORGE_CONFIG', `${where} names ${login}, who is neither in users nor in orgs.`, {
    hint: `Add { login: ${login} } to users.`,
  });
}

function ensureToken(context: ForgeContext, token: string, login: string): void {
  const { tokens } = context.records;
  const hash = hashOf(token);
  const userId = needAccount(context, login, 'tokens').id;
  const present = tokens.first('hash', [hash]);
  if (present !== undefined) {
    tokens.update(present.id, { userId });
    return;
  }
  tokens.insert({
    hash,
    userId,
    installationId: null,
    repositoryIds: null,
    permissions: null,
    expiresAt: null,
  });
}

type OrgConfig = CheckedForgeConfig['orgs'][number];

function ensureOrganization(context: ForgeContext, org: OrgConfig): void {
  const { memberships, teams, teamMembers } = context.records;
  const { id: orgId } = ensureAccount({ context, login: org.login, type: 'Organization' });
  for (const [login, role] of Object.entries(org.members)) {
    const userId = ensureAccount({ context, login, type: 'User' }).id;
    const present = memberships.first('pair', [orgId, userId]);
    if (present === undefined) memberships.insert({ orgId, userId, role });
    else memberships.update(present.id, { role });
  }
  for (const team of org.teams) {
    const record =
      teams.first('slug', [orgId, team.slug]) ??
      teams.insert({
        orgId,
        slug: team.slug,
        name: team.name ?? team.slug,
        description: null,
        createdAt: context.now(),
      });
    for (const login of team.members) {
      const userId = needAccount(context, login, `the team ${team.slug}`).id;
      const known = teamMembers.first('pair', [record.id, userId]) !== undefined;
      if (!known) teamMembers.insert({ teamId: record.id, userId, role: 'member' });
    }
  }
}

async function ensureRepository(
  context: ForgeContext,
  repo: CheckedForgeConfig['repos'][number],
  configDirectory: string,
): Promise<void> {
  const owner = needAccount(context, repo.owner, `the repository ${repo.owner}/${repo.name}`);
  const present = context.records.repositoryByName(repo.owner, repo.name);
  const repository =
    present ??
    (await createRepository(context, {
      ownerId: owner.id,
      name: repo.name,
      private: repo.private,
      description: repo.description ?? null,
      topics: repo.topics,
    }));
  await fillRepository(context, repository, repo.from, configDirectory);
  context.store.transaction(() => {
    for (const [login, role] of Object.entries(repo.collaborators)) {
      const userId = needAccount(context, login, `collaborators of ${repo.name}`).id;
      setCollaborator(context, repository.id, userId, role);
    }
  });
}

/** Imports into a repository without branches, so that an interrupted import is done again. */
async function fillRepository(
  context: ForgeContext,
  repository: RepositoryRecord,
  from: string | undefined,
  configDirectory: string,
): Promise<void> {
  const git = context.git(repository);
  if (from === undefined || (await git.refs('refs/heads/')).length > 0) return;
  const branch = await importRepository(git, from, { configDirectory, now: context.now() });
  await pointHead(context, context.records.repositories.update(repository.id, { defaultBranch: branch }));
}

/** Gives a person a role in a repository, or changes it. */
export function setCollaborator(
  context: ForgeContext,
  repositoryId: number,
  userId: number,
  role: Role,
): void {
  const { collaborators } = context.records;
  const present = collaborators.first('pair', [repositoryId, userId]);
  if (present === undefined) collaborators.insert({ repositoryId, userId, role });
  else if (present.role !== role) collaborators.update(present.id, { role });
}

function ensureTeamRepositories(context: ForgeContext, org: OrgConfig): void {
  const { teams, teamRepositories } = context.records;
  const owner = needAccount(context, org.login, 'orgs');
  for (const team of org.teams) {
    const record = teams.first('slug', [owner.id, team.slug]);
    for (const [name, role] of Object.entries(team.repos)) {
      const repository = needRepository(context, org.login, name);
      if (record === undefined) continue;
      const present = teamRepositories.first('pair', [record.id, repository.id]);
      if (present === undefined) {
        teamRepositories.insert({ teamId: record.id, repositoryId: repository.id, role });
      } else teamRepositories.update(present.id, { role });
    }
  }
}

function needRepository(context: ForgeContext, owner: string, name: string): RepositoryRecord {
  const repository = context.records.repositoryByName(owner, name);
  if (repository !== undefined) return repository;
  throw new ForgeError('FORGE_CONFIG', `There is no repository ${owner}/${name}.`, {
    hint: 'Add it to repos.',
  });
}

function ensureInstallation(
  context: ForgeContext,
  wanted: CheckedForgeConfig['app']['installations'][number],
  manifest: AppManifest,
): void {
  const { installations } = context.records;
  const account = needAccount(context, wanted.account, 'app.installations');
  const selection = wanted.repositories === 'all' ? 'all' : 'selected';
  const repositoryIds =
    wanted.repositories === 'all'
      ? []
      : wanted.repositories.map((name) => needRepository(context, wanted.account, name).id);
  const fields = {
    selection,
    repositoryIds,
    permissions: manifest.permissions,
    events: manifest.events,
  } as const;
  const present = installations.first('account', [account.id]);
  if (present !== undefined) {
    if (JSON.stringify({ ...present, ...fields }) !== JSON.stringify(present)) {
      installations.update(present.id, { ...fields, updatedAt: context.now() });
    }
    return;
  }
  const installation = installations.insert({
    accountId: account.id,
    ...fields,
    suspendedAt: null,
    createdAt: context.now(),
    updatedAt: context.now(),
  });
  tellOfInstallation(context, installation, 'created');
}
