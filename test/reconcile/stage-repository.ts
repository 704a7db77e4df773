import type { Octokit } from '@octokit/rest';
import type { LocalForge } from '@portico/localforge';

import type { Login } from './stage.ts';

type Rest = Octokit['rest'];
type PullData = Awaited<ReturnType<Rest['pulls']['get']>>['data'];
type CheckData = Awaited<ReturnType<Rest['checks']['listForRef']>>['data']['check_runs'][number];
type CommentData = Awaited<ReturnType<Rest['issues']['listComments']>>['data'][number];

export type Files = Readonly<Record<string, string | null>>;

export interface PushOptions {
  /** Commit or branch to start from; default: the branch itself, else main. */
  readonly from?: string;
  readonly message?: string;
  readonly as?: Login;
  /** Moves the branch to a commit that does not follow. */
  readonly force?: boolean;
}

/** One repository as a person sees it. Answers are given when the bot has nothing left to do, where that is said. */
export interface StageRepository {
  readonly owner: string;
  readonly repo: string;
  /** Address as a Kptfile writes it. */
  readonly url: string;
  readonly where: { readonly owner: string; readonly repo: string };
  /** The first commit. */
  seed(files: Readonly<Record<string, string>>): Promise<string>;
  /** Commits files (null removes) and moves the branch, which is made where it is not there. Answers the commit. */
  push(branch: string, files: Files, options?: PushOptions): Promise<string>;
  /** An annotated tag, as kpt and people make them. Answers the id of the tag object. */
  tag(name: string, commit: string): Promise<string>;
  head(branch: string): Promise<string>;
  /** Opens a pull request and waits until it is looked at. */
  open(
    branch: string,
    options?: { title?: string; draft?: boolean; as?: Login; base?: string },
  ): Promise<PullData>;
  /** Opens a pull request and does not wait. */
  create(branch: string, draft?: boolean): Promise<{ data: { number: number } }>;
  /** Pushes and opens. */
  propose(branch: string, files: Files, options?: { draft?: boolean; as?: Login }): Promise<PullData>;
  pull(number: number): Promise<PullData>;
  pulls(state?: 'open' | 'closed' | 'all'): Promise<PullData[]>;
  /** Our checks at a commit by name. */
  checks(sha: string): Promise<Map<string, CheckData>>;
  /** Checks of the pull request's head. */
  checksOf(number: number): Promise<Map<string, CheckData>>;
  comments(number: number): Promise<CommentData[]>;
  /** The comment that sums it up; fails where there is not exactly one. */
  sticky(number: number): Promise<string>;
  /** Opens, approves as bob, and publishes by command. */
  publish(branch: string, files: Files, command?: string, approvers?: readonly Login[]): Promise<PullData>;
  /** Writes a comment and does not wait. Answers its id. */
  say(number: number, body: string, as?: Login): Promise<number>;
  /** Writes a comment, waits, and answers the bot's reaction and its reply. */
  command(number: number, body: string, as?: Login): Promise<Answered>;
  answerTo(number: number, comment: number): Promise<Answered>;
  review(
    number: number,
    event: 'APPROVE' | 'REQUEST_CHANGES' | 'COMMENT',
    body?: string,
    as?: Login,
  ): Promise<number>;
  /** Approves as carol, and presses the button. */
  merge(number: number, method?: 'merge' | 'squash' | 'rebase', as?: Login): Promise<string>;
  /** Presses the button, whoever has approved. */
  press(number: number, method?: 'merge' | 'squash' | 'rebase', as?: Login): Promise<string>;
  /** Short tag names → the commit behind. */
  tags(): Promise<Map<string, string>>;
  tagMessage(name: string): Promise<string>;
  releases(): Promise<string[]>;
  /** What the release of a tag says. */
  release(tag: string): Promise<string>;
  read(path: string, ref?: string): Promise<string | null>;
  /** Runs git in the forge's own bare repository: for what no person could do. */
  git(...args: string[]): Promise<string>;
}

