/**
 * Brings a package in step with its document of sources: what the lock pins is fetched as it is pinned, what it does not pin
 * is resolved, processors run, and what came of it is the new lock. Nothing is written here.
 */
import { PorticoError, type Refusal } from '../error.ts';
import { MAX_FILES, MAX_TOTAL_BYTES } from '../package/limits.ts';
import { filesBelow } from '../package/package.ts';
import type { PackageFile, PackageFiles } from '../package/package.ts';
import { SOURCES_LOCK_FILE } from '../package/sources/source-files.ts';
import { treeDigest, type Tree, asTree } from '../package/tree-digest.ts';
import { selectFiles } from './select-files.ts';
import { isManual, type FetchedSource, type Source, type SourcesDocument } from './source.ts';
import type { LockedProcessor, LockedSource, SourcesLock } from './sources-lock.ts';
import { readSourcesLock, writeSourcesLock } from './sources-lock.ts';

/** What a source leads to. */
export interface Content {
  /** Address and digest, or repository and commit: what the lock pins. */
  readonly resolved: string;
  readonly version?: string;
  readonly files: PackageFiles;
  /** Paths of symbolic links and submodules, which are not among the files. */
  readonly links?: readonly string[];
}

/**
 * The content of a source: exactly what `pinned` says, or what the place leads to now. Throws `SOURCE_CHANGED` where a
 * pinned address has other content, and what its kind says.
 */
export type FetchSource = (
  source: FetchedSource,
  pinned: Pick<LockedSource, 'resolved' | 'version'> | undefined,
  signal: AbortSignal,
) => Promise<Content>;

export type RunProcessors<Processor> = (
  tree: Tree,
  processors: readonly Processor[],
  signal: AbortSignal,
) => Promise<ProcessorsRun>;

export type ProcessorsRun =
  | { readonly tree: Tree; readonly steps: readonly ProcessorRun[] }
  | {
      readonly refused: Refusal & { readonly processor: string };
    };

export interface ProcessorRun extends LockedProcessor {
  readonly changed: readonly unknown[];
  readonly notes: readonly string[];
}

export interface SyncRequest<Processor> {
  readonly document: SourcesDocument<Processor>;
  /** The whole package as it is. */
  readonly files: PackageFiles;
  /** Ids of sources to resolve anew, or all of them. */
  readonly update: 'all' | ReadonlySet<string>;
  /** Everything is fetched as it is pinned, and nothing resolved. */
  readonly locked: boolean;
  /** Directories of processors are not compared: functions of the package have changed what is in them since. */
  readonly isRendered?: boolean;
  readonly fetch: FetchSource;
  readonly process: RunProcessors<Processor>;
  readonly signal: AbortSignal;
}

export interface SyncedSource {
  readonly id: string;
  readonly kind: Source['place']['kind'];
  /** Null for a directory that people keep themselves. */
  readonly resolved: string | null;
  readonly version?: string;
  readonly treeDigest: string;
  /** The directory or its entry in the lock is another than before. */
  readonly changed: boolean;
  /** What it was pinned to before, where that is another. */
  readonly was?: string;
}

export interface Sync {
  readonly sources: readonly SyncedSource[];
  readonly processors: readonly (ProcessorRun & { readonly out: string })[];
  /** The package as it should be, its lock included. */
  readonly files: PackageFiles;
  /** What is not as the lock or the document says, in sentences; empty where nothing differs. */
  readonly differences: readonly string[];
}

/** Throws what fetching throws, `SOURCES_UNKNOWN_ID`, `SOURCES_LOCK` and, where a processor refuses, its code. */
export async function syncSources<Processor extends { readonly out: string }>(
  request: SyncRequest<Processor>,
): Promise<Sync> {
  const { document, files, signal } = request;
  checkIds(document.sources, request.update);
  const lock = lockIn(files);
  const differences: string[] = [];
  if (lock === undefined) differences.push(`there is no ${SOURCES_LOCK_FILE}`);
  else if (lock.documentDigest !== document.digest) differences.push('the lock is older than the document');
  const gone = lock?.sources.filter(({ id }) => !document.sources.some((source) => source.id === id)) ?? [];
  differences.push(...gone.map(({ id }) => `the lock has ${id}, which the document does not`));

  const after = new Map(files);
  for (const [path, bytes] of document.files) put(after, path, bytes, differences);
  const sources: SyncedSource[] = [];
  const locked: LockedSource[] = [];
  for (const source of document.sources) {
    signal.throwIfAborted();
    const present = filesBelow(files, source.destination);
    if (isManual(source)) {
      const { id } = source;
      sources.push({ id, kind: 'manual', resolved: null, treeDigest: treeDigest(present), changed: false });
      continue;
    }
    const entry = lock?.sources.find(({ id }) => id === source.id);
    const synced = await syncOne(request, source, entry, present);
    differences.push(...synced.differences);
    replace(after, source.destination, synced.files);
    checkTotal(after, source.id);
    locked.push(synced.entry);
    sources.push(outcome(source, entry, synced.entry, synced.differences.length > 0));
  }

  const ran = await runSteps(request, after);
  const steps = lock?.processors ?? [];
  differences.push(...stepDifferences(ran.steps, steps, request.isRendered === true ? undefined : files));
  for (const { out } of ran.steps) {
    replaceTree(after, out, ran.tree);
  }
  const processors = ran.steps.map(
    ({ processor, out, tool, inputDigest, outputDigest }): LockedProcessor => ({
      processor,
      out,
      tool,
      inputDigest,
      outputDigest,
    }),
  );
  const bytes = writeSourcesLock({ documentDigest: document.digest, sources: locked, processors });
  put(after, SOURCES_LOCK_FILE, bytes, []);
  return { sources, processors: ran.steps, files: after, differences };
}

