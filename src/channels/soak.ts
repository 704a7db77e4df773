const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** `72h` or `1d12h` in seconds; the reader of channel files has judged its form. */
export function soakSeconds(text: string): number {
  return [...text.matchAll(/(\d+)([smhd])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * SECONDS[unit as keyof typeof SECONDS],
    0,
  );
}
