/** Times in milliseconds, memory in MiB. */
export interface Latency {
  readonly count: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly most: number;
  /** How many took up to so many milliseconds. */
  readonly histogram: Readonly<Record<string, number>>;
}

const BOUNDS = [5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000] as const;

export function latencyOf(milliseconds: readonly number[]): Latency {
  const sorted = milliseconds.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0) * 10) / 10;
  let below = 0;
  const histogram: Record<string, number> = {};
  for (const bound of BOUNDS) {
    const count = sorted.filter((one) => one <= bound).length;
    if (count > below) histogram[`≤ ${bound} ms`] = count - below;
    below = count;
  }
  if (sorted.length > below) histogram['more'] = sorted.length - below;
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1), histogram };
}

export interface Slope {
  readonly slope: number;
  /** Twice the standard error: the slope is said to be within so much of it. Null for fewer than three points. */
  readonly within: number | null;
}

/** Least squares: how much `y` grows for each `x`. */
export function slopeOf(points: readonly (readonly [number, number])[]): Slope {
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))];
  const spread = points.reduce((sum, [one]) => sum + (one - x) ** 2, 0);
  if (points.length < 3 || spread === 0) return { slope: 0, within: null };
  const slope = points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / spread;
  const left = points.reduce((sum, [a, b]) => sum + (b - y - slope * (a - x)) ** 2, 0);
  const error = Math.sqrt(left / (points.length - 2) / spread);
  return { slope: rounded(slope), within: rounded(2 * error) };
}

/** The means of so many parts of a list, of equal length; whole numbers. */
export function meansOf(values: readonly number[], parts: number): number[] {
  const bounds = Array.from({ length: parts + 1 }, (_, at) => Math.floor((at * values.length) / parts));
  return bounds
    .slice(1)
    .map((end, at) => values.slice(bounds[at], end))
    .filter((part) => part.length > 0)
    .map((part) => Math.round(mean(part)));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