interface SyncedOne {
  readonly files: PackageFiles;
  readonly entry: LockedSource;
  readonly differences: readonly string[];
}

async function syncOne<Processor>(
  { update, locked, fetch, signal }: SyncRequest<Processor>,
  source: FetchedSource,
  entry: LockedSource | undefined,
  present: PackageFiles,
): Promise<SyncedOne> {
  const { id } = source;
  const samePlace = entry?.placeDigest === source.placeDigest;
  const anew = !locked && (update === 'all' || update.has(id));
  const isPinned = entry !== undefined && samePlace && !anew;
  if (locked && !isPinned) {
    const why = entry === undefined ? 'is not in the lock' : 'comes from a different place than in the lock';
    const digest = treeDigest(present);
    const held = entry ?? unlocked(source, digest);
    return { files: present, entry: held, differences: [`${id} ${why}`] };
  }
  const here = treeDigest(present);
  const sameEntry = isPinned && entry.entryDigest === source.entryDigest;
  // A check believes no digest that anybody may have written.
  if (!locked && !anew && isHeld(source, entry, here)) return { files: present, entry, differences: [] };
  const content = await fetch(source, isPinned ? entry : undefined, signal);
  const chosen = selectFiles(source, content.files, content.links);
  const digest = treeDigest(chosen);
  const differences: string[] = [];
  if (isPinned && !sameEntry) differences.push(`${id} has changed in the document since it was locked`);
  if (sameEntry && digest !== entry.treeDigest) {
    if (!locked) throw otherContent(source, entry, digest);
    differences.push(`${id} has the digest ${digest}, but the lock says ${entry.treeDigest}`);
  }
  if (here !== digest) differences.push(`${source.destination} is not what ${content.resolved} holds`);
  const { resolved, version } = content;
  if (entry !== undefined && entry.resolved !== resolved) differences.push(`${id} leads to ${resolved} now`);
  const { entryDigest, placeDigest } = source;
  const made: LockedSource = {
    id,
    kind: source.place.kind,
    resolved,
    ...(version !== undefined && { version }),
    treeDigest: digest,
    entryDigest,
    placeDigest,
  };
  return { files: chosen, entry: made, differences };
}

/** Each source has its limits, and a hundred of them have none together. Throws `SOURCE_LIMIT`. */
function checkTotal(files: PackageFiles, id: string): void {
  const bytes = files.values().reduce((sum, file) => sum + file.bytes.length, 0);
  if (files.size <= MAX_FILES && bytes <= MAX_TOTAL_BYTES) return;
  const [held, most] =
    files.size > MAX_FILES
      ? [`${files.size} files`, `${MAX_FILES}`]
      : [`${bytes} bytes`, `${MAX_TOTAL_BYTES}`];
  throw new PorticoError('SOURCE_LIMIT', `with ${id} the package has ${held}; the limit is ${most}`, {
    blame: 'user',
    hint: 'Nothing was written. Leave out what is not needed with include, exclude or newRoot, or split the package.',
  });
}

/** What is there is what was locked: there is nothing to ask anybody. */
export function isHeld(
  { entryDigest, placeDigest }: FetchedSource,
  entry: LockedSource | undefined,
  /** `treeDigest` of the directory. */
  present: string,
): entry is LockedSource {
  return (
    entry?.placeDigest === placeDigest && entry.entryDigest === entryDigest && entry.treeDigest === present
  );
}

/** An entry for a source that is not locked, of which only what is here is known. */
function unlocked({ id, place, entryDigest, placeDigest }: FetchedSource, digest: string): LockedSource {
  return { id, kind: place.kind, resolved: '', treeDigest: digest, entryDigest, placeDigest };
}

