/** Pure: when the next of a row of calls may be made, such that no window of time ever holds too many. */

/** Two windows over the same calls: at most `perMinute` in any `minute`, at most `perHour` in any 60 of them. */
export interface CallWindows {
  readonly perMinute: number;
  readonly perHour: number;
  /** Of a minute, in microseconds. */
  readonly minute: bigint;
}

/** Times of calls that were given out, in microseconds; null where there are not so many. */
export interface CallsBefore {
  readonly newest: bigint | null;
  /** The `perMinute`-th newest. */
  readonly minuteBefore: bigint | null;
  /** The `perHour`-th newest. */
  readonly hourBefore: bigint | null;
}

/**
 * The earliest time for one more: not in the past, not before the call that was asked for last, and only when both
 * windows, looking back from there, have room. A bucket that refills would let through twice as much in some windows.
 */
export function earliestCall(
  now: bigint,
  { newest, minuteBefore, hourBefore }: CallsBefore,
  { minute }: CallWindows,
): bigint {
  const times = [now];
  if (newest !== null) times.push(newest);
  if (minuteBefore !== null) times.push(minuteBefore + minute);
  if (hourBefore !== null) times.push(hourBefore + minute * 60n);
  return times.reduce((latest, time) => (time > latest ? time : latest));
}
