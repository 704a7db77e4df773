/** One line of the benchmark. Times in seconds, memory in MiB, unless `what` says otherwise. */
export interface Row {
  readonly what: string;
  readonly ours: number | null;
  readonly peer: number | null;
  /** peer / ours: how many times better we are. */
  readonly ratio: number | null;
  readonly budget: string;
  readonly verdict: 'met' | 'not met' | 'no peer';
}

/** A comparison: met when we are at least `times` better than the peer. */
export function against(what: string, ours: number, peer: number | null, times: number): Row {
  const budget = times === 1 ? '≤ 1 × of the peer' : `≥ ${times} × better`;
  if (peer === null) return { what, ours: rounded(ours), peer, ratio: null, budget, verdict: 'no peer' };
  const ratio = ours === 0 ? (peer === 0 ? 1 : Infinity) : peer / ours;
  return {
    what,
    ours: rounded(ours),
    peer: rounded(peer),
    ratio: rounded(ratio),
    budget,
    verdict: ratio >= times ? 'met' : 'not met',
  };
}

/** A limit of our own, without a peer. */
export function within(what: string, ours: number, limit: number): Row {
  const verdict = ours <= limit ? 'met' : 'not met';
  return { what, ours: rounded(ours), peer: null, ratio: null, budget: `≤ ${limit}`, verdict };
}

/** A figure that has no budget. */
export function figure(what: string, ours: number): Row {
  return { what, ours: rounded(ours), peer: null, ratio: null, budget: '', verdict: 'no peer' };
}

/** The rows as a table for people. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(
    ({ what, ours, peer, ratio, budget, verdict }) =>
      [what, text(ours), text(peer), text(ratio), budget, verdict] as const,
  );
  const all = [['what', 'ours', 'peer', 'ratio', 'budget', 'verdict'] as const, ...cells];
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => (row[at] ?? '').length))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function text(value: number | null): string {
  return value === null ? '–' : String(value);
}

/** Three significant digits. */
function rounded(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(3)) : value;
}
