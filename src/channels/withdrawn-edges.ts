/**
 * The edges of a graph around a member that is withdrawn. Without it the channel could have several heads, or members that no upgrade
 * reaches, and OLM reads no such channel; so its place is closed as a maintainer would close it.
 */
import { headsOf } from '../fbc/channel-graph.ts';
import { entryOf } from './channel-graph.ts';
import type { GraphMember } from './channel.ts';

export interface Edges {
  readonly replaces?: number | undefined;
  readonly skips?: readonly number[];
}

/**
 * Members whose edges change, with their new edges. Who replaced the withdrawn member replaces what that one replaced, and skips it; what it
 * skipped is skipped in its place, by the new head where the head is withdrawn.
 */
export function edgesWithout(members: readonly GraphMember[], revision: number): ReadonlyMap<number, Edges> {
  const alive = members.filter((member) => member.withdrawn !== true);
  const gone = alive.find((member) => member.revision === revision);
  const changed = new Map<number, Edges>();
  if (gone === undefined) return changed;
  const left = new Map<number, Edges>(
    alive.filter((member) => member !== gone).map((member) => [member.revision, member]),
  );
  const change = (of: number, { skips = [], ...edges }: Edges): void => {
    const { replaces, skips: before = [] } = { ...left.get(of), ...edges };
    const after = {
      replaces,
      skips: [...new Set([...before, ...skips])].filter((one) => one !== of),
    };
    left.set(of, after);
    changed.set(of, after);
  };
  const named = [...left].filter(
    ([, { replaces, skips }]) => replaces === revision || skips?.includes(revision),
  );
  for (const [of, { replaces }] of named) {
    const onto = replaces === revision ? { replaces: gone.replaces } : {};
    change(of, { ...onto, skips: [revision, ...(gone.skips ?? [])] });
  }
  const entries = [...left].map(([of, { replaces, skips }]) =>
    entryOf({ revision: of, ...(replaces !== undefined && { replaces }), ...(skips && { skips }) }),
  );
  const heads = headsOf(entries).map(Number);
  const wasHead = named.length === 0;
  if (heads.length > 1 || wasHead) {
    const next = gone.replaces ?? -1;
    const head = wasHead && heads.includes(next) ? next : Math.max(...heads);
    const skips = [...(wasHead ? (gone.skips ?? []) : []), ...heads].filter(
      (one) => left.has(one) && one !== head,
    );
    if (skips.length > 0) change(head, { skips });
  }
  return changed;
}
