/** The text and binary forms of git's objects (gitformat: `git help cat-file`), and writing them as loose objects. */
import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';

export interface GitPerson {
  readonly name: string;
  readonly email: string;
  /** ISO 8601, any offset; it is kept. */
  readonly date: string;
}

export interface TreeEntry {
  readonly path: string;
  /** Six digits: 100644, 100755, 120000, 040000, 160000. */
  readonly mode: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  /** Bytes, for blobs. */
  readonly size?: number;
}

export interface GitCommit {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: GitPerson;
  readonly committer: GitPerson;
  readonly message: string;
  /** The armoured signature, when there is one, and what it signs. */
  readonly signature: string | null;
  readonly signedText: string | null;
}

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag';

export interface GitTag {
  readonly sha: string;
  readonly object: string;
  readonly objectType: ObjectType;
  readonly name: string;
  readonly tagger: GitPerson | null;
  readonly message: string;
  /** As of a commit; it is the end of the message. */
  readonly signature: string | null;
  readonly signedText: string | null;
}

const compress = promisify(deflate);

/** Stores an object in a bare repository and returns its id. An object that is there already is left alone. */
export async function writeObject(directory: string, type: ObjectType, content: Buffer): Promise<string> {
  const stored = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
  const sha = createHash('sha1').update(stored).digest('hex');
  const folder = join(directory, 'objects', sha.slice(0, 2));
  const file = join(folder, sha.slice(2));
  if (await stat(file).catch(() => undefined)) return sha;
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `tmp_obj_${randomUUID()}`);
  await writeFile(temporary, await compress(stored, { level: 1 }), { mode: 0o444 });
  // Someone else may have written the same object meanwhile: the same bytes.
  await link(temporary, file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(temporary, { force: true });
  return sha;
}

/** The entries of a tree object, in the order of git. */
export function parseTree(content: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(32, at);
    const end = content.indexOf(0, space);
    const mode = content.toString('latin1', at, space).padStart(6, '0');
    entries.push({
      path: content.toString('utf8', space + 1, end),
      mode,
      type: typeOfMode(mode),
      sha: content.toString('hex', end + 1, end + 21),
    });
    at = end + 21;
  }
  return entries;
}

/** The content of a tree object; entries are sorted as git sorts them. */
export function formatTree(entries: readonly Pick<TreeEntry, 'path' | 'mode' | 'sha'>[]): Buffer {
  const sorted = entries.toSorted((one, other) => Buffer.compare(sortKey(one), sortKey(other)));
  return Buffer.concat(
    sorted.flatMap((entry) => [
      Buffer.from(`${entry.mode.replace(/^0+/, '')} ${entry.path}\0`),
      Buffer.from(entry.sha, 'hex'),
    ]),
  );
}

/** git sorts directories as if their names ended with a slash. */
const sortKey = (entry: Pick<TreeEntry, 'path' | 'mode'>): Buffer =>
  Buffer.from(entry.mode === '040000' ? `${entry.path}/` : entry.path);

const typeOfMode = (mode: string): TreeEntry['type'] =>
  mode === '040000' ? 'tree' : mode === '160000' ? 'commit' : 'blob';

interface Parsed {
  readonly headers: Map<string, string[]>;
  readonly message: string;
}

/** Headers (continued lines joined) and message of a commit or tag. */
function parseHeaders(text: string): Parsed {
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const headers = new Map<string, string[]>();
  for (const line of head.replaceAll('\n ', '\u0000').split('\n')) {
    const space = line.indexOf(' ');
    const name = line.slice(0, space);
    const value = line.slice(space + 1).replaceAll('\u0000', '\n');
    headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return { headers, message: end < 0 ? '' : text.slice(end + 2) };
}

/** A commit object, without its hash prefix. */
export function parseCommit(sha: string, content: Buffer): GitCommit {
  const text = content.toString();
  const { headers, message } = parseHeaders(text);
  const signature = headers.get('gpgsig')?.[0] ?? null;
  return {
    sha,
    tree: headers.get('tree')?.[0] ?? '',
    parents: headers.get('parent') ?? [],
    author: parsePerson(headers.get('author')?.[0] ?? ''),
    committer: parsePerson(headers.get('committer')?.[0] ?? ''),
    message: message.replace(/\n+$/, ''),
    signature,
    signedText: signature === null ? null : text.replace(/\ngpgsig .*\n(?: .*\n)*/, '\n'),
  };
}

/** An annotated tag object. */
export function parseTag(sha: string, content: Buffer): GitTag {
  const text = content.toString();
  const { headers, message } = parseHeaders(text);
  const signed = /^-----BEGIN [A-Z]+ (?:SIGNATURE|MESSAGE)-----$[^]*/m.exec(text);
  const tagger = headers.get('tagger')?.[0];
  return {
    sha,
    object: headers.get('object')?.[0] ?? '',
    objectType: (headers.get('type')?.[0] ?? 'commit') as ObjectType,
    name: headers.get('tag')?.[0] ?? '',
    tagger: tagger === undefined ? null : parsePerson(tagger),
    message: message.replace(/\n+$/, ''),
    signature: signed?.[0].trimEnd() ?? null,
    signedText: signed === null ? null : text.slice(0, signed.index),
  };
}

export function formatCommit(commit: {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: GitPerson;
  readonly committer: GitPerson;
  readonly signature?: string;
}): Buffer {
  const signature =
    commit.signature === undefined ? [] : [`gpgsig ${commit.signature.trimEnd().replaceAll('\n', '\n ')}`];
  return Buffer.from(
    [
      `tree ${commit.tree}`,
      ...commit.parents.map((parent) => `parent ${parent}`),
      `author ${formatPerson(commit.author)}`,
      `committer ${formatPerson(commit.committer)}`,
      ...signature,
      '',
      commit.message,
    ].join('\n'),
  );
}

export function formatTag(tag: {
  readonly object: string;
  readonly type: ObjectType;
  readonly name: string;
  readonly message: string;
  readonly tagger: GitPerson;
}): Buffer {
  return Buffer.from(
    `object ${tag.object}\ntype ${tag.type}\ntag ${tag.name}\ntagger ${formatPerson(tag.tagger)}\n\n${tag.message}`,
  );
}

/** `Name <email> 1700000000 +0200` → ISO 8601 in UTC, as GitHub answers. */
function parsePerson(text: string): GitPerson {
  const match = /^(.*?) ?<([^>]*)> ?(-?\d+)? ?([+-]\d{4})?$/s.exec(text);
  const seconds = Number(match?.[3] ?? 0);
  const date = new Date(Number.isFinite(seconds) ? seconds * 1000 : 0);
  return {
    name: match?.[1] ?? text,
    email: match?.[2] ?? '',
    date: date.toISOString().replace('.000Z', 'Z'),
  };
}

function formatPerson(person: GitPerson): string {
  const offset = /([+-])(\d{2}):?(\d{2})$/.exec(person.date);
  const zone = offset === null ? '+0000' : `${offset[1]}${offset[2]}${offset[3]}`;
  return `${clean(person.name)} <${clean(person.email)}> ${Math.floor(Date.parse(person.date) / 1000)} ${zone}`;
}

const clean = (text: string): string => text.replaceAll(/[\n<>\0]/g, '').trim();
