/** Splits a command line as a POSIX shell would: quotes and backslashes, nothing else. */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  const token = /\s*((?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+)/gsy;
  for (const match of command.matchAll(token)) {
    const word = match[1] ?? '';
    words.push(
      word.replaceAll(
        /\\(.)|"((?:[^"\\]|\\.)*)"|'([^']*)'/gs,
        (_all, escaped?: string, double?: string, single?: string) =>
          escaped ?? single ?? (double ?? '').replaceAll(/\\(["\\$`])/g, '$1'),
      ),
    );
  }
  return words;
}
