/**
 * Makes the branch of a draft and opens its pull request. A command that was interrupted goes on where it was: its
 * branch is known by the sealed record of its first commit.
 */
import { shown } from '../../command/arguments.ts';
import { draftBranchOf, draftProblem, type DraftGround } from '../../command/draft-problem.ts';
import type { DraftRequest } from '../../command/draft-request.ts';
import { type Refusal, refuse } from '../../command/refusal.ts';
import { PorticoError } from '../../error.ts';
import { fileIn, packagePathOf, pathInRepository, TOP } from '../../revision/package-path.ts';
import type { Pull } from '../forge/pulls.ts';
import type { CommitInfo } from '../git-port.ts';
import { proposalJob } from '../jobs.ts';
import type { RepositoryWork } from '../ports.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { loadRevisionRefs, upcomingRevision } from '../repository/package-revisions.ts';
import { openRegistered } from '../repository/registered.ts';
import { commandRecord } from '../seal/commit-seal.ts';
import { refusedBy } from '../step-outcome.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';
import { draftBody } from './body.ts';
import { commitByCommand, madeBefore } from './command-commit.ts';
import { draftContent } from './content.ts';
import type { DraftSetting } from './setting.ts';

export async function createDraft({
  ports,
  access,
  asked,
  request,
  signal,
}: RepositoryWork & {
  readonly asked: CommandRequest;
  readonly request: DraftRequest;
}): Promise<StepOutcome> {
  const setting = await settingOf({ ports, access, signal }, asked, request);
  if ('message' in setting) return refusedBy(setting);
  const interrupted = await branchOfCommand(setting, signal);
  if (interrupted !== null) return openPull(setting, request, interrupted, signal);
  const branch = await freeBranch(setting, request, signal);
  if (typeof branch !== 'string') return refusedBy(branch);
  const content = await draftContent(setting, request, signal);
  if ('message' in content) return refusedBy(content);
  const { git } = access;
  const problem = await commitByCommand(
    ports,
    git,
    {
      branch,
      parent: setting.base,
      expect: null,
      changes: changesBetween(setting.directory, content.before, content.after),
      title: content.title,
      trailers: content.trailers,
      record: content.record,
    },
    signal,
  );
  if (problem !== null) return problem;
  const made = await branchOfCommand(setting, signal);
  // Gone again already: somebody removed it. To do it again is what the person would ask for.
  if (made === null)
    throw new PorticoError('REF_MOVED', `${branch} no longer exists`, { blame: 'forge', retryAfter: 1 });
  return openPull(setting, request, made, signal);
}

async function settingOf(
  { ports, access, signal }: RepositoryWork,
  asked: CommandRequest,
  { path }: DraftRequest,
): Promise<DraftSetting | Refusal> {
  const found = await openRegistered(access, {}, signal);
  if (found.kind === 'none') {
    return refuse(
      'not-registered',
      'the registered branch does not exist',
      'Check `spec.branch` in .github/portico.yaml.',
    );
  }
  const { facts, config, head: base } = found;
  return {
    world: ports,
    access,
    asked,
    asker: { login: asked.login, id: asked.accountId, facts, config },
    base,
    directory: pathInRepository(config.directory, path),
    refs: await loadRevisionRefs(access.git, signal),
  };
}

interface MadeBranch {
  readonly branch: string;
  readonly commit: CommitInfo;
}

/** The branch that this very command made before; null where there is none. */
async function branchOfCommand(
  { world: ports, access: { git }, asked, base, directory }: DraftSetting,
  signal: AbortSignal | undefined,
): Promise<MadeBranch | null> {
  const below = `refs/heads/drafts/${fileIn(directory, '')}`;
  for (const [ref, { commit: head }] of await git.refs(below, signal)) {
    if (ref.slice(below.length).includes('/')) continue;
    const made = await madeBefore({ ports, git, range: { from: base, to: head }, asked, directory, signal });
    if (made !== null) return { branch: ref.slice('refs/heads/'.length), commit: made.commit };
  }
  return null;
}

/** The name of the branch to make, or why it cannot be made. */
async function freeBranch(
  { access, asker: { config }, base, directory, refs }: DraftSetting,
  request: DraftRequest,
  signal: AbortSignal | undefined,
): Promise<string | Refusal> {
  const { git, forge } = access;
  const path = directory;
  const branch = draftBranchOf(path, request.workspace ?? upcomingRevision(refs, directory, config));
  if (typeof branch !== 'string') return branch;
  const names = async (prefix: string): Promise<string[]> =>
    [...(await git.refs(prefix, signal)).keys()].map((ref) => ref.slice(prefix.length));
  const branches = await names('refs/heads/');
  if (branches.includes(branch)) {
    const [pull] = await forge.pullsForHead({ branch }, { state: 'open' }, signal);
    const where = pull === undefined ? 'without a pull request' : `in #${pull.number}`;
    return refuse(
      'workspace-exists',
      `a draft ${shown(branch)} already exists, ${where}`,
      'Continue in that draft, or choose another workspace with --workspace.',
    );
  }
  const found = await git.findPackages(base, TOP, signal);
  const ground: DraftGround = {
    packages: found.map((one) => one.directory),
    branches,
    tags: await names('refs/tags/'),
    named: (one) => packagePathOf(config.directory, one) ?? one,
    hasFiles: directory === TOP || (await git.treeId(base, directory, signal)) !== null,
  };
  return draftProblem(path, branch, request.source, ground) ?? branch;
}

/** The pull request of the branch as it is: opened now where there is none. */
async function openPull(
  setting: DraftSetting,
  { path }: DraftRequest,
  { branch, commit }: MadeBranch,
  signal: AbortSignal | undefined,
): Promise<StepOutcome> {
  const { world: ports, access, asked, asker } = setting;
  const { forge, ref } = access;
  const [known] = await forge.pullsForHead({ branch }, { state: 'all' }, signal);
  if (known !== undefined) return { kind: 'done', reply: linkTo(known, path, branch) };
  const record = commandRecord(commit, ports.seals);
  if (record === null) throw new PorticoError('NO_RECORD', `${commit.oid} has no record`, { blame: 'bug' });
  const wanted = {
    title: commit.message.split('\n', 1)[0] ?? branch,
    body: draftBody({
      path,
      branch,
      record,
      askedIn: asked.number,
    }),
    head: branch,
    base: asker.config.branch,
  };
  const { pull } = await forge.createPull({ ...wanted, draft: true }, signal).catch((error: unknown) => {
    // Private repositories of free plans have no drafts: there a proposal is opened at once.
    if (!(error instanceof PorticoError) || error.code !== 'FORGE_INVALID' || !/draft/i.test(error.message))
      throw error;
    return forge.createPull(wanted, signal);
  });
  await ports.enqueue(proposalJob(ref, pull.number));
  return { kind: 'done', reply: linkTo(pull, path, branch) };
}

function linkTo(pull: Pull, path: string, branch: string): string {
  const what = pull.draft ? 'a draft' : 'a proposal';
  return `[#${pull.number}](${pull.htmlUrl}) is ${what} of ${code(path)} on the branch ${code(branch)}.`;
}
