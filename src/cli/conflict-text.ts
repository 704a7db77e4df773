/** A conflict as the person at the terminal reads it: where, the three values, what was taken, and how to settle it. */
import { conflictStory, type Conflict } from '../package/merge/conflict.ts';
import { commonPairs } from '../package/yaml/sequence.ts';

/** Longest value, in characters, that is shown in one line. */
const MAX_INLINE = 72;
/** Lines of a difference; the others are counted. */
const MAX_LINES = 20;

export interface ConflictWords {
  /** The file as the person would write it. */
  readonly file: string;
  /** True where nothing was written, so that neither side stands. */
  readonly refused: boolean;
  /** The command that settles conflicts, without `--resolve`; undefined where none can. */
  readonly command: string | undefined;
}

export function conflictText(conflict: Conflict, { file, refused, command }: ConflictWords): string {
  const { id, line, resource, path, taken, also = [] } = conflict;
  const place = line === undefined ? file : `${file}:${line}`;
  const what = resource === null ? '' : ` ${resource.kind} ${resource.name}`;
  const field = path === '' ? '' : ` ${path}`;
  const isSecret = resource?.kind === 'Secret';
  const mark = (side: Conflict['taken']): string => (!refused && taken === side ? ' (taken)' : '');
  const lines = [
    `${place}: conflict ${id}:${what}${field} ${storyOf(conflict, refused)}`,
    ...(isSecret
      ? ['  The values of a Secret are not shown; they are in --json.']
      : [
          ...valueLines('base', '', conflict.base),
          ...valueLines('mine', mark('local'), conflict.local, conflict.base),
          ...valueLines('theirs', mark('upstream'), conflict.upstream, conflict.base),
        ]),
    ...also.map(
      (one) =>
        `  with it: ${one.path}, mine ${inlined(one.local) ?? 'as in the file'}, theirs ${inlined(one.upstream) ?? 'as upstream has it'}`,
    ),
  ];
  if (command === undefined) return lines.join('\n');
  const others = (['local', 'upstream'] as const).filter((side) => refused || side !== taken);
  const sides = [...others, ...(conflict.both === true ? ['both'] : [])];
  return [
    ...lines,
    ...sides.map(
      (side) =>
        `  to take ${{ local: 'mine', upstream: 'theirs', both: 'both' }[side]}: ${command} --resolve ${id}=${side}`,
    ),
  ].join('\n');
}

function storyOf(conflict: Conflict, refused: boolean): string {
  const story = conflictStory(conflict);
  if (refused) return story;
  const isLocal = conflict.taken === 'local';
  switch (story) {
    case 'deleted upstream, changed here':
      return `${story}; ${isLocal ? 'kept' : 'deleted'}`;
    case 'deleted here, changed upstream':
      return `${story}; ${isLocal ? 'stays deleted' : 'upstream taken'}`;
    default:
      return `${story}, ${conflict.taken} taken`;
  }
}

function valueLines(name: string, mark: string, value: unknown, base?: unknown): string[] {
  const head = `  ${name}${mark}`;
  const inline = inlined(value);
  if (inline !== undefined) return [`${head}: ${inline}`];
  // What is long is shown as what became of it.
  const before = base === undefined ? [] : linesOf(base);
  const shown =
    name === 'base' ? linesOf(value).map((line) => `    ${line}`) : differing(before, linesOf(value));
  if (name === 'base' || shown.length === 0) return [];
  const more = shown.length - MAX_LINES;
  return [`${head}:`, ...shown.slice(0, MAX_LINES), ...(more > 0 ? [`    … ${more} more lines`] : [])];
}

/** A short value in one line; undefined for others. */
function inlined(value: unknown): string | undefined {
  if (value === undefined) return '(absent)';
  const text = typeof value === 'string' ? value.replace(/\n$/, '') : jsonOf(value);
  if (text === '') return '(empty)';
  return text.includes('\n') || text.length > MAX_INLINE ? undefined : text;
}

function linesOf(value: unknown): string[] {
  return (typeof value === 'string' ? value.replace(/\n$/, '') : jsonOf(value, 2)).split('\n');
}

function jsonOf(value: unknown, indent?: number): string {
  return (
    JSON.stringify(
      value,
      (_, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner),
      indent,
    ) ?? ''
  );
}

function differing(before: readonly string[], now: readonly string[]): string[] {
  const lines: string[] = [];
  let [x, y] = [0, 0];
  for (const [left, right] of [...commonPairs(before, now), [before.length, now.length] as const]) {
    lines.push(...before.slice(x, left).map((line) => `    - ${line}`));
    lines.push(...now.slice(y, right).map((line) => `    + ${line}`));
    [x, y] = [left + 1, right + 1];
  }
  return lines;
}

/** A word of a command as a shell reads it back. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
