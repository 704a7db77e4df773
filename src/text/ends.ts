/**
 * Ends of texts, cut off in one pass. An expression such as `/\/+$/` tries anew at each slash, so that a long text of
 * slashes takes the square of its length.
 */

/** The text without the characters at its end that are among `characters`. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/** The address of a repository without white space around it, and without slashes and `.git` at its end. */
export function plainAddress(address: string): string {
  return withoutEnd(address.trim(), '/').replace(/\.git$/, '');
}

/** The text up to the first character that is among `characters`; all of it where none is in it. */
export function upTo(text: string, characters: string): string {
  let end = 0;
  while (end < text.length && !characters.includes(text[end] ?? '')) end += 1;
  return text.slice(0, end);
}
