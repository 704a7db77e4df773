/** The parts that say something, one after the other. */
export function joined(parts: readonly string[], separator = '\n\n'): string {
  return parts.filter((part) => part !== '').join(separator);
}

/** The text as the start of a sentence. A name, such as `v9` or `apps/web`, keeps its letters. */
export function sentenceStart(text: string): string {
  return /^[a-z]+(?:'[a-z]+)?[\s,:;.]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
}
