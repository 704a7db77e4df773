/** Commits that are Portico's own: their committer, and how a render commit is known. */
import type { Keyring } from '../../revision/keyring.ts';
import { isSealOf } from '../../revision/sealed-record.ts';
import type { CommitInfo, Person } from '../git-port.ts';
import type { Ports } from '../ports.ts';

/** How the line of a render commit begins that holds its seal. */
export const RENDER_SEAL = 'Portico-Render: ';

/** True for a render commit that Portico made, whatever name its author goes by. */
export function isRenderCommit(commit: CommitInfo, seals: Keyring): boolean {
  if (commit.parents.length !== 1) return false;
  const line = commit.message.trimEnd().split('\n').at(-1) ?? '';
  return (
    line.startsWith(RENDER_SEAL) &&
    isSealOf({ of: 'render', at: commit }, '', line.slice(RENDER_SEAL.length), seals)
  );
}

/** The name and address under which this App commits, as the forge links them to the bot's account. */
export function botPerson(app: Ports['app']): Person {
  return app.committer;
}
