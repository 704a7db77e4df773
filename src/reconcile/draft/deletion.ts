/** A package is deleted by a proposal that removes its directory. */

import { noSuchPackage } from '../../command/not-found.ts';
import { TOP } from '../../revision/package-path.ts';
import { draftBranch, parseBranch } from '../../revision/ref-name.ts';
import type { PackageDir } from '../git-port.ts';
import { proposalJob } from '../jobs.ts';
import type { RepositoryWork } from '../ports.ts';
import { DELETION_NOTE, pushDeletion } from '../repository/deletion-branch.ts';
import { loadRevisionRefs, newestRevision } from '../repository/package-revisions.ts';
import { rootPackages } from '../repository/proposal-snapshot.ts';
import { pushRefusal } from '../repository/refused-push.ts';
import { openRegistered } from '../repository/registered.ts';
import { knownUsers } from '../review/known-users.ts';
import { readCommitRecord, type DeletionRecord } from '../seal/commit-seal.ts';
import type { CommandRequest, StepOutcome } from '../step-outcome.ts';
import { code } from '../text/markdown-blocks.ts';
import type { StepContext } from './step-context.ts';

/** Opens the proposal, or says why not; done again it finds what it opened. */
export async function proposeDeletion({
  ports,
  access,
  asked,
  step: { package: path },
  signal,
}: StepContext<'propose-deletion'>): Promise<StepOutcome> {
  const { git, forge } = access;
  const registered = await openRegistered(access, {}, signal);
  if (registered.kind === 'none') return refused('The repository is not registered.', '');
  const { facts, config, head: base } = registered;
  const packages = await rootPackages(access, base, config.directory, signal);
  const found = packages.find((one) => one.path === path);
  if (found === undefined) {
    const { message, hint } = noSuchPackage(
      path,
      `on ${code(config.branch)}`,
      packages.map((one) => one.path),
      'Name a package by its path. To remove a subpackage, change its package.',
    );
    return refused(message, hint);
  }
  if (found.directory === TOP) {
    return refused('The package is the whole repository.', 'Remove it with a pull request of your own.');
  }
  const branch = draftBranch(found.directory, `delete-${asked.id}`);
  const open = (await forge.listOpenPulls(signal)).find(
    ({ headRef, headRepositoryId }) =>
      headRepositoryId === facts.id && isDeletionOf(headRef, found) && headRef !== branch,
  );
  if (open !== undefined) {
    return refused(
      `Its deletion is already proposed: #${open.number}.`,
      'See that pull request for what it is waiting for.',
    );
  }
  const users = await knownUsers({ ports, access, signal }, facts, found.directory, undefined);
  if (users.length > 0) {
    return refused(
      `Other packages depend on ${code(path)}: ${users.join(', ')}.`,
      'Move them to another upstream, or remove them, first.',
    );
  }
  const stopped = await pushDeletionOnce({ ports, access, asked, found, base, branch, signal });
  if (stopped !== null) return stopped;
  const newest = newestRevision(await loadRevisionRefs(git, signal), found.directory)?.name;
  const { pull } = await forge.createPull(
    {
      title: `Delete ${path}`,
      body: [
        `Removes the package ${code(path)}${newest === undefined ? '' : `, whose newest revision is ${code(newest)}`}. Requested by ${code(asked.login)} in #${asked.number}.`,
        DELETION_NOTE,
      ].join('\n\n'),
      head: branch,
      base: config.branch,
    },
    signal,
  );
  await ports.enqueue(proposalJob(access.ref, pull.number));
  return { kind: 'done', reply: `The deletion of ${code(path)} is proposed in #${pull.number}.` };
}

/** Files that are named; the others are counted. */

function isDeletionOf(branch: string, { directory }: PackageDir): boolean {
  const parsed = parseBranch(branch);
  return parsed?.kind === 'draft' && parsed.path === directory && /^delete-\d+$/.test(parsed.workspace);
}

async function pushDeletionOnce({
  ports,
  access: { git },
  asked,
  found,
  base,
  branch,
  signal,
}: RepositoryWork & {
  readonly asked: CommandRequest;
  readonly found: PackageDir;
  readonly base: string;
  readonly branch: string;
}): Promise<StepOutcome | null> {
  const standing = await git.resolve(`refs/heads/${branch}`, signal);
  const commit = standing === null ? null : await git.commit(standing, signal);
  const ours = commit === null ? null : readCommitRecord(commit, ports.seals);
  if (ours?.kind === 'deletion' && ours.comment === asked.id) return null;
  const record: DeletionRecord = {
    kind: 'deletion',
    directory: found.directory,
    by: asked.login,
    byId: asked.accountId,
    comment: asked.id,
  };
  const title = `Delete ${found.path}\n\nRequested-By: ${asked.login}`;
  const answer = await pushDeletion(ports, git, { branch, expect: null, base, title, record }, signal);
  if (answer.kind === 'pushed') return null;
  const remedy = 'Delete the branch that conflicts with it, or allow the App to push there.';
  if (answer.kind === 'moved') return refused(`The branch ${code(branch)} already exists.`, remedy);
  const { message, hint } = pushRefusal(branch, answer.rejected, remedy);
  return refused(message, hint);
}

function refused(message: string, hint: string): StepOutcome {
  return { kind: 'refused', message, hint };
}
