/** The updates that came to a repository without a pull request, as its dashboard lists them. */
import type { RepositoryConfig } from '../../config/repository-config.ts';
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { Ports, RepositoryAccess } from '../ports.ts';
import {
  loadRevisionRefs,
  taggedRevisions,
  tagOf,
  type RevisionRefs,
} from '../repository/package-revisions.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import { packagesOf, readSealed } from '../seal/update-record.ts';
import { code, commitLink } from '../text/markdown-blocks.ts';
import { section } from './section.ts';

export interface DirectUpdate {
  /** Below the registered directory. */
  readonly path: string;
  /** Revision of the upstream that the package was at; null where the update made it. */
  readonly from: string | null;
  readonly to: string;
  /** The revision that it became here. */
  readonly revision: string;
  readonly commit: string;
  /** What the branch was at before. */
  readonly parent: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Commits of the registered branch that are looked through. */
const MAX_COMMITS = 200;
/** Updates that are listed; the tags tell of all of them. */
const MAX_LISTED = 20;

/** The newest first. Only what has a tag that says so: the same commit may stand in the branch of a pull request. */
export async function loadDirectUpdates(
  ports: Pick<Ports, 'seals'>,
  { git }: Pick<RepositoryAccess, 'git'>,
  { directory: registered, commit: head }: Pick<RepositoryConfig, 'directory'> & { readonly commit: string },
  signal?: AbortSignal,
): Promise<readonly DirectUpdate[]> {
  const refs = await loadRevisionRefs(git, signal);
  const found: DirectUpdate[] = [];
  for (const commit of await git.log({ to: head }, { firstParent: true, limit: MAX_COMMITS }, signal)) {
    const record = readSealed(commit, ports.seals);
    const from = record?.direct?.from;
    if (record === null || from === undefined) continue;
    for (const [at, { directory, to }] of packagesOf(record).entries()) {
      const revision = revisionAt(refs, directory, commit.oid);
      if (revision === undefined) continue;
      if ((await provenanceOf({ git, refs, directory, revision, signal }))?.direct !== true) continue;
      const path = packagePathOf(registered, directory) ?? directory;
      const { oid, parents, committer } = commit;
      const ids = { commit: oid, parent: parents[0] ?? oid };
      found.push({ path, from: from[at] ?? null, to, revision, ...ids, at: committer.date });
      if (found.length === MAX_LISTED) return found;
    }
  }
  return found;
}

function revisionAt(refs: RevisionRefs, directory: RepositoryDirectory, commit: string): string | undefined {
  return taggedRevisions(refs, directory).findLast(
    ({ name }) => tagOf(refs, directory, name)?.commit === commit,
  )?.name;
}

/** Pure: what there is to tell of them; '' where there are none. */
export function directUpdatesPart(htmlUrl: string, updates: readonly DirectUpdate[]): string {
  if (updates.length === 0) return '';
  const rows = updates.map(({ path, from, to, revision, commit, parent, at }) => [
    code(path),
    from === null ? 'new' : code(from),
    code(to),
    code(revision),
    commitLink(htmlUrl, commit),
    `[compare](${htmlUrl}/compare/${parent}...${commit})`,
    at.slice(0, 16).replace('T', ' '),
  ]);
  const header = ['package', 'from', 'to', 'published as', 'commit', '', 'when'];
  return section('Updates that came without a pull request', header, rows);
}
