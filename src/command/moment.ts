/** Times as the forge writes them, compared without a clock. */

const TIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/;

/** Negative where `a` is earlier. Undefined where one of them is no ISO 8601 time in UTC: then nobody can tell. */
export function compareTimes(a: string, b: string): number | undefined {
  const [left, right] = [sortable(a), sortable(b)];
  if (left === undefined || right === undefined) return undefined;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function sortable(time: string): string | undefined {
  const match = TIME.exec(time);
  return match === null ? undefined : match.slice(1, 7).join('') + (match[7] ?? '').padEnd(9, '0');
}