export interface Answered {
  readonly reaction: string | undefined;
  readonly reactions: readonly string[];
  readonly reply: string | undefined;
  readonly replies: number;
}

interface Setting {
  readonly forge: LocalForge;
  readonly as: (login: Login) => Octokit;
  readonly idle: () => Promise<void>;
  readonly owner: string;
  readonly name: string;
}

export function stageRepository({ forge, as, idle, owner, name }: Setting): StageRepository {
  const where = { owner, repo: name };
  const alice = as('alice').rest;
  const run = async (...args: string[]): Promise<string> => {
    const bare = forge.context.git(forge.context.records.repositoryByName(owner, name)!);
    const answer = await bare.run(args);
    if (answer.code !== 0) throw new Error(`git ${args.join(' ')}: ${answer.stderr}`);
    return answer.stdout.toString();
  };

  const found = async (ref: string): Promise<string | null> => {
    try {
      return (await alice.git.getRef({ ...where, ref })).data.object.sha;
    } catch (error) {
      const { status } = error as { status?: number };
      if (status === 404 || status === 409) return null;
      throw error;
    }
  };
  const commitOn = async (
    parents: string[],
    files: Files,
    message: string,
    login: Login,
  ): Promise<string> => {
    const rest = as(login).rest;
    const tree = await rest.git.createTree({
      ...where,
      ...(parents[0] !== undefined && { base_tree: parents[0] }),
      tree: Object.entries(files).map(([path, content]) =>
        content === null
          ? { path, mode: '100644' as const, type: 'blob' as const, sha: null }
          : { path, mode: '100644' as const, type: 'blob' as const, content },
      ),
    });
    return (await rest.git.createCommit({ ...where, message, tree: tree.data.sha, parents })).data.sha;
  };

  const repository: StageRepository = {
    owner,
    repo: name,
    url: `${forge.gitUrl}/${owner}/${name}`,
    where,
    async seed(files) {
      await alice.repos.createOrUpdateFileContents({
        ...where,
        path: 'README.md',
        message: 'Begin',
        content: Buffer.from(`# ${name}\n`).toString('base64'),
      });
      return repository.push('main', files, { message: 'The packages' });
    },
    async push(branch, files, { from, message = 'Change', as: login = 'alice', force = false } = {}) {
      const present = await found(`heads/${branch}`);
      const start =
        from === undefined
          ? (present ?? (await found('heads/main')))
          : ((await found(`heads/${from}`)) ?? from);
      const sha = await commitOn([start!], files, message, login);
      const rest = as(login).rest;
      if (present === null) await rest.git.createRef({ ...where, ref: `refs/heads/${branch}`, sha });
      else await rest.git.updateRef({ ...where, ref: `heads/${branch}`, sha, force });
      return sha;
    },
    async tag(tag, object) {
      const made = await alice.git.createTag({ ...where, tag, message: `${tag}\n`, object, type: 'commit' });
      await alice.git.createRef({ ...where, ref: `refs/tags/${tag}`, sha: made.data.sha });
      return made.data.sha;
    },
    async head(branch) {
      return (await found(`heads/${branch}`))!;
    },
    async open(
      branch,
      { title = `Change by ${branch}`, draft = false, as: login = 'alice', base = 'main' } = {},
    ) {
      const { data } = await as(login).rest.pulls.create({ ...where, title, head: branch, base, draft });
      await idle();
      return repository.pull(data.number);
    },
    create: (branch, draft = false) =>
      alice.pulls.create({ ...where, title: `Change by ${branch}`, head: branch, base: 'main', draft }),
    async propose(branch, files, options = {}) {
      await repository.push(branch, files, options.as === undefined ? {} : { as: options.as });
      return repository.open(branch, options);
    },
    async publish(branch, files, command = '/portico publish', approvers = ['bob']) {
      const { number } = await repository.propose(branch, files);
      for (const login of approvers) await repository.review(number, 'APPROVE', undefined, login);
      const { reaction, reply } = await repository.command(number, command);
      if (reaction !== 'rocket') throw new Error(`${branch} was not published: ${reply}`);
      return repository.pull(number);
    },
    async pull(pull_number) {
      return (await alice.pulls.get({ ...where, pull_number })).data;
    },
    async pulls(state = 'open') {
      const { data } = await alice.pulls.list({ ...where, state, per_page: 100 });
      return Promise.all(data.map(({ number }) => repository.pull(number)));
    },
    async checks(ref) {
      const { data } = await alice.checks.listForRef({ ...where, ref, per_page: 100 });
      return new Map(data.check_runs.map((run) => [run.name, run]));
    },
    async checksOf(number) {
      return repository.checks((await repository.pull(number)).head.sha);
    },
    async comments(issue_number) {
      return (await alice.issues.listComments({ ...where, issue_number, per_page: 100 })).data;
    },
    async sticky(number) {
      const ours = (await repository.comments(number)).filter(
        ({ user, body }) => user?.type === 'Bot' && body?.startsWith('<!-- portico:summary -->'),
      );
      if (ours.length !== 1) throw new Error(`${ours.length} sticky comments on #${number}`);
      return ours[0]!.body!;
    },
    async say(issue_number, body, login = 'alice') {
      return (await as(login).rest.issues.createComment({ ...where, issue_number, body })).data.id;
    },
    async command(number, body, login = 'alice') {
      const id = await repository.say(number, body, login);
      await idle();
      return repository.answerTo(number, id);
    },
    async answerTo(number, comment_id) {
      const { data } = await alice.reactions.listForIssueComment({ ...where, comment_id });
      const replies = (await repository.comments(number)).filter(({ body }) =>
        body?.startsWith(`<!-- portico:reply ${comment_id} -->`),
      );
      const reactions = data.filter(({ user }) => user?.type === 'Bot').map(({ content }) => content);
      return {
        reaction: reactions.find((content) => content !== 'eyes'),
        reactions,
        reply: replies[0]?.body,
        replies: replies.length,
      };
    },
    async review(pull_number, event, body, login = 'bob') {
      const { data } = await as(login).rest.pulls.createReview({
        ...where,
        pull_number,
        event,
        ...(body !== undefined && { body }),
      });
      await idle();
      return data.id;
    },
    async merge(number, method, login) {
      await repository.review(number, 'APPROVE', undefined, 'carol');
      return repository.press(number, method, login);
    },
    async press(pull_number, merge_method = 'merge', login = 'alice') {
      const { data } = await as(login).rest.pulls.merge({ ...where, pull_number, merge_method });
      await idle();
      return data.sha;
    },
    async tags() {
      const text = await repository.git(
        'for-each-ref',
        '--format=%(refname) %(objectname) %(*objectname)',
        'refs/tags',
      );
      return new Map(
        text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => {
            const [ref = '', own = '', peeled = ''] = line.split(' ');
            return [ref.slice('refs/tags/'.length), peeled === '' ? own : peeled];
          }),
      );
    },
    async tagMessage(tag) {
      return repository.git('for-each-ref', '--format=%(contents)', `refs/tags/${tag}`);
    },
    async releases() {
      return (await alice.repos.listReleases({ ...where, per_page: 100 })).data
        .map(({ tag_name }) => tag_name)
        .sort();
    },
    async release(tag) {
      return (await alice.repos.getReleaseByTag({ ...where, tag })).data.body ?? '';
    },
    async read(path, ref = 'main') {
      try {
        return await run('show', `${ref}:${path}`);
      } catch {
        return null;
      }
    },
    async git(...args) {
      return (await run(...args)).replace(/\n$/, '');
    },
  };
  return repository;
}
