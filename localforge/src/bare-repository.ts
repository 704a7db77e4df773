import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { ForgeError } from './error.ts';
import { openBatch } from './git-batch.ts';
import { diffArguments, parseDiff } from './git-diff.ts';
import { changedPaths, isNearAncestor, makeMemo, straightLine, treeOfNewer } from './git-graph.ts';
import {
  formatCommit,
  formatTag,
  formatTree,
  parseCommit,
  parseTag,
  parseTree,
  writeObject,
} from './git-objects.ts';
import type { TreeEntry } from './git-objects.ts';
import type { ObjectType } from './git-objects.ts';
import { runGit } from './git-process.ts';
import type { GitOutput } from './git-process.ts';
import { isRefName, isSha, readRefs, resolveWord, updateRefs } from './git-refs.ts';
import type { DiffFile, GitRepository, MergeResult } from './git-repository.ts';
import { editTree } from './git-tree-edit.ts';
import { writePullRef } from './pull-ref.ts';

/** How many answers about commits, and differences, a repository keeps; larger differences are not kept. */
const KEPT_ANSWERS = 300;
const KEPT_DIFFS = 12;
const KEPT_OBJECTS = 400;
/** Bytes: larger objects are read again, so that blobs do not displace trees and commits. */
const MAX_KEPT_OBJECT = 4 * 1024;
/** Bytes of one remembered diff. */
const MAX_KEPT_DIFF = 128 * 1024;

const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/** Makes the bare repository when it is not there yet. `branch` is what HEAD names. */
export async function createBareRepository(directory: string, branch: string): Promise<void> {
  if (await stat(join(directory, 'HEAD')).catch(() => undefined)) return;
  await mkdir(directory, { recursive: true });
  for (const folder of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
    await mkdir(join(directory, folder), { recursive: true });
  }
  await writeFile(join(directory, 'config'), CONFIG);
  // Last, because git (and the check above) takes the directory for a repository by it.
  await writeFile(join(directory, 'HEAD'), `ref: refs/heads/${branch}\n`);
}

