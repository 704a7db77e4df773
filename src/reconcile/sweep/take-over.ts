/**
 * What a Porch server left in a registered repository goes on here: a branch `proposed/…` gets a pull request, a mark
 * `deletionProposed/…/v3` an issue that asks to retire the revision. Branches `drafts/…` are drafts as they are.
 */
import type { Account } from '../../command/account.ts';
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import { porchAnnotations } from '../../revision/porch-annotation.ts';
import { parseRef } from '../../revision/ref-name.ts';
import { markRetirements } from '../draft/pending-retirements.ts';
import { PORCH, recordWish, RETIREMENT_MARKER } from '../draft/retirement-records.ts';
import type { RepositoryFacts } from '../forge/repository.ts';
import { proposalJob } from '../jobs.ts';
import type { RepositoryAccess, Ports, RepositoryWork } from '../ports.ts';
import { findIssue } from '../repository/kept-issue.ts';
import { loadRevisionRefs, tagOf } from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { registeredAt } from '../repository/registration.ts';
import { pushersOfBranch, withoutDoubles } from '../review/authors.ts';
import { code } from '../text/markdown-blocks.ts';

/** Branches that are looked at in one go: the rest comes with the next. */
const MAX_COUNT = 50;

/** Done again it finds what it made; a pull request or issue that was closed is not made again. */
export async function takeOver(
  { ports, access, signal }: RepositoryWork,
  facts: RepositoryFacts,
  config: RepositoryConfig,
): Promise<void> {
  const branches = await access.git.refs('refs/heads/', signal);
  let left = MAX_COUNT;
  for (const [ref, { commit }] of branches) {
    const parsed = parseRef(ref);
    if (left === 0) return;
    if (parsed?.kind === 'proposed') {
      left -= 1;
      const head = ref.slice('refs/heads/'.length);
      await openProposed({ ports, access, signal }, config, { ...parsed, head, commit });
    } else if (parsed?.kind === 'deletion-proposed') {
      left -= 1;
      await askToRetire({ ports, access, signal }, facts, config, { ...parsed, ref });
    }
  }
}

async function openProposed(
  { ports, access, signal }: RepositoryWork,
  config: RepositoryConfig,
  branch: {
    readonly path: RepositoryDirectory;
    readonly workspace: string;
    readonly head: string;
    readonly commit: string;
  },
): Promise<void> {
  const { git, forge } = access;
  const path = packagePathOf(config.directory, branch.path);
  const here = path !== undefined && (await holdsPackage(access, config, branch, signal));
  const registered = await git.resolve(`refs/heads/${config.branch}`, signal);
  if (!here || registered === null) return;
  if (await git.isAncestor(branch.commit, registered, signal)) return;
  if ((await forge.pullsForHead({ branch: branch.head }, { state: 'all' }, signal)).length > 0) return;
  const { message } = await git.commit(branch.commit, signal);
  const task = porchAnnotations(message).find((one) => one.task !== undefined)?.task;
  const { pull } = await forge.createPull(
    {
      title: `Propose ${path} (${branch.workspace})`,
      body: `This branch proposes a package revision, as created by a Porch server: package ${code(path)}, workspace ${code(branch.workspace)}${task === undefined ? '' : `, last task ${code(task)}`}. It continues as this pull request; closing the pull request keeps the branch.`,
      head: branch.head,
      base: config.branch,
    },
    signal,
  );
  await ports.enqueue(proposalJob(access.ref, pull.number));
}

async function holdsPackage(
  access: RepositoryAccess,
  config: RepositoryConfig,
  { path, commit }: { readonly path: RepositoryDirectory; readonly commit: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const found = await rootPackages(access, commit, config.directory, signal);
  return found.some(({ directory }) => directory === path);
}

async function askToRetire(
  { ports, access, signal }: RepositoryWork,
  facts: RepositoryFacts,
  config: RepositoryConfig,
  mark: { readonly path: RepositoryDirectory; readonly version: string; readonly ref: string },
): Promise<void> {
  const { forge, git } = access;
  const path = packagePathOf(config.directory, mark.path);
  const tag = tagOf(await loadRevisionRefs(git, signal), mark.path, mark.version);
  if (path === undefined || tag === undefined) return;
  const title = `Retire ${path}@${mark.version}?`;
  const known = await findIssue(ports, access, title, signal);
  if (known !== null) remember(ports, access, title, known.number);
  if (known?.state === 'closed') return;
  // Asked once: a later answer takes the place of the same comment.
  const comments = known === null ? [] : await forge.listComments(known.number, signal);
  const isOurs = ({ author, body }: (typeof comments)[number]): boolean =>
    author === ports.app.botLogin && body.startsWith(RETIREMENT_MARKER);
  if (comments.some(isOurs)) return;
  const askers = await whoAsked({ ports, access, signal }, facts, mark.ref);
  const name = `${path}@${mark.version}`;
  const branch = code(mark.ref.slice('refs/heads/'.length));
  const body =
    askers === null
      ? `The branch ${branch} requests the retirement of ${code(name)}. The forge does not report who pushed it, so Portico cannot tell who else has to approve. To retire the revision, comment \`/portico delete ${name}\` here.`
      : `The branch ${branch}, created by a Porch server, requests the retirement of ${code(name)}.`;
  const number = known?.number ?? (await forge.createIssue({ title, body }, signal)).number;
  remember(ports, access, title, number);
  const [login, ...others] = (askers ?? []).map((one) => one.login);
  if (login === undefined) return;
  const wish = {
    package: path,
    revision: mark.version,
    tag: tag.oid,
    login,
    comment: 0,
    ...(others.length > 0 && { others }),
    accounts: askers ?? [],
  };
  await recordWish({ ports, access, signal }, facts, number, wish);
  await markRetirements({ ports, access, signal }, facts, config, number);
}

function remember(
  { catalog }: Pick<Ports, 'catalog'>,
  { ref }: RepositoryAccess,
  title: string,
  number: number,
): void {
  if (catalog.kept(ref.id, title)?.number !== number)
    catalog.keep(ref.id, title, { number, digest: '', at: 0 });
}

/**
 * Whose wish a branch is: of everybody who pushed to it, as the forge tells it. Where that is no person, it is Porch's,
 * if it stood there before the repository was registered: nobody knew then what a later one would bring about. Null
 * where nobody can tell.
 */
async function whoAsked(
  { ports, access, signal }: RepositoryWork,
  facts: RepositoryFacts,
  ref: string,
): Promise<readonly Account[] | null> {
  const { authors, unknown, newest } = await pushersOfBranch(ports, access, ref, signal);
  const people = withoutDoubles(authors).map(({ login, id }): Account => ({ login, id }));
  if (unknown.length === 0) return people.length === 0 ? null : people;
  const registered = await registeredAt(access, facts.defaultBranch, signal);
  const isOlder = newest !== null && registered !== null && Date.parse(newest) < Date.parse(registered);
  if (!isOlder) return null;
  return people.length === 0 ? [{ login: PORCH }] : people;
}
