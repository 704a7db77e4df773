/** The parts that say something, one after the other. */
export function joined(parts: readonly string[], separator = '\n\n'): string {
  return parts.filter((part) => part !== '').join(separator);
}
