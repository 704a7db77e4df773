/** Pure: which downstream is in which wave. */
import { compareText } from '../../text/compare-text.ts';
import { shareOf, type Rollout, type WaveGate, type WaveSelector } from './rollout.ts';

/** The wave of those that no wave of the document takes. */
export const REST = 'rest';

export interface Member {
  readonly id: string;
  /** `owner/name:path`; decides who comes first where a wave takes only some. */
  readonly name: string;
}

export interface AssignedWave<One extends Member> {
  readonly name: string;
  readonly members: readonly One[];
  readonly gate: WaveGate;
  readonly pauseAfter: number;
}

/**
 * Every downstream in exactly one wave: in the first that selects it and has room for it, else in the last of all, `rest`,
 * which is there only where it is needed. The same downstreams are divided alike in whatever compareText they come.
 */
export function assignWaves<One extends Member>(
  { waves }: Pick<Rollout, 'waves'>,
  downstreams: readonly One[],
  selects: (selector: WaveSelector, downstream: One) => boolean,
): AssignedWave<One>[] {
  let left = downstreams.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id));
  const assigned = waves.map(({ name, select, size, gate, pauseAfter }) => {
    const fitting = left.filter((one) => selects(select, one));
    const members = size === undefined ? fitting : fitting.slice(0, shareOf(size, fitting.length));
    const taken = new Set(members);
    left = left.filter((one) => !taken.has(one));
    return { name, members, gate, pauseAfter };
  });
  const last = assigned.at(-1);
  if (left.length === 0 || last === undefined) return assigned;
  return [...assigned, { name: REST, members: left, gate: last.gate, pauseAfter: 0 }];
}