const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
[gc]
\tauto = 0
[uploadpack]
\tallowFilter = true
\tallowAnySHA1InWant = true
[http]
\treceivepack = true
[receive]
\tautogc = false
\tadvertiseAtomic = true
\tadvertisePushOptions = true
\tfsckObjects = true
\thideRefs = refs/pull
\tdenyDeleteCurrent = refuse
[receive "fsck"]
\tzeroPaddedFilemode = ignore
\tbadTimezone = ignore
\tmissingSpaceBeforeDate = ignore
`;

/** The git side of one repository; processes start when they are needed. */
export function openBareRepository(directory: string): GitRepository {
  const batch = openBatch(directory);
  const run = (
    args: readonly string[],
    options: { readonly input?: string | Buffer; readonly env?: Readonly<Record<string, string>> } = {},
  ): Promise<GitOutput> => runGit(args, { directory, ...options });
  const must = async (args: readonly string[]): Promise<string> => {
    const output = await run(args);
    if (output.code !== 0) throw gitFailed(args, output);
    return output.stdout.toString();
  };
  const lines = async (args: readonly string[]): Promise<string[]> =>
    (await must(args)).split('\n').filter((line) => line !== '');

  const info: GitRepository['info'] = async (name) => {
    const [sha, type, size] = ((await batch.ask('info', name))?.header ?? '').split(' ');
    return sha === undefined || type === undefined
      ? undefined
      : { sha, type: type as ObjectType, size: Number(size) };
  };
  const objects = makeMemo(KEPT_OBJECTS);
  const readObject: GitRepository['object'] = async (name) => {
    const answer = await batch.ask('contents', name);
    if (answer?.content === undefined) return undefined;
    const [sha = '', type] = answer.header.split(' ');
    return { sha, type: type as ObjectType, content: answer.content };
  };
  const object: GitRepository['object'] = (name) => {
    const id = name.endsWith('^{tree}') ? name.slice(0, -'^{tree}'.length) : name;
    if (!isSha(id)) return readObject(name);
    return objects(
      name,
      () => readObject(name),
      (found) => found !== undefined && found.content.length <= MAX_KEPT_OBJECT,
    );
  };
  const readTree = async (name: string): Promise<TreeEntry[]> => {
    // git knows the empty tree without having it.
    if (name === EMPTY_TREE) return [];
    const found = await object(`${name}^{tree}`);
    if (found === undefined) throw new ForgeError('GIT_NO_TREE', `There is no tree ${name}.`);
    return parseTree(found.content);
  };
  const withSize = async (entry: TreeEntry): Promise<TreeEntry> =>
    entry.type === 'blob' ? { ...entry, size: (await info(entry.sha))?.size ?? 0 } : entry;
  const readRecursive = async (name: string, prefix: string): Promise<TreeEntry[]> => {
    const nested = await Promise.all(
      (await readTree(name)).map(async (entry) => {
        const placed = await withSize({ ...entry, path: prefix + entry.path });
        return entry.type === 'tree'
          ? [placed, ...(await readRecursive(entry.sha, `${placed.path}/`))]
          : [placed];
      }),
    );
    return nested.flat();
  };
  const entryAt = async (name: string, path: string): Promise<TreeEntry | undefined> => {
    const parts = path.split('/').filter((part) => part !== '');
    let entry: TreeEntry | undefined;
    for (const part of parts) {
      if (entry !== undefined && entry.type !== 'tree') return undefined;
      entry = (await readTree(entry?.sha ?? name)).find((one) => one.path === part);
      if (entry === undefined) return undefined;
    }
    return entry && withSize({ ...entry, path: parts.join('/') });
  };

  const commit: GitRepository['commit'] = async (sha) => {
    const found = await object(sha);
    return found?.type === 'commit' ? parseCommit(found.sha, found.content) : undefined;
  };
  // Answers about commits never change as long as they are named by their ids.
  const memo = makeMemo(KEPT_ANSWERS);
  const diffs = makeMemo(KEPT_DIFFS);
  const remember = <T>(question: readonly string[], make: () => Promise<T>): Promise<T> =>
    question.slice(1).every(isSha) ? memo(question.join(' '), make) : make();
  const isAncestor: GitRepository['isAncestor'] = (ancestor, descendant) =>
    remember(['is-ancestor', ancestor, descendant], async () => {
      if (ancestor === descendant) return true;
      const near = await isNearAncestor(commit, ancestor, descendant);
      if (near !== undefined) return near;
      const args = ['merge-base', '--is-ancestor', ancestor, descendant];
      const output = await run(args);
      if (output.code > 1) throw gitFailed(args, output);
      return output.code === 0;
    });
  /** What a branch has that its base has not, when nothing else is asked and it is a short straight line. */
  const nearLog = async (options: LogOptions): Promise<string[] | undefined> => {
    const { include, exclude = [], reverse, limit, ...others } = options;
    const [head, base] = [include[0], exclude[0]];
    const plain = include.length === 1 && exclude.length === 1 && Object.keys(others).length === 0;
    if (!plain || head === undefined || base === undefined || !isSha(head) || !isSha(base)) return undefined;
    const line = (await straightLine(commit, base, head))?.slice(0, limit);
    return reverse === true ? line?.reverse() : line;
  };

  return {
    directory,
    object,
    info,
    commit,
    changedPaths: (from, to) => changedPaths(readTree, from, to),
    tag: async (sha) => {
      const found = await object(sha);
      return found?.type === 'tag' ? parseTag(found.sha, found.content) : undefined;
    },
    resolve: (word, options) => resolveWord(info, word, options?.peel ?? true),
    ref: async (name) => {
      const found = isRefName(name) ? await info(name) : undefined;
      return found && { ref: name, sha: found.sha, type: found.type };
    },
    refs: (prefix) => readRefs(lines, prefix),
    tree: async (name, options = {}) => {
      const path = options.path ?? '';
      const at = path === '' ? name : (await entryAt(name, path))?.sha;
      if (at === undefined) return [];
      if (options.recursive === true) return readRecursive(at, '');
      return Promise.all((await readTree(at)).map(withSize));
    },
    entry: entryAt,
    writeBlob: (content) => writeObject(directory, 'blob', content),
    writeTree: async (entries, base) => {
      const sha = await editTree(base, entries, {
        read: readTree,
        write: (tree) => writeObject(directory, 'tree', formatTree(tree)),
      });
      return sha ?? writeObject(directory, 'tree', Buffer.alloc(0));
    },
    writeCommit: (commit) => writeObject(directory, 'commit', formatCommit(commit)),
    writeTag: (tag) => writeObject(directory, 'tag', formatTag(tag)),
    updateRefs: async (changes) =>
      (await writePullRef(directory, changes)) ?? (await updateRefs(run, changes)),
    isAncestor,
    near: (base, head) => straightLine(commit, base, head),
    mergeBase: (one, other) =>
      remember(['merge-base', one, other], async () => {
        if (await isAncestor(one, other)) return one;
        const args = ['merge-base', one, other];
        const output = await run(args);
        if (output.code > 1) throw gitFailed(args, output);
        return output.code === 0 ? output.stdout.toString().trim() : undefined;
      }),
    log: async (options) => {
      const near = await nearLog(options);
      if (near !== undefined) return near;
      const args = logArguments(options);
      const fixed = [...options.include, ...(options.exclude ?? [])].every(isSha);
      return [...(await (fixed ? memo(args.join('\0'), () => lines(args)) : lines(args)))];
    },
    aheadBehind: async (base, head) => {
      const text = await must(['rev-list', '--left-right', '--count', `${base}...${head}`, '--']);
      const [behind = 0, ahead = 0] = text.trim().split('\t').map(Number);
      return { ahead, behind };
    },
    diff: async (from, to, options = {}) => {
      const args = diffArguments(from ?? EMPTY_TREE, to, options.patch ?? true);
      const make = async (): Promise<{ readonly files: DiffFile[]; readonly size: number }> => {
        const output = await run(args);
        if (output.code !== 0) throw gitFailed(args, output);
        return { files: parseDiff(output.stdout), size: output.stdout.length };
      };
      const fixed = isSha(to) && (from === null || isSha(from));
      const made = await (fixed ? diffs(args.join(' '), make, ({ size }) => size <= MAX_KEPT_DIFF) : make());
      return [...made.files];
    },
    diffText: (from, to, format) =>
      must(
        format === 'diff'
          ? ['diff', '--no-color', from, to, '--']
          : ['format-patch', '--stdout', '--no-signature', `${from}..${to}`, '--'],
      ),
    mergeTree: (ours, theirs) =>
      remember(['merge-tree', ours, theirs], async (): Promise<MergeResult> => {
        const tree = await treeOfNewer(commit, ours, theirs);
        if (tree !== undefined) return { clean: true, tree };
        const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', ours, theirs];
        const output = await run(args);
        if (output.code > 1 || output.code < 0) throw gitFailed(args, output);
        const [merged = '', ...conflicts] = output.stdout.toString().split('\0');
        return output.code === 0
          ? { clean: true, tree: merged }
          : { clean: false, tree: merged, conflicts: [...new Set(conflicts.filter((path) => path !== ''))] };
      }),
    run,
    close: () => {
      batch.close();
      return Promise.resolve();
    },
  };
}

type LogOptions = Parameters<GitRepository['log']>[0];

const logArguments = (options: LogOptions): string[] => [
  'rev-list',
  ...(options.limit === undefined ? [] : [`--max-count=${options.limit}`]),
  ...(options.offset === undefined ? [] : [`--skip=${options.offset}`]),
  ...(options.reverse === true ? ['--reverse'] : []),
  ...(options.firstParent === true ? ['--first-parent'] : []),
  ...(options.since === undefined ? [] : [`--since=${options.since}`]),
  ...(options.until === undefined ? [] : [`--until=${options.until}`]),
  ...(options.author === undefined ? [] : ['--fixed-strings', `--author=${options.author}`]),
  ...options.include,
  ...(options.exclude ?? []).map((sha) => `^${sha}`),
  '--',
  ...(options.paths ?? []).map((path) => `:(literal)${path}`),
];

function gitFailed(args: readonly string[], output: GitOutput): ForgeError {
  return new ForgeError('GIT_FAILED', `git ${args[0] ?? ''} failed: ${output.stderr.trim()}`);
}
