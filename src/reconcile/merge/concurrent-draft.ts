/**
 * Drafts of one package side by side: when the registered branch moves for a package that a proposal changes too, its
 * package is merged into the proposal's, structurally, as a commit of ours on the proposal's branch.
 */

import type { Choice, Conflict } from '../../package/merge/conflict.ts';
import { isBelow, type RepositoryDirectory } from '../../revision/package-path.ts';
import { parseBranch } from '../../revision/ref-name.ts';
import type { CommitInfo, FileChanges } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { changesBetween } from '../render/proposal-render.ts';
import { packageRenderer } from '../render/rendered-package.ts';
import { filesAt } from '../repository/package-files.ts';
import type { ProposalPackage, ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { pushOnHead, type HeadCommit } from '../repository/push-commit.ts';
import { pushRefusal } from '../repository/refused-push.ts';
import { sealedCommitMessage, type MergeRecord } from '../seal/commit-seal.ts';
import { code } from '../text/markdown-blocks.ts';
import { joinedNotes, mergeNotes, type MergeNotes } from '../text/merge-notes.ts';
import { withoutFollowing } from './follow-conflicts.ts';

export type Remerge =
  /** The proposal has what the registered branch has of its packages. */
  | { readonly kind: 'none' }
  /** The branch took a commit of ours: read the proposal again. */
  | { readonly kind: 'pushed' }
  /** It has not, and a person must bring it. `reason` is a sentence. */
  | { readonly kind: 'withheld'; readonly reason: string };

/** Packages that the registered branch changed after the proposal left it. */
export function behindPackages({ packages }: Pick<ProposalSnapshot, 'packages'>): ProposalPackage[] {
  return packages.filter(({ trees }) => trees.base !== trees.left && trees.base !== trees.head);
}

/**
 * Merges them into an open proposal, by compare-and-swap and never by force. Where both changed the same field, the
 * proposal's value stays, so that its diff still shows what it is for, and a conflict tells of the other. Update branches are left to whoever makes
 * updates. Throws REF_MOVED (try again) when somebody pushed meanwhile.
 */
export async function remergeProposal(
  ports: Pick<Ports, 'app' | 'seals' | 'log' | 'content' | 'runtime'>,
  { git }: Pick<RepositoryAccess, 'git'>,
  snapshot: ProposalSnapshot,
  signal?: AbortSignal,
): Promise<Remerge> {
  const behind = behindPackages(snapshot);
  const { pull, head, base, mergeBase } = snapshot;
  if (behind.length === 0) return { kind: 'none' };
  if (!snapshot.writable) {
    return withheld('The proposal comes from a fork, where Portico may not write.');
  }
  if (parseBranch(pull.headRef)?.kind === 'update') {
    return withheld('Portico will merge the base branch into it at the next check.');
  }
  const gone = behind.find(({ trees }) => trees.head === null || trees.base === null);
  if (gone !== undefined) {
    return withheld(
      gone.trees.head === null
        ? `The proposal removes ${code(gone.path)}, which has changed since. Review it again.`
        : `${code(gone.path)} was removed from ${code(pull.baseRef)}.`,
    );
  }
  const onto = await git.mergeTrees(head.oid, base, {}, signal);
  const elsewhere = onto.conflicts.filter(
    (path) => !behind.some(({ directory }) => isBelow(directory, path)),
  );
  if (elsewhere.length > 0) return withheld(`Both changed ${elsewhere.slice(0, 10).map(code).join(', ')}.`);
  const changes = new Map<string, FileChanges extends ReadonlyMap<string, infer Change> ? Change : never>();
  const following: string[] = [];
  for (const { directory, path } of behind) {
    const merge = await mergeOf({
      ports,
      git,
      commits: { base: mergeBase, upstream: base, local: head.oid, taken: 'local' },
      directory,
      signal,
    });
    const { files, conflicts } = await merge();
    const place = { git, config: snapshot.config, base, path };
    const render = await packageRenderer(ports, place, signal);
    const sorted = await withoutFollowing(conflicts, files, async (decisions) => {
      const rendered = await render((await merge(decisions)).files);
      return rendered.ok ? rendered.files : null;
    });
    following.push(...sorted.following.map(({ id }) => `${directory}:${id}`));
    const present = await filesAt(git, onto.tree, directory, signal);
    for (const [path, change] of changesBetween(directory, present, files)) changes.set(path, change);
  }
  const record: MergeRecord = {
    kind: 'merge',
    directories: behind.map(({ directory }) => directory),
    base: mergeBase,
    taken: 'local',
    ...(following.length > 0 && { following }),
  };
  const title = `Merge ${pull.baseRef} into ${pull.headRef}\n\nBoth changed ${behind.map(({ path }) => path).join(', ')}.`;
  const commit: HeadCommit = {
    branch: pull.headRef,
    parents: [head.oid, base],
    onto: onto.tree,
    changes,
    message: (place) => sealedCommitMessage(title, record, place, ports.seals),
  };
  const answer = await pushOnHead(ports, git, commit, signal);
  if (answer.kind === 'refused') {
    const { message, hint } = pushRefusal(pull.headRef, answer.rejected);
    return withheld(`${message} ${hint}`);
  }
  ports.log.info(
    { repository: snapshot.facts.fullName, pull: pull.number, sha: answer.oid },
    'the registered branch was merged into a proposal',
  );
  return { kind: 'pushed' };
}

/** The conflicts and notes of a merge commit of ours, computed again from what it was made of. */
export async function toldByMerge({
  ports,
  git,
  commit: {
    parents: [local = '', upstream = ''],
  },
  record: { directories, base, taken, following = [] },
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly git: RepositoryAccess['git'];
  readonly commit: Pick<CommitInfo, 'parents'>;
  readonly record: MergeRecord;
  readonly signal?: AbortSignal | undefined;
}): Promise<{ readonly conflicts: readonly InPackage[]; readonly notes: MergeNotes }> {
  const conflicts: InPackage[] = [];
  const notes: MergeNotes[] = [];
  for (const directory of directories) {
    const merged = await mergedPackage({
      ports,
      git,
      commits: { base, upstream, local, taken },
      directory,
      signal,
    });
    for (const conflict of merged.conflicts) {
      if (!following.includes(`${directory}:${conflict.id}`)) conflicts.push({ ...conflict, directory });
    }
    notes.push(mergeNotes(merged.notes.map((note) => ({ ...note, directory }))));
  }
  return { conflicts, notes: joinedNotes(notes) };
}

type InPackage = Conflict & { readonly directory: RepositoryDirectory };

interface MergeCommits {
  readonly base: string;
  readonly upstream: string;
  readonly local: string;
  /** The side that stands where both changed the same field; upstream where it is undefined. */
  readonly taken?: MergeRecord['taken'] | undefined;
}

/** A package at three commits. */
interface PackageMerge {
  readonly ports: Pick<Ports, 'content'>;
  readonly git: RepositoryAccess['git'];
  readonly commits: MergeCommits;
  readonly directory: RepositoryDirectory;
  readonly signal: AbortSignal | undefined;
}

/** What a package is that changed on both sides, and where they meet. */
export async function mergedPackage(request: PackageMerge): ReturnType<Ports['content']['mergeConcurrent']> {
  return (await mergeOf(request))();
}

/** The same as often as it is asked for, with these conflicts settled. */
export async function mergeOf({
  ports: { content },
  git,
  commits,
  directory,
  signal,
}: PackageMerge): Promise<
  (decisions?: ReadonlyMap<string, Choice>) => ReturnType<Ports['content']['mergeConcurrent']>
> {
  const sides = {
    base: await filesAt(git, commits.base, directory, signal),
    upstream: await filesAt(git, commits.upstream, directory, signal),
    local: await filesAt(git, commits.local, directory, signal),
  };
  const onConflict = commits.taken ?? 'upstream';
  return (decisions = new Map()) => content.mergeConcurrent({ ...sides, onConflict, decisions }, signal);
}

function withheld(reason: string): Remerge {
  return { kind: 'withheld', reason };
}
