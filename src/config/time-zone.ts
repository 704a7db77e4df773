/** What is wrong with the name of a time zone; undefined where nothing is. */
export function timeZoneProblem(name: string): string | undefined {
  try {
    Intl.DateTimeFormat('en-US', { timeZone: name });
    return undefined;
  } catch {
    return 'must be a time zone such as Europe/Berlin';
  }
}
