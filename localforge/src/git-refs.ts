import type { ObjectType } from './git-objects.ts';
import type { GitOutput } from './git-process.ts';
import type { GitRef, GitRepository, RefChange } from './git-repository.ts';
import { ZERO_SHA } from './git-repository.ts';

/** Whether git takes it for the full name of a ref (`git help check-ref-format`). */
export function isRefName(name: string): boolean {
  return (
    name.startsWith('refs/') &&
    name.split('/').length >= 3 &&
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be in it
    !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|\/$|\.$|(^|\/)\.|\.lock(\/|$)/.test(name)
  );
}

export const isSha = (text: string): boolean => /^[0-9a-f]{40}$/.test(text);

/** See `GitRepository.resolve`. Nothing but checked ref names and hexadecimal digits reaches git. */
export async function resolveWord(
  info: GitRepository['info'],
  word: string,
  peel: boolean,
): Promise<string | undefined> {
  const suffix = peel ? '^{commit}' : '';
  if (isSha(word)) return (await info(word + suffix))?.sha;
  const candidates =
    word === 'HEAD'
      ? [word]
      : [
          `refs/heads/${word}`,
          `refs/tags/${word}`,
          ...(/^(heads|tags|pull)\//.test(word) ? [`refs/${word}`] : []),
          word,
        ].filter(isRefName);
  for (const candidate of candidates) {
    const found = await info(candidate + suffix);
    if (found !== undefined) return found.sha;
  }
  return /^[0-9a-f]{7,39}$/.test(word) ? (await info(word + suffix))?.sha : undefined;
}

/** Refs whose full name starts with `prefix` (any text, not only whole segments). */
export async function readRefs(
  lines: (args: readonly string[]) => Promise<string[]>,
  prefix: string,
): Promise<GitRef[]> {
  // for-each-ref matches whole segments: ask for the directory, filter here.
  const directory = prefix.slice(0, prefix.lastIndexOf('/') + 1).replace(/\/$/, '');
  if (/[*?[\\\n\0]/.test(directory)) return [];
  const printed = await lines([
    'for-each-ref',
    '--format=%(objectname) %(objecttype) %(refname)',
    ...(directory === '' ? [] : [directory]),
  ]);
  return printed.flatMap((line) => {
    const [sha = '', type = '', ...name] = line.split(' ');
    const ref = name.join(' ');
    return ref.startsWith(prefix) ? [{ ref, sha, type: type as ObjectType }] : [];
  });
}

/** Moves refs in one transaction of git. The names and ids must have been checked. */
export async function updateRefs(
  run: (args: readonly string[], options: { readonly input: string }) => Promise<GitOutput>,
  changes: readonly RefChange[],
): Promise<{ readonly ok: true } | { readonly ok: false; readonly reason: string }> {
  const bad = changes.find(
    (change) =>
      !isRefName(change.ref) ||
      [change.before, change.after].some((sha) => typeof sha === 'string' && !isSha(sha)),
  );
  if (bad !== undefined) return { ok: false, reason: `not a valid ref: ${bad.ref}` };
  const commands = changes.map((change) => {
    const before = change.before === undefined ? '' : `\0${change.before ?? ZERO_SHA}`;
    if (change.after === null) return `delete ${change.ref}${before || '\0'}\0`;
    return `update ${change.ref}\0${change.after}${before || '\0'}\0`;
  });
  const input = `start\0${commands.join('')}prepare\0commit\0`;
  const output = await run(['update-ref', '--stdin', '-z', '--no-deref'], { input });
  return output.code === 0
    ? { ok: true }
    : { ok: false, reason: output.stderr.replace(/^fatal: (prepare|commit): /, '').trim() };
}
