import { parseProvenance } from '../revision/provenance.ts';
import { allRevisions, loadRevisionRefs, refPath, tagOf } from './package-revisions.ts';
import type { Access } from './ports.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';

export interface PublishedRevision {
  readonly path: string;
  readonly revision: string;
  readonly url: string;
}

/** The revisions that a merged proposal became, as their tags say; null while one is still to be tagged. */
export async function publishedOf(
  { git }: Pick<Access, 'git'>,
  { packages, pull, facts }: Pick<ProposalSnapshot, 'packages' | 'pull' | 'facts'>,
  signal?: AbortSignal,
): Promise<readonly PublishedRevision[] | null> {
  const refs = await loadRevisionRefs(git, signal);
  const published: PublishedRevision[] = [];
  for (const { path, directory, trees } of packages) {
    if (trees.head === null) continue;
    const names = allRevisions(refs, directory).map(({ name }) => name);
    const found = await newestFrom(names, async (name) => {
      const tag = tagOf(refs, directory, name);
      const said = tag && (await git.tag(tag.oid, signal));
      return said ? parseProvenance(said.message)?.proposal === pull.number : false;
    });
    if (found === undefined) return null;
    const tag = refPath(directory) === '.' ? found : `${directory}/${found}`;
    published.push({
      path,
      revision: found,
      url: `${facts.htmlUrl}/releases/tag/${encodeURIComponent(tag)}`,
    });
  }
  return published;
}

async function newestFrom(
  names: readonly string[],
  holds: (name: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const name of names.toReversed().slice(0, 50)) if (await holds(name)) return name;
  return undefined;
}
