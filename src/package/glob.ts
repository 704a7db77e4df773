/**
 * Globs over paths, as bmatcuk/doublestar reads them: `*` and `?` within a name, `**` for any number of names,
 * `[a-z]` and `[^a-z]`, `{a,b}`, and `\` before a character that means itself. The pattern becomes a small machine whose
 * states are followed all at once: a path takes time in proportion to its length and the pattern's, whatever they say.
 * Sets of states that were reached once are kept with where they lead, so that the next paths take a step for each character
 * (Russ Cox, "Regular Expression Matching Can Be Simple And Fast": the cached DFA).
 */

/** Longer patterns are no globs: paths have 1,024 characters at most. */
const MAX_PATTERN = 1_024;
const MAX_PATH = 4_096;
const MAX_BRACES = 16;
/** Steps that a glob keeps, from a set of states to the next; then it begins anew. */
const MAX_STEPS = 10_000;

/** Any number of names, several times over, is any number of names. */
const REPEATED = /(^|[/{,])(?:\*\*\/){2,}/g;

export interface Glob {
  readonly matches: (path: string) => boolean;
  /** States of the machine: one path takes at most so many steps for each of its characters. */
  readonly size: number;
}

/** One state: what character it wants, and where it goes on. Without a test it goes on at once. */
interface State {
  test?: (character: string) => boolean;
  readonly next: number[];
}

/** Undefined for what is no glob: a bracket that is not closed, braces nested deep, or too long a pattern. */
export function readGlob(pattern: string): Glob | undefined {
  if (pattern.length > MAX_PATTERN) return undefined;
  const reader: Reader = { pattern: pattern.replace(REPEATED, '$1**/'), at: 0, depth: 0, states: [] };
  const end = sequence(reader, addState(reader, []));
  if (end === undefined || reader.at < reader.pattern.length) return undefined;
  const { states } = reader;
  const run = createRun(states, end);
  return { size: states.length, matches: (path) => path.length <= MAX_PATH && run(path) };
}

interface Reader {
  readonly pattern: string;
  at: number;
  depth: number;
  readonly states: State[];
}

function addState({ states }: Reader, next: number[], test?: State['test']): number {
  states.push(test === undefined ? { next } : { next, test });
  return states.length - 1;
}

/** Lets one state go on to another. */
function link({ states }: Reader, from: number, to: number): void {
  states[from]?.next.push(to);
}

/** Reads up to the end, or to the `,` or `}` of the braces around; gives the state in which it ends. */
function sequence(reader: Reader, from: number): number | undefined {
  let here = from;
  while (reader.at < reader.pattern.length) {
    const character = reader.pattern[reader.at] ?? '';
    if (reader.depth > 0 && (character === ',' || character === '}')) return here;
    const after = atom(reader, here, character);
    if (after === undefined) return undefined;
    here = after;
  }
  return here;
}

function atom(reader: Reader, from: number, character: string): number | undefined {
  switch (character) {
    case '*':
      return star(reader, from);
    case '?':
      reader.at += 1;
      return single(reader, from, (one) => one !== '/');
    case '[':
      return bracket(reader, from);
    case '{':
      return braces(reader, from);
    case '\\': {
      const escaped = reader.pattern[reader.at + 1];
      if (escaped === undefined) return undefined;
      reader.at += 2;
      return single(reader, from, (one) => one === escaped);
    }
    default:
      reader.at += 1;
      return single(reader, from, (one) => one === character);
  }
}

function single(reader: Reader, from: number, test: (character: string) => boolean): number {
  const after = addState(reader, []);
  link(reader, from, addState(reader, [after], test));
  return after;
}

/** `**` where it stands for whole names goes over slashes, and its own slash may be missing with it. */
function star(reader: Reader, from: number): number {
  const { pattern, at } = reader;
  let end = at;
  while (pattern[end] === '*') end += 1;
  const before = at === 0 || '/{,'.includes(pattern[at - 1] ?? '');
  const behind =
    end === pattern.length || pattern[end] === '/' || (reader.depth > 0 && ',}'.includes(pattern[end] ?? ''));
  const whole = end - at === 2 && before && behind;
  const after = addState(reader, []);
  link(reader, from, after);
  if (!whole) {
    reader.at = end;
    return loop(reader, from, after, (one) => one !== '/');
  }
  const slash = pattern[end] === '/';
  reader.at = slash ? end + 1 : end;
  if (!slash) return loop(reader, from, after, () => true);
  // Names, each with its slash.
  const names = addState(reader, []);
  link(reader, from, names);
  link(
    reader,
    names,
    addState(reader, [names], () => true),
  );
  link(
    reader,
    names,
    addState(reader, [after], (one) => one === '/'),
  );
  return after;
}

function loop(reader: Reader, from: number, after: number, test: (character: string) => boolean): number {
  const again = addState(reader, []);
  link(reader, from, again);
  link(reader, again, after);
  link(reader, again, addState(reader, [again], test));
  return after;
}

function bracket(reader: Reader, from: number): number | undefined {
  const { pattern } = reader;
  let at = reader.at + 1;
  const negated = pattern[at] === '^' || pattern[at] === '!';
  if (negated) at += 1;
  const ranges: [string, string][] = [];
  const first = at;
  while (at < pattern.length && (pattern[at] !== ']' || at === first)) {
    const low = character();
    if (low === undefined) return undefined;
    if (pattern[at] === '-' && pattern[at + 1] !== ']' && at + 1 < pattern.length) {
      at += 1;
      const high = character();
      if (high === undefined) return undefined;
      ranges.push([low, high]);
    } else ranges.push([low, low]);
  }
  if (pattern[at] !== ']' || ranges.length === 0) return undefined;
  reader.at = at + 1;
  return single(
    reader,
    from,
    (one) => one !== '/' && ranges.some(([low, high]) => low <= one && one <= high) !== negated,
  );

  function character(): string | undefined {
    if (pattern[at] === '\\') at += 1;
    return pattern[at++];
  }
}

function braces(reader: Reader, from: number): number | undefined {
  if (++reader.depth > MAX_BRACES) return undefined;
  const after = addState(reader, []);
  do {
    reader.at += 1;
    const start = addState(reader, []);
    link(reader, from, start);
    const end = sequence(reader, start);
    if (end === undefined) return undefined;
    link(reader, end, after);
  } while (reader.pattern[reader.at] === ',');
  reader.depth -= 1;
  if (reader.pattern[reader.at] !== '}') return undefined;
  reader.at += 1;
  return after;
}

/** States that are reached together, and the sets that follow from them by one character. */
interface StateSet {
  readonly members: readonly number[];
  readonly isEnd: boolean;
  readonly next: Map<string, StateSet>;
}

/** Follows all states at once. */
function createRun(states: readonly State[], end: number): (path: string) => boolean {
  const sets = new Map<string, StateSet>();
  const seen = new Int32Array(states.length);
  let round = 0;
  let steps = 0;
  let start = setOf([0]);

  return (path) => {
    if (steps > MAX_STEPS) {
      steps = 0;
      sets.clear();
      start = setOf([0]);
    }
    let here = start;
    for (const character of path.split('')) {
      if (here.members.length === 0) return false;
      here = after(here, character);
    }
    return here.isEnd;
  };

  function after(here: StateSet, character: string): StateSet {
    const known = here.next.get(character);
    if (known !== undefined) return known;
    const reached = here.members.flatMap((member) => {
      const { test, next } = states[member] ?? { next: [] };
      return test?.(character) === true ? next : [];
    });
    const next = setOf(reached);
    here.next.set(character, next);
    steps += 1;
    return next;
  }

  /** The set of these states and of all that follow from them without a character. */
  function setOf(first: readonly number[]): StateSet {
    round += 1;
    const members: number[] = [];
    const open = [...first];
    let isEnd = false;
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      if (seen[state] === round) continue;
      seen[state] = round;
      isEnd ||= state === end;
      const { test, next } = states[state] ?? { next: [] };
      if (test !== undefined) members.push(state);
      else open.push(...next);
    }
    const key = `${isEnd} ${members.join(' ')}`;
    const known = sets.get(key);
    if (known !== undefined) return known;
    const made: StateSet = { members, isEnd, next: new Map() };
    sets.set(key, made);
    return made;
  }
}
