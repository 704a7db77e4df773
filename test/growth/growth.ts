/**
 * How work grows with its input, told by the processor time of this thread: other load on the machine does not count,
 * and only the ratio matters. The input is made larger until it takes some milliseconds, and then four times as large.
 */

/** The largest exponent that counts as linear: between 1, with what caches and collections of garbage add, and 2 of what is quadratic. */
export const LINEAR = 1.6;

const LARGEST = 1 << 20;

/** Milliseconds of the processor, the least of some runs: what else the thread does only adds. */
function cost(run: () => unknown, runs = 3): number {
  let least = Infinity;
  for (let at = 0; at < runs; at += 1) {
    const before = process.threadCpuUsage();
    run();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/**
 * The exponent with which time grows: 1 for linear, 2 for quadratic; 0 where the largest input takes no time worth
 * measuring. `most` is the largest size that is tried.
 */
export function exponentOf<Input>(
  make: (size: number) => Input,
  run: (input: Input) => unknown,
  most = LARGEST,
): number {
  for (let size = 256; size <= most / 4; size *= 2) {
    const input = make(size);
    const small = cost(() => run(input), 1);
    if (small < 4) continue;
    const larger = make(size * 4);
    const base = cost(() => run(input));
    // What was slow only when it was compiled is made larger.
    if (base < 2) continue;
    return Math.log(cost(() => run(larger)) / base) / Math.log(4);
  }
  return 0;
}

/** Asked again where it looks too large: an error of measurement goes away, what is quadratic does not. */
export function growsAtMost(wanted: number, measure: () => number): number {
  let least = Infinity;
  for (let attempt = 0; attempt < 4 && least > wanted; attempt += 1) least = Math.min(least, measure());
  return least;
}
