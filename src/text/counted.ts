/** Numbers in sentences, in the singular where there is one. Pure. */

/** `1 file`, `2 files`; `plural` for a noun that does not take an s. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}

/** `is` or `are`, as the number has it. */
export function isOrAre(number: number): 'is' | 'are' {
  return number === 1 ? 'is' : 'are';
}

/** `1 more is not shown.`, `2 more packages are not shown.`; '' for none. */
export function notShown(number: number, noun?: string): string {
  if (number <= 0) return '';
  const what = noun === undefined ? `${number} more` : counted(number, `more ${noun}`);
  return `${what} ${isOrAre(number)} not shown.`;
}
