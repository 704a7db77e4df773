/** In a worker process: documents of sources read, and packages brought in step with content that was fetched elsewhere. */
import type { ConfigProblem } from '../config/config-problem.ts';
import { PorticoError } from '../error.ts';
import { filesBelow } from '../package/package.ts';
import type { PackageFiles } from '../package/package.ts';
import type { ForeignFunctions } from '../package/render/function-runtime.ts';
import { SOURCES_FILE, SOURCES_LOCK_FILE } from '../package/sources/source-files.ts';
import type { ReadingOf } from '../package/sources/sources-reading.ts';
import { treeDigest } from '../package/tree-digest.ts';
import { consumedDirectories, processorsSchema, type Processor } from '../processors/processor-spec.ts';
import { runProcessors } from '../processors/run-processors.ts';
import { readTargets } from '../processors/target-profile.ts';
import { readSources } from '../sources/read-sources.ts';
import { isManual, type FetchedSource, type SourcesDocument } from '../sources/source.ts';
import { readSourcesLock, type SourcesLock } from '../sources/sources-lock.ts';
import { isHeld, syncSources, type Sync } from '../sources/sync.ts';
import { contentSet } from './source-wire.ts';
import type { Tools } from './tools.ts';

/** One source, and how the package stands to it. */
export interface ReadSource {
  readonly source: FetchedSource;
  /** What the lock pins; absent where it pins nothing, or another place. */
  readonly pinned?: { readonly resolved: string; readonly version?: string };
  /** The directory is as the lock has it. */
  readonly held: boolean;
}

export type SourcesReading = ReadingOf<ReadSource, ConfigProblem>;

/** Reads document and lock of a package. Never throws. */
export function readPackageSources(files: PackageFiles): SourcesReading {
  const file = files.get(SOURCES_FILE);
  if (file === undefined) return { kind: 'none' };
  const read = readSources({ file: SOURCES_FILE, bytes: file.bytes }, processorsSchema);
  if ('problems' in read) return { kind: 'problems', problems: read.problems };
  const lock = lockOf(files);
  if (typeof lock === 'string') return { kind: 'problems', problems: [lockProblem(lock)] };
  const { sources, processors, paused } = read.document;
  return {
    kind: 'sources',
    sources: sources.flatMap((source) => (isManual(source) ? [] : [standing(source, lock, files)])),
    outputs: [...new Set(processors.map(({ out }) => out))],
    hasLock: lock !== undefined,
    ...(paused !== undefined && { paused }),
  };
}

/** Directories that processors read and no cluster is meant to have; none where the document cannot be read. Never throws. */
export function consumedIn(files: PackageFiles): readonly string[] {
  const { processors, sources } = readableDocument(files) ?? NO_DOCUMENT;
  return consumedDirectories(
    processors,
    sources.map(({ destination }) => destination),
  );
}

/** Those of them whose content is fetched, and checked against its source. */
export function fetchedInputsIn(files: PackageFiles): readonly string[] {
  const { processors, sources } = readableDocument(files) ?? NO_DOCUMENT;
  const fetched = sources.filter((source) => !isManual(source)).map(({ destination }) => destination);
  return consumedDirectories(processors, fetched).filter((directory) => fetched.includes(directory));
}

const NO_DOCUMENT = { processors: [], sources: [] } as const;

function readableDocument(files: PackageFiles): SourcesDocument<Processor> | undefined {
  const bytes = files.get(SOURCES_FILE)?.bytes;
  const read = bytes === undefined ? undefined : readSources({ file: SOURCES_FILE, bytes }, processorsSchema);
  return read === undefined || 'problems' in read ? undefined : read.document;
}

function standing(source: FetchedSource, lock: SourcesLock | undefined, files: PackageFiles): ReadSource {
  const entry = lock?.sources.find(({ id }) => id === source.id);
  const present = treeDigest(filesBelow(files, source.destination));
  if (entry === undefined || entry.placeDigest !== source.placeDigest) return { source, held: false };
  const { resolved, version } = entry;
  return {
    source,
    pinned: { resolved, ...(version !== undefined && { version }) },
    held: isHeld(source, entry, present),
  };
}

function lockOf(files: PackageFiles): SourcesLock | string | undefined {
  const file = files.get(SOURCES_LOCK_FILE);
  return file === undefined ? undefined : readSourcesLock(SOURCES_LOCK_FILE, file.bytes);
}

function lockProblem(why: string): ConfigProblem {
  return {
    code: 'wrong-value',
    file: SOURCES_LOCK_FILE,
    path: '',
    line: 1,
    column: 1,
    message: `this is not a lock of sources: ${why}`,
    hint: 'Restore the file from git, or remove it and run portico sources sync.',
  };
}

/** What was fetched for one source. Its files are the package `content <id>` beside this. */
export interface FetchedContent {
  readonly id: string;
  readonly resolved: string;
  readonly version?: string;
  readonly links?: readonly string[];
}

export interface SyncWork {
  readonly contents: readonly FetchedContent[];
  readonly update: ReadonlySet<string>;
  readonly locked: boolean;
  /** See `SyncRequest` of `src/sources/sync.ts`. */
  readonly isRendered: boolean;
  /** Files of target profiles, by their paths in the repository. */
  readonly targets: PackageFiles;
}

/** As `Sync`, with what processors noted. */
export interface SourcesSync extends Pick<Sync, 'files' | 'differences'> {
  readonly notes: readonly string[];
}

/** Throws what `syncSources` throws, and `SOURCES_INVALID`. */
export async function syncPackageSources(
  work: SyncWork & { readonly files: PackageFiles; readonly foreign: ForeignFunctions },
  { runtime, machine, step }: Tools,
): Promise<SourcesSync> {
  const { files, contents, update, locked, isRendered, foreign } = work;
  const sets = new Map(Object.entries(work)) as ReadonlyMap<string, unknown>;
  const { withForeign: _withForeign, ...bare } = runtime;
  const { targets } = readTargets(new Map([...work.targets].map(([path, { bytes }]) => [path, bytes])));
  const synced = await syncSources({
    document: documentIn(files),
    files,
    update,
    locked,
    isRendered,
    fetch: async ({ id }) => {
      const content = contents.find((one) => one.id === id);
      const held = sets.get(contentSet(id));
      if (content === undefined || !(held instanceof Map)) throw notFetched(id);
      return { ...content, files: held as PackageFiles };
    },
    process: async (tree, processors, signal) => {
      step({ package: '.', function: processors.map(({ kind }) => kind).join(', ') });
      return await runProcessors(tree, processors, { runtime: bare, foreign, machine, targets, signal });
    },
    signal: new AbortController().signal,
  });
  const { differences, processors } = synced;
  return {
    files: synced.files,
    differences,
    notes: processors.flatMap(({ processor, notes }) => notes.map((note) => `${processor}: ${note}`)),
  };
}

function documentIn(files: PackageFiles): SourcesDocument<Processor> {
  const bytes = files.get(SOURCES_FILE)?.bytes ?? new Uint8Array();
  const read = readSources({ file: SOURCES_FILE, bytes }, processorsSchema);
  if ('document' in read) return read.document;
  const [first] = read.problems;
  throw new PorticoError('SOURCES_INVALID', `${SOURCES_FILE}: ${first?.message ?? 'it cannot be used'}`, {
    blame: 'user',
    hint: first?.hint ?? 'See docs/sources.md.',
  });
}

function notFetched(id: string): PorticoError {
  return new PorticoError('SOURCES_LOCK', `${id} was not fetched`, {
    blame: 'user',
    hint: 'Run portico sources sync and commit what it writes.',
  });
}
