/** Times as configuration writes them, and moments as people read them. Pure. */

const UNITS = [
  [604_800, 'w'],
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
] as const;

/** `2d`, `12h` or `90s`: in the largest unit of which it is a whole number. */
export function durationText(seconds: number): string {
  const unit = UNITS.find(([length]) => seconds >= length && seconds % length === 0);
  return unit === undefined ? `${seconds}s` : `${seconds / unit[0]}${unit[1]}`;
}

/** A moment, in milliseconds since 1970, as people read it, to the minute: `2026-11-23 08:41 UTC`. */
export function momentText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
