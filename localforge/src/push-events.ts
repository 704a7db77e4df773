import type { ForgeContext } from './context.ts';
import type { GitCommit, GitPerson } from './git-objects.ts';
import type { GitRepository } from './git-repository.ts';
import { ZERO_SHA } from './git-repository.ts';
import { accountByEmail, emailOf } from './people.ts';
import type { AccountRecord, ActivityType, RepositoryRecord } from './records.ts';
import type { RefUpdate } from './refs.ts';
import { simpleUser } from './shapes/account.ts';
import { repositoryPayload } from './shapes/repository.ts';
import type { Actor } from './viewer.ts';

/** A push payload lists at most this many commits. */
const MAX_COMMITS = 2048;
/** With more tags than this in one push GitHub is silent about all of them. */
const MAX_TAGS = 3;

interface ChangedFiles {
  readonly added: string[];
  readonly removed: string[];
  readonly modified: string[];
}

/**
 * Reads what the webhooks of these updates need and gives back a function that stores them (inside a transaction), with
 * the repository's activity. Only branches and tags make events, and only branches make activity.
 */
export async function emitPushEvents({
  context,
  repository,
  actor,
  updates,
  activity,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly actor: Actor;
  readonly updates: readonly RefUpdate[];
  readonly activity?: ActivityType | undefined;
}): Promise<() => void> {
  const tags = updates.filter((update) => update.ref.startsWith('refs/tags/'));
  const branches = updates.filter((update) => update.ref.startsWith('refs/heads/'));
  const shown = tags.length > MAX_TAGS ? branches : [...branches, ...tags];
  const git = context.git(repository);
  const payloads: Record<string, unknown>[] = [];
  for (const update of shown)
    payloads.push(await pushPayload({ context, repository, git, pusher: actor.user, update }));
  const newDefault = await firstBranch(git, repository, branches);

  return () => {
    const { records, emit } = context;
    const now = context.now();
    if (shown.length > 0) {
      records.repositories.update(repository.id, {
        pushedAt: now,
        ...(newDefault === undefined ? {} : { defaultBranch: newDefault }),
      });
    }
    for (const update of branches) {
      const { ref, before, after } = update;
      const type = activity ?? activityOf(update);
      const { id: repositoryId } = repository;
      records.activities.insert({ repositoryId, ref, before, after, type, actorId: actor.user.id, at: now });
    }
    const present = records.repositories.get(repository.id) ?? repository;
    for (const [index, update] of shown.entries()) {
      const [refType, name] = splitRef(update.ref);
      const common = { ref: name, ref_type: refType, pusher_type: 'user' };
      if (update.before === null) {
        emit({
          event: 'create',
          sender: actor.user,
          repository: present,
          payload: { ...common, master_branch: present.defaultBranch, description: present.description },
        });
      }
      if (update.after === null)
        emit({ event: 'delete', sender: actor.user, repository: present, payload: common });
      emit({
        event: 'push',
        sender: actor.user,
        repository: present,
        payload: payloads[index] ?? {},
        override: { repository: pushRepository(context, present) },
      });
    }
  };
}

function activityOf({ before, after, forced }: RefUpdate): ActivityType {
  if (before === null) return 'branch_creation';
  if (after === null) return 'branch_deletion';
  return forced ? 'force_push' : 'push';
}

const splitRef = (ref: string): [string, string] =>
  ref.startsWith('refs/tags/') ? ['tag', ref.slice(10)] : ['branch', ref.slice('refs/heads/'.length)];

/** The first branch of an empty repository becomes its default when the expected one was not pushed. */
async function firstBranch(
  git: GitRepository,
  repository: RepositoryRecord,
  branches: readonly RefUpdate[],
): Promise<string | undefined> {
  const made = branches.find((update) => update.before === null && update.after !== null);
  if (made === undefined || (await git.ref(`refs/heads/${repository.defaultBranch}`)) !== undefined)
    return undefined;
  await git.run(['symbolic-ref', 'HEAD', made.ref]);
  return splitRef(made.ref)[1];
}

async function pushPayload({
  context,
  repository,
  git,
  pusher,
  update,
}: {
  readonly context: ForgeContext;
  readonly repository: RepositoryRecord;
  readonly git: GitRepository;
  readonly pusher: AccountRecord;
  readonly update: RefUpdate;
}): Promise<Record<string, unknown>> {
  const { before, after } = update;
  const isBranch = update.ref.startsWith('refs/heads/');
  const head = after === null ? undefined : await commitOf(git, after);
  const entries = isBranch && after !== null ? await newCommits(git, repository, update, after) : [];
  const shape = (commit: GitCommit, files: ChangedFiles): Record<string, unknown> =>
    pushCommit(context, repository, commit, files);
  const commits = entries.map(({ commit, files }) => shape(commit, files));
  return {
    ref: update.ref,
    before: before ?? ZERO_SHA,
    after: after ?? ZERO_SHA,
    created: before === null,
    deleted: after === null,
    forced: update.forced,
    base_ref: null,
    compare:
      before === null || after === null
        ? context.urls.repoWeb(repository, `/commit/${(after ?? before ?? '').slice(0, 12)}`)
        : context.urls.repoWeb(repository, `/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`),
    commits,
    head_commit:
      head === undefined
        ? null
        : (commits.find((commit) => commit['id'] === head.sha) ??
          shape(head, { added: [], removed: [], modified: [] })),
    pusher: { name: pusher.login, email: emailOf(context, pusher) },
  };
}

