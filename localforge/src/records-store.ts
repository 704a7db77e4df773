import type {
  AccountRecord,
  ActivityRecord,
  CollaboratorRecord,
  DeliveryRecord,
  HookRecord,
  InstallationRecord,
  MembershipRecord,
  ProtectionRecord,
  RedirectRecord,
  RepositoryRecord,
  RulesetRecord,
  TeamMemberRecord,
  TeamRecord,
  TeamRepositoryRecord,
  TokenRecord,
} from './records.ts';
import type { Collection, Store } from './store.ts';

/** The core's collections and their indexes (in the comments: the key). */
export interface Records {
  /** `login` [lower case], `email` [lower case] */
  readonly accounts: Collection<AccountRecord>;
  /** `org` [orgId], `user` [userId], `pair` [orgId, userId] */
  readonly memberships: Collection<MembershipRecord>;
  /** `org` [orgId], `slug` [orgId, slug] */
  readonly teams: Collection<TeamRecord>;
  /** `team` [teamId], `pair` [teamId, userId] */
  readonly teamMembers: Collection<TeamMemberRecord>;
  /** `team` [teamId], `repository` [repositoryId], `pair` [teamId, repositoryId] */
  readonly teamRepositories: Collection<TeamRepositoryRecord>;
  /** `name` [ownerId, lower case name], `owner` [ownerId], `parent` [parentId] */
  readonly repositories: Collection<RepositoryRecord>;
  /** `repository` [repositoryId], `pair` [repositoryId, userId] */
  readonly collaborators: Collection<CollaboratorRecord>;
  /** `from` [lower case owner/name] */
  readonly redirects: Collection<RedirectRecord>;
  /** `account` [accountId] */
  readonly installations: Collection<InstallationRecord>;
  /** `hash` [hash] */
  readonly tokens: Collection<TokenRecord>;
  /** `repository` [repositoryId] */
  readonly hooks: Collection<HookRecord>;
  /** `hook` [hookId or null], `state` [state] */
  readonly deliveries: Collection<DeliveryRecord>;
  /** `branch` [repositoryId, branch], `repository` [repositoryId] */
  readonly protections: Collection<ProtectionRecord>;
  /** `repository` [repositoryId] */
  readonly rulesets: Collection<RulesetRecord>;
  /** `repository` [repositoryId], `ref` [repositoryId, ref] */
  readonly activities: Collection<ActivityRecord>;
  readonly accountByLogin: (login: string) => AccountRecord | undefined;
  /** The account of that id, which must exist. */
  readonly account: (id: number) => AccountRecord;
  readonly repositoryByName: (owner: string, name: string) => RepositoryRecord | undefined;
}

export function openRecords(store: Store): Records {
  const accounts = store.collection<AccountRecord>('account', {
    login: { key: (account) => [account.login.toLowerCase()], unique: true },
    email: { key: (account) => (account.email === null ? undefined : [account.email.toLowerCase()]) },
  });
  const repositories = store.collection<RepositoryRecord>('repository', {
    name: { key: (repository) => [repository.ownerId, repository.name.toLowerCase()], unique: true },
    owner: { key: (repository) => [repository.ownerId] },
    parent: { key: (repository) => [repository.parentId ?? 0] },
  });
  const accountByLogin = (login: string): AccountRecord | undefined =>
    accounts.first('login', [login.toLowerCase()]);
  return {
    accounts,
    repositories,
    memberships: store.collection('membership', {
      org: { key: (membership) => [membership.orgId] },
      user: { key: (membership) => [membership.userId] },
      pair: { key: (membership) => [membership.orgId, membership.userId], unique: true },
    }),
    teams: store.collection('team', {
      org: { key: (team) => [team.orgId] },
      slug: { key: (team) => [team.orgId, team.slug], unique: true },
    }),
    teamMembers: store.collection('team_member', {
      team: { key: (member) => [member.teamId] },
      pair: { key: (member) => [member.teamId, member.userId], unique: true },
    }),
    teamRepositories: store.collection('team_repository', {
      team: { key: (grant) => [grant.teamId] },
      repository: { key: (grant) => [grant.repositoryId] },
      pair: { key: (grant) => [grant.teamId, grant.repositoryId], unique: true },
    }),
    collaborators: store.collection('collaborator', {
      repository: { key: (collaborator) => [collaborator.repositoryId] },
      pair: { key: (collaborator) => [collaborator.repositoryId, collaborator.userId], unique: true },
    }),
    redirects: store.collection('redirect', { from: { key: (redirect) => [redirect.from], unique: true } }),
    installations: store.collection('installation', {
      account: { key: (installation) => [installation.accountId] },
    }),
    tokens: store.collection('token', { hash: { key: (token) => [token.hash], unique: true } }),
    hooks: store.collection('hook', { repository: { key: (hook) => [hook.repositoryId] } }),
    deliveries: store.collection('delivery', {
      hook: { key: (delivery) => [delivery.hookId] },
      state: { key: (delivery) => [delivery.state] },
    }),
    protections: store.collection('protection', {
      branch: { key: (protection) => [protection.repositoryId, protection.branch], unique: true },
      repository: { key: (protection) => [protection.repositoryId] },
    }),
    rulesets: store.collection('ruleset', { repository: { key: (ruleset) => [ruleset.repositoryId] } }),
    activities: store.collection('activity', {
      repository: { key: (activity) => [activity.repositoryId] },
      ref: { key: (activity) => [activity.repositoryId, activity.ref] },
    }),
    accountByLogin,
    account: (id) => {
      const account = accounts.get(id);
      if (account === undefined) throw new TypeError(`There is no account ${id}.`);
      return account;
    },
    repositoryByName: (owner, name) => {
      const account = accountByLogin(owner);
      return account && repositories.first('name', [account.id, name.toLowerCase()]);
    },
  };
}
