import type { UpdateChoice } from '../command/command-state.ts';
import { readKptfileAt } from './kptfile-at.ts';
import { taggedRevisions } from './package-revisions.ts';
import type { Access, World } from './ports.ts';
import type { ProposalSnapshot } from './proposal-snapshot.ts';
import { openUpstream } from './upstream.ts';

/** What the packages of a proposal could be updated to. */
export async function updateChoices(
  world: World,
  { git }: Access,
  { packages, head }: ProposalSnapshot,
  signal?: AbortSignal,
): Promise<UpdateChoice[]> {
  const choices: UpdateChoice[] = [];
  for (const { path, directory, trees } of packages) {
    const kptfile =
      trees.head === null ? null : (await readKptfileAt(git, head.oid, directory, signal)).kptfile;
    if (kptfile === null) continue;
    const found = await openUpstream(world, kptfile, signal);
    if (found.kind === 'none') continue;
    const { upstream } = found;
    choices.push({
      package: path,
      upstream: `${upstream.access.ref.owner}/${upstream.access.ref.name}/${upstream.directory}`.replace(
        /\/$/,
        '',
      ),
      available: taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name),
      ...(upstream.current !== undefined && { current: upstream.current }),
    });
  }
  return choices;
}