async function commitOf(git: GitRepository, sha: string): Promise<GitCommit | undefined> {
  const commit = await git.commit(sha);
  if (commit !== undefined) return commit;
  const peeled = await git.resolve(sha);
  return peeled === undefined ? undefined : git.commit(peeled);
}

/** The commits that a branch gained, oldest first, with the files that each changed. At most one git process. */
async function newCommits(
  git: GitRepository,
  repository: RepositoryRecord,
  update: RefUpdate,
  after: string,
): Promise<{ commit: GitCommit; files: ChangedFiles }[]> {
  const main = `refs/heads/${repository.defaultBranch}`;
  const known = update.before ?? (update.ref === main ? undefined : (await git.ref(main))?.sha);
  if (known === after) return [];
  const near = known === undefined ? undefined : await nearCommits(git, known, after);
  if (near !== undefined) return near;
  const output = await git.run([
    'log',
    `--max-count=${MAX_COMMITS}`,
    '--format=%x01%H',
    '--name-status',
    '--no-renames',
    '-z',
    after,
    ...(known === undefined ? [] : [`^${known}`]),
    '--',
  ]);
  const result: { commit: GitCommit; files: ChangedFiles }[] = [];
  for (const section of output.stdout.toString().split('\u0001').slice(1)) {
    const [sha = '', ...fields] = section.split('\0').map((field) => field.replace(/^\n/, ''));
    const commit = await git.commit(sha);
    if (commit !== undefined) result.push({ commit, files: changedFiles(fields) });
  }
  return result.reverse();
}

/** The same for the usual push, a few commits in a line, without a process. */
async function nearCommits(
  git: GitRepository,
  known: string,
  after: string,
): Promise<{ commit: GitCommit; files: ChangedFiles }[] | undefined> {
  const line = await git.near(known, after);
  if (line === undefined) return undefined;
  const result: { commit: GitCommit; files: ChangedFiles }[] = [];
  for (const sha of line.toReversed()) {
    const commit = await git.commit(sha);
    const parent = await git.commit(commit?.parents[0] ?? known);
    if (commit === undefined || parent === undefined) return undefined;
    const changed = await git.changedPaths(parent.tree, commit.tree);
    result.push({ commit, files: changedFiles(changed.flatMap(({ status, path }) => [status, path])) });
  }
  return result;
}

function changedFiles(fields: readonly string[]): ChangedFiles {
  const files: ChangedFiles = { added: [], removed: [], modified: [] };
  const present = fields.filter((field) => field !== '');
  for (let index = 0; index + 1 < present.length; index += 2) {
    const path = present[index + 1] ?? '';
    if (present[index] === 'A') files.added.push(path);
    else if (present[index] === 'D') files.removed.push(path);
    else files.modified.push(path);
  }
  return files;
}

function pushCommit(
  context: ForgeContext,
  repository: RepositoryRecord,
  commit: GitCommit,
  files: ChangedFiles,
): Record<string, unknown> {
  const person = (one: GitPerson): Record<string, string> => {
    const login = accountByEmail(context, one.email)?.login;
    return {
      name: one.name,
      email: one.email,
      date: one.date,
      ...(login === undefined ? {} : { username: login }),
    };
  };
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: context.urls.repoWeb(repository, `/commit/${commit.sha}`),
    author: person(commit.author),
    committer: person(commit.committer),
    ...files,
  };
}

/** In a push the repository's times are numbers and the owner has a name. */
function pushRepository(context: ForgeContext, repository: RepositoryRecord): Record<string, unknown> {
  const shape = repositoryPayload(context, repository);
  const owner = context.records.account(repository.ownerId);
  return {
    ...shape,
    owner: { ...simpleUser(context, owner), name: owner.login, email: owner.email },
    created_at: Math.floor(Date.parse(repository.createdAt) / 1000),
    pushed_at: Math.floor(Date.parse(repository.pushedAt) / 1000),
    stargazers: 0,
    master_branch: repository.defaultBranch,
    ...(owner.type === 'Organization' ? { organization: owner.login } : {}),
  };
}
