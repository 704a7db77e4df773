import { shown } from '../../command/arguments.ts';
import type { DiffEnd } from '../../command/diff-end.ts';
import { noSuchRevision } from '../../command/not-found.ts';
import type { Step } from '../../command/step.ts';
import { pathInRepository, type RepositoryDirectory } from '../../revision/package-path.ts';
import { notShown } from '../../text/counted.ts';
import { isOnBranch } from '../draft/upstream.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import { filesAt } from '../repository/package-files.ts';
import {
  loadRevisionRefs,
  taggedRevisions,
  tagOf,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { openRegistered } from '../repository/registered.ts';
import type { StepOutcome } from '../step-outcome.ts';
import { code, details } from '../text/markdown-blocks.ts';

/** Characters of a whole answer; a comment holds 65,536. */
const MAX_LENGTH = 56_000;

/** Packages of one answer. */
const MAX_COUNT = 10;

/** Answers with what differs, resource by resource. Nothing is written. */
export async function showDiff({
  ports: { content },
  access: { git, forge },
  snapshot,
  step: { packages, from, to },
  signal,
}: {
  readonly ports: Pick<Ports, 'content'>;
  readonly access: RepositoryAccess;
  readonly snapshot: ProposalSnapshot | null;
  readonly step: Extract<Step, { do: 'show-diff' }>;
  readonly signal?: AbortSignal | undefined;
}): Promise<StepOutcome> {
  const place = await placeOf({ git, forge }, snapshot, signal);
  if (place === null) {
    return {
      kind: 'refused',
      message: 'The registered branch does not exist.',
      hint: 'Check spec.branch in .github/portico.yaml.',
    };
  }
  const limit = Math.floor(MAX_LENGTH / Math.min(packages.length, MAX_COUNT));
  const parts: string[] = [];
  for (const path of packages.slice(0, MAX_COUNT)) {
    const directory = pathInRepository(place.directory, path);
    const ends = [from, to].map((end) => commitOf(place, directory, end));
    const commits: string[] = [];
    for (const [at, found] of ends.entries()) {
      const commit =
        found === null || (at === 0 ? from : to).kind !== 'commit'
          ? found
          : await known(git, place, found, signal);
      if (commit === null) return unknownEnd(place.refs, path, directory, at === 0 ? from : to);
      commits.push(commit);
    }
    const [a = '', b = ''] = commits;
    const [before, after] = [
      await filesAt(git, a, directory, signal),
      await filesAt(git, b, directory, signal),
    ];
    if (before.size === 0 && after.size === 0) {
      return {
        kind: 'refused',
        message: `Neither side has a package ${shown(path)}.`,
        hint: 'Write the package path relative to the registered directory.',
      };
    }
    const { text } = await content.diffText({ before, after, limit }, signal);
    parts.push(
      `**${code(path)}**, ${nameOf(from)} → ${nameOf(to)}\n\n${text.length > 3000 ? details('Differences', text) : text}`,
    );
  }
  if (packages.length > MAX_COUNT)
    parts.push(`${notShown(packages.length - MAX_COUNT, 'package')} To see one, name it.`);
  return { kind: 'done', reply: parts.join('\n\n') };
}

interface Place {
  readonly directory: RepositoryDirectory;
  readonly refs: RevisionRefs;
  /** Where `branch` and `head` stand for; in an issue both are the branch. */
  readonly branch: string;
  readonly head: string;
}

async function placeOf(
  access: Pick<RepositoryAccess, 'git' | 'forge'>,
  snapshot: ProposalSnapshot | null,
  signal: AbortSignal | undefined,
): Promise<Place | null> {
  const refs = await loadRevisionRefs(access.git, signal);
  if (snapshot !== null) {
    const { config, mergeBase, head } = snapshot;
    return { directory: config.directory, refs, branch: mergeBase, head: head.oid };
  }
  const found = await openRegistered(access, { isFetched: true }, signal);
  if (found.kind === 'none') return null;
  const { config, head } = found;
  return { directory: config.directory, refs, branch: head, head };
}

function commitOf(
  { refs, branch, head }: Place,
  directory: RepositoryDirectory,
  end: DiffEnd,
): string | null {
  switch (end.kind) {
    case 'revision':
      return tagOf(refs, directory, end.revision)?.commit ?? null;
    case 'branch':
      return branch;
    case 'head':
      return head;
    case 'commit':
      return end.commit;
  }
}

/** Only commits of this repository's branches and of this proposal: others may be a stranger's. */
async function known(
  git: RepositoryAccess['git'],
  { head }: Place,
  wanted: string,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const commit = await git.resolve(wanted, signal);
  if (commit === null) return null;
  return (await git.isAncestor(commit, head, signal)) || (await isOnBranch(git, commit, signal))
    ? commit
    : null;
}

function nameOf(end: DiffEnd): string {
  if (end.kind === 'revision') return code(end.revision);
  if (end.kind === 'commit') return code(end.commit.slice(0, 7));
  return end.kind === 'head' ? 'the head' : 'the registered branch';
}

function unknownEnd(
  refs: RevisionRefs,
  path: string,
  directory: RepositoryDirectory,
  end: DiffEnd,
): StepOutcome {
  if (end.kind === 'revision') {
    const published = taggedRevisions(refs, directory).map(({ name }) => name);
    return { ...noSuchRevision(path, end.revision, published), kind: 'refused' };
  }
  return {
    kind: 'refused',
    message: `${shown(path)} has no commit ${end.kind === 'commit' ? shown(end.commit.slice(0, 12)) : ''}.`,
    hint: 'Name revisions that have a tag, or commits that are on a branch.',
  };
}