function outcome(
  { id, place }: FetchedSource,
  before: LockedSource | undefined,
  { resolved, version, treeDigest: digest }: LockedSource,
  differs: boolean,
): SyncedSource {
  return {
    id,
    kind: place.kind,
    resolved,
    ...(version !== undefined && { version }),
    treeDigest: digest,
    changed: differs || before === undefined,
    ...(before !== undefined && before.resolved !== resolved && { was: before.resolved }),
  };
}

async function runSteps<Processor>(
  { document, process, signal }: SyncRequest<Processor>,
  files: PackageFiles,
): Promise<{ readonly tree: Tree; readonly steps: readonly ProcessorRun[] }> {
  if (document.processors.length === 0) return { tree: new Map(), steps: [] };
  const tree = new Map([...files].map(([path, file]) => [path, file.bytes]));
  const ran = await process(tree, document.processors, signal);
  if (!('refused' in ran)) return ran;
  const { code, message, hint, processor } = ran.refused;
  throw new PorticoError(code, `${processor}: ${message}`, { blame: 'user', hint });
}

function stepDifferences(
  ran: readonly ProcessorRun[],
  before: readonly LockedProcessor[],
  files: PackageFiles | undefined,
): string[] {
  const findings = ran.flatMap((step, at) => {
    const old = before[at];
    const name = `processors[${at}].${step.processor}`;
    if (old === undefined) return [`${name} is not in the lock`];
    const other = (['processor', 'out', 'tool', 'inputDigest', 'outputDigest'] as const).filter(
      (field) => old[field] !== step[field],
    );
    // A function may change what another step made: only the last one says what is there.
    const isLast = ran.findLastIndex(({ out }) => out === step.out) === at;
    const isMade =
      files === undefined || treeDigest(asTree(filesBelow(files, step.out))) === step.outputDigest;
    return [
      ...other.map((field) => `${name} has the ${field} ${step[field]}, but the lock says ${old[field]}`),
      ...(isLast && !isMade ? [`${step.out} is not what ${name} makes`] : []),
    ];
  });
  const gone = before
    .slice(ran.length)
    .map((old, at) => `the lock has processors[${ran.length + at}], ${old.processor}`);
  return [...findings, ...gone];
}

function lockIn(files: PackageFiles): SourcesLock | undefined {
  const file = files.get(SOURCES_LOCK_FILE);
  if (file === undefined) return undefined;
  const read = readSourcesLock(SOURCES_LOCK_FILE, file.bytes);
  if (typeof read !== 'string') return read;
  throw new PorticoError('SOURCES_LOCK', `${SOURCES_LOCK_FILE} is not a lock of sources: ${read}`, {
    blame: 'user',
    hint: 'Restore the file from git, or remove it to resolve every source again.',
  });
}

function checkIds(sources: readonly Source[], update: SyncRequest<unknown>['update']): void {
  if (update === 'all') return;
  const fetched = sources.filter((source) => !isManual(source)).map(({ id }) => id);
  const wrong = [...update].find((id) => !fetched.includes(id));
  if (wrong === undefined) return;
  throw new PorticoError('SOURCES_UNKNOWN_ID', `there is no source ${wrong} to update`, {
    blame: 'user',
    hint: `Sources that are fetched: ${fetched.join(', ') || 'none'}.`,
  });
}

function otherContent({ id }: FetchedSource, entry: LockedSource, digest: string): PorticoError {
  return new PorticoError(
    'SOURCE_CHANGED',
    `${id}: ${entry.resolved} has the digest ${digest}, but the lock says ${entry.treeDigest}`,
    { blame: 'user', hint: `Nothing was written. If that is right: portico sources sync --update ${id}.` },
  );
}

function put(files: Map<string, PackageFile>, path: string, bytes: Uint8Array, differences: string[]): void {
  const before = files.get(path);
  if (before !== undefined && Buffer.compare(before.bytes, bytes) === 0) return;
  files.set(path, { mode: '100644', bytes });
  differences.push(`${path} differs from the document`);
}

function replace(files: Map<string, PackageFile>, directory: string, by: PackageFiles): void {
  for (const path of files.keys()) if (path.startsWith(`${directory}/`)) files.delete(path);
  for (const [path, file] of by) files.set(`${directory}/${path}`, file);
}

/** Fills a directory with what a tree has in it. */
function replaceTree(files: Map<string, PackageFile>, directory: string, tree: Tree): void {
  const inside = [...tree].filter(([path]) => path.startsWith(`${directory}/`));
  const made = inside.map(([path, bytes]): [string, PackageFile] => [
    path.slice(directory.length + 1),
    { mode: '100644', bytes },
  ]);
  replace(files, directory, new Map(made));
}
