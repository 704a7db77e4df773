const SECONDS = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `30m`, `12h`, `3d` or `2w` in seconds, or the sentence that says why the text is none. */
export function parseAge(text: string): number | string {
  const [, count, unit] = /^([0-9]{1,4})([mhdw])$/.exec(text) ?? [];
  return count === undefined
    ? 'must be a number of minutes, hours, days or weeks, such as 30m, 12h, 3d or 2w'
    : Number(count) * SECONDS[unit as keyof typeof SECONDS];
}
