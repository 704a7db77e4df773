import { randomUUID } from 'node:crypto';

import { PorticoError } from '../error.ts';
import type { FileChanges, NewCommit, NewTag } from '../reconcile/git-port.ts';
import { writeLooseObject } from './loose-object.ts';
import { cleanIdentity, rawDate } from './objects.ts';
import type { Repo } from './repo.ts';
import { requireTree } from './repo.ts';
import { checkOid, checkPath, checkRef } from './safe-name.ts';
import type { Signer } from './ssh-signature.ts';
import { EMPTY_TREE } from './tree-walk.ts';
import { writeByHand } from './write-tree.ts';

const NO_OBJECT = '0'.repeat(40);

/**
 * Writes the changes on top of a tree, without work tree or index: the cost follows the changes. Directories that become
 * empty vanish. Throws INVALID_PATH for unsafe paths and for a path that is both file and directory in `changes`.
 */
export async function writeTree(
  repo: Repo,
  base: string | null,
  changes: FileChanges,
  signal?: AbortSignal,
): Promise<string> {
  const start = base === null ? EMPTY_TREE : await requireTree(repo, base, signal);
  if (changes.size === 0 && base !== null) return start;
  checkNoOverlap([...changes].flatMap(([path, change]) => (change === null ? [] : [path])));
  for (const path of changes.keys()) checkPath(path);
  const small = start.length === SHA1_DIGITS && changes.size <= MAX_BY_HAND;
  const own = small ? await writeByHand(repo, start, changes, signal) : null;
  return own ?? (await writeByProcess(repo, start, changes, signal));
}

const SHA1_DIGITS = 40;
/** Files that are written one by one; of more than that `git fast-import` makes one pack. */
const MAX_BY_HAND = 500;

async function writeByProcess(
  repo: Repo,
  start: string,
  changes: FileChanges,
  signal: AbortSignal | undefined,
): Promise<string> {
  const input = importStream(start, changes);
  const { stdout } = await repo.git(['fast-import', '--quiet', '--done', '--date-format=raw'], {
    input,
    signal,
  });
  const tree = /^040000 tree ([0-9a-f]{40,64})\t/.exec(stdout.toString('latin1'))?.[1] ?? EMPTY_TREE;
  if (tree === EMPTY_TREE) await repo.git(['hash-object', '-t', 'tree', '-w', '--stdin'], { signal });
  return tree;
}

/** Writes a commit object and answers its id; no ref moves. With a signer it carries an SSH signature. */
export async function commitTree(
  repo: Repo,
  commit: NewCommit,
  signal?: AbortSignal,
  signer?: Signer,
): Promise<string> {
  const author = commit.author ?? commit.committer;
  const tree = checkOid(commit.tree);
  const date = rawDate(commit.date ?? new Date());
  if (tree.length === SHA1_DIGITS) {
    if (!(await repo.objects.info(tree, signal))) throw repo.damage(`there is no tree ${tree} in the mirror`);
    const person = ({ name, email }: NewCommit['committer']): string =>
      `${cleanIdentity(name)} <${cleanIdentity(email)}> ${date}`;
    const head = [
      `tree ${tree}`,
      ...new Set(commit.parents.map((parent) => `parent ${checkOid(parent)}`)),
      `author ${person(author)}`,
      `committer ${person(commit.committer)}`,
    ];
    const message = ['', withoutNul(commit.message)];
    const signature = signer?.(Buffer.from([...head, ...message].join('\n')));
    const header = signature === undefined ? [] : [`gpgsig ${signature.replaceAll('\n', '\n ')}`];
    return writeLooseObject(repo, 'commit', Buffer.from([...head, ...header, ...message].join('\n')));
  }
  const parents = commit.parents.flatMap((parent) => ['-p', checkOid(parent)]);
  // `@` makes git read small numbers as seconds too.
  const { stdout } = await repo.git(['commit-tree', ...parents, '-F', '-', tree], {
    input: withoutNul(commit.message),
    env: {
      GIT_AUTHOR_NAME: cleanIdentity(author.name),
      GIT_AUTHOR_EMAIL: cleanIdentity(author.email),
      GIT_AUTHOR_DATE: `@${date}`,
      GIT_COMMITTER_NAME: cleanIdentity(commit.committer.name),
      GIT_COMMITTER_EMAIL: cleanIdentity(commit.committer.email),
      GIT_COMMITTER_DATE: `@${date}`,
    },
    signal,
  });
  return checkOid(stdout.toString('latin1').trim());
}

/** Writes an annotated tag object; creating the ref is the push's work. */
export async function writeTag(
  repo: Repo,
  tag: NewTag,
  signal?: AbortSignal,
  signer?: Signer,
): Promise<string> {
  checkRef(`refs/tags/${tag.name}`);
  const tagger = `${cleanIdentity(tag.tagger.name)} <${cleanIdentity(tag.tagger.email)}>`;
  const header = [
    `object ${checkOid(tag.object)}`,
    'type commit',
    `tag ${tag.name}`,
    `tagger ${tagger} ${rawDate(tag.date ?? new Date())}`,
  ].join('\n');
  const plain = `${header}\n\n${withoutNul(tag.message).replace(/\n*$/, '\n')}`;
  const input = signer === undefined ? plain : `${plain}${signer(Buffer.from(plain))}\n`;
  const { stdout } = await repo.git(['mktag'], { input, signal });
  return checkOid(stdout.toString('latin1').trim());
}

/** One throw-away commit: the base tree whole, then deletions, then files; its tree is asked for, its ref taken back. */
function importStream(start: string, changes: FileChanges): Buffer {
  const ref = `refs/portico-scratch/${randomUUID()}`;
  const removed = [...changes].filter(([, change]) => change === null);
  const written = [...changes].filter(([, change]) => change !== null);
  const parts: (string | Uint8Array)[] = [
    `commit ${ref}\ncommitter Portico <portico@localhost> 0 +0000\ndata 0\n\n`,
    start === EMPTY_TREE ? '' : `M 040000 ${start} \n`,
    ...removed.map(([path]) => `D ${quotePath(path)}\n`),
  ];
  for (const [path, change] of written) {
    if (change === null) continue;
    parts.push(
      `M ${change.mode} inline ${quotePath(path)}\ndata ${change.bytes.length}\n`,
      change.bytes,
      '\n',
    );
  }
  parts.push(`ls ""\nreset ${ref}\nfrom ${NO_OBJECT}\n\ndone\n`);
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
}

function checkNoOverlap(paths: readonly string[]): void {
  const files = new Set(paths);
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      if (!files.has(path.slice(0, end))) continue;
      throw new PorticoError('INVALID_PATH', `${path.slice(0, end)} cannot be both a file and a directory`, {
        blame: 'user',
      });
    }
  }
}

/** Checked paths hold no control character and no back-slash, so a quote is all there is to escape. */
function quotePath(path: string): string {
  return `"${checkPath(path).replaceAll('"', String.raw`\"`)}"`;
}

/** Git ends a message at a NUL; nothing may hide behind one. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '');
}
