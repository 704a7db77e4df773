import type { DiffFile } from './git-repository.ts';

/** Past these GitHub leaves the patch of a file out. */
const MAX_PATCH_BYTES = 1_000_000;
const MAX_PATCH_LINES = 20_000;

/** The arguments of the `git diff-tree` whose output `parseDiff` reads. */
export const diffArguments = (from: string, to: string, patch: boolean): string[] => [
  'diff-tree',
  '-r',
  '-z',
  '-M',
  '--raw',
  '--numstat',
  '--no-abbrev',
  ...(patch ? ['-p'] : []),
  from,
  to,
  '--',
];

const STATUS: Readonly<Record<string, DiffFile['status']>> = {
  A: 'added',
  D: 'removed',
  M: 'modified',
  R: 'renamed',
  C: 'copied',
  T: 'changed',
};

/** Reads what `git diff-tree -z --raw --numstat [-p]` printed. */
export function parseDiff(output: Buffer): DiffFile[] {
  const reader = fields(output);
  const raw: { status: string; path: string; previousPath: string | null; sha: string }[] = [];
  while (reader.peek() === ':') {
    const [, , before = '', after = '', status = ''] = reader.next().split(' ');
    const first = reader.next();
    const renamed = /^[RC]/.test(status);
    raw.push({
      status: status.slice(0, 1),
      previousPath: renamed ? first : null,
      path: renamed ? reader.next() : first,
      sha: status === 'D' ? before : after,
    });
  }
  const counts = raw.map(() => {
    const [added = '', removed = '', path = ''] = reader.next().split('\t');
    // For a rename the two paths follow as fields of their own.
    if (path === '') {
      reader.next();
      reader.next();
    }
    return { binary: added === '-', additions: Number(added) || 0, deletions: Number(removed) || 0 };
  });
  const sections = splitPatches(reader.rest());
  return raw.map((file, index) => {
    const count = counts[index];
    // A change of type is printed as a removal and an addition.
    const texts = sections.splice(0, file.status === 'T' ? 2 : 1);
    return {
      path: file.path,
      previousPath: file.previousPath,
      status: STATUS[file.status] ?? 'changed',
      sha: file.sha,
      additions: count?.additions ?? 0,
      deletions: count?.deletions ?? 0,
      patch: count?.binary === true ? undefined : bodyOfPatch(texts.at(-1)),
    };
  });
}

function fields(output: Buffer): { peek(): string; next(): string; rest(): string } {
  let at = 0;
  return {
    peek: () => output.toString('latin1', at, at + 1),
    next: () => {
      const end = output.indexOf(0, at);
      const field = output.toString('utf8', at, end < 0 ? output.length : end);
      at = end < 0 ? output.length : end + 1;
      return field;
    },
    rest: () => output.toString('utf8', at).replace(/^\0/, ''),
  };
}

const splitPatches = (text: string): string[] =>
  text === '' ? [] : text.split(/^(?=diff --git )/m).filter((section) => section !== '');

function bodyOfPatch(section: string | undefined): string | undefined {
  if (section === undefined) return undefined;
  const start = section.search(/^@@ /m);
  if (start < 0 || section.length > MAX_PATCH_BYTES) return undefined;
  const body = section.slice(start).replace(/\n$/, '');
  return body.split('\n', MAX_PATCH_LINES + 1).length > MAX_PATCH_LINES ? undefined : body;
}
