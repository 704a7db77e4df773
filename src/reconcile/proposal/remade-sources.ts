/**
 * What processors make of sources, made again where people changed what it is made of: the values of a chart, an overlay. What
 * people wrote stays; where they changed what processors write, nothing is written over it, and the check says so.
 */
import { sameFile, type PackageFiles } from '../../package/package.ts';
import { SOURCES_LOCK_FILE } from '../../package/sources/source-files.ts';
import { fileIn, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { CommitInfo, FileChanges, Git } from '../git-port.ts';
import type { Ports, RepositoryWork } from '../ports.ts';
import { commitRendered } from '../render/render-commit.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { isRenderCommit } from '../seal/bot-commit.ts';
import type { SourcesReading } from '../source-port.ts';
import { hasPeoplesFiles } from '../update/peoples-files.ts';

/** Begins the subject of such a commit. */
const SUBJECT = 'Process the sources of ';

/** The files of a package that are to be written again; undefined where people have to decide. */
export async function remadeFiles({
  seals,
  git,
  range,
  directory,
  reading,
  files,
  made,
  signal,
}: {
  readonly seals: Ports['seals'];
  readonly git: Git;
  readonly range: { readonly from: string; readonly to: CommitInfo };
  readonly directory: RepositoryDirectory;
  readonly reading: Extract<SourcesReading, { kind: 'sources' }>;
  readonly files: PackageFiles;
  readonly made: PackageFiles;
  readonly signal: AbortSignal | undefined;
}): Promise<FileChanges | undefined> {
  const { sources, outputs } = reading;
  if (!sources.every(({ isHeld }) => isHeld)) return undefined;
  const paths = [...new Set([...made.keys(), ...files.keys()])].filter(
    (path) => !sameFile(made.get(path), files.get(path)),
  );
  const isMade = (path: string): boolean =>
    path === SOURCES_LOCK_FILE || outputs.some((output) => path.startsWith(`${output}/`));
  if (paths.length === 0 || !paths.every(isMade)) return undefined;
  if (await wasRemade(seals, git, range, signal)) return undefined;
  const derived = [SOURCES_LOCK_FILE, ...outputs].map((path) => fileIn(directory, path));
  const people = { from: range.from, to: range.to.oid };
  if (await hasPeoplesFiles({ seals, git, range: people, paths: derived, signal })) return undefined;
  return new Map(paths.map((path) => [fileIn(directory, path), made.get(path) ?? null]));
}

/** It was made again already, and nobody changed anything since: making it once more would not end. */
async function wasRemade(
  seals: Ports['seals'],
  git: Git,
  { from, to }: { readonly from: string; readonly to: CommitInfo },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const commit of await git.log({ from, to: to.oid }, { firstParent: true, limit: 2 }, signal)) {
    if (!isRenderCommit(commit, seals)) return false;
    if (commit.message.startsWith(SUBJECT)) return true;
  }
  return false;
}

/** Puts it on the branch of the proposal. False where there is nothing to put, or the forge does not take it. */
export async function pushRemade({
  ports,
  access,
  snapshot,
  remade,
  signal,
}: RepositoryWork & {
  /** With the head that the branch has now. */
  readonly snapshot: ProposalSnapshot;
  readonly remade: readonly { readonly path: string; readonly remade?: FileChanges }[];
}): Promise<boolean> {
  const all = remade.flatMap(({ path, remade: changes }) =>
    changes === undefined ? [] : [{ path, changes }],
  );
  if (all.length === 0) return false;
  const changes: FileChanges = new Map(all.flatMap((one) => [...one.changes]));
  const subject = `${SUBJECT}${all.map(({ path }) => path).join(', ')} again`;
  const answer = await commitRendered({ ports, access, signal }, snapshot, subject, changes);
  return answer.kind === 'pushed';
}
