/** The operations on sources as whoever needs them calls them. A limit that is met is thrown. */
import type { ArchiveReading } from '../archive/read-archive.ts';
import type { ChartChoice } from '../fetching/helm-index.ts';
import type { ForeignReader } from '../fetching/host.ts';
import type { PackageFiles } from '../package/package.ts';
import type { ForeignFunctions, FunctionRuntime } from '../package/render/function-runtime.ts';
import type { ToolMachine } from '../processors/run-tool.ts';
import type { SourceReport, SourcesChange } from '../reconcile/source-port.ts';
import type { Piece } from './perform.ts';
import { contentSet, ONLY, otherSets } from './source-wire.ts';
import type { FetchedContent, SourcesReading, SourcesSync, SyncWork } from './sync-sources.ts';

/** Content of one source, to be put where it belongs. */
export type HeldContent = FetchedContent & { readonly files: PackageFiles };

export interface SyncRequest extends SyncWork {
  readonly files: PackageFiles;
  readonly contents: readonly HeldContent[];
  /** Runs functions that the base branch allows, which processors may name. */
  readonly runtime: FunctionRuntime;
  readonly foreign: ForeignFunctions;
  readonly machine: ToolMachine;
}

export interface SourceCalls extends ForeignReader {
  read(files: PackageFiles, signal?: AbortSignal): Promise<SourcesReading>;
  sync(request: SyncRequest, signal?: AbortSignal): Promise<SourcesSync>;
  report(change: SourcesChange, limit: number, signal?: AbortSignal): Promise<SourceReport>;
}

export function createSourceCalls(
  perform: (piece: Piece) => Promise<Readonly<Record<string, unknown>>>,
): SourceCalls {
  const value = async <Value>(piece: Piece): Promise<Value> => (await perform(piece)) as Value;
  return {
    archive: (bytes, signal) =>
      value<ArchiveReading>({ operation: 'unpack', packages: { archive: only(bytes) }, rest: {}, signal }),
    layers: (layers, directory, signal) => {
      const named = layers.map((bytes, at) => [String(at), { mode: '100644', bytes }] as const);
      const packages = { layers: new Map(named) };
      return value<ArchiveReading>({ operation: 'unpackLayers', packages, rest: { directory }, signal });
    },
    chart: (index, wanted, signal) =>
      value<ChartChoice>({
        operation: 'chooseChart',
        packages: { index: only(index) },
        rest: { wanted },
        signal,
      }),
    read: (files, signal) =>
      value<SourcesReading>({ operation: 'readSources', packages: { files }, rest: {}, signal }),
    sync: ({ files, contents, targets, runtime, machine, foreign, ...rest }, signal) => {
      const bare = contents.map(({ files: _files, ...content }) => content);
      const held = contents.map((content) => [contentSet(content.id), content.files] as const);
      return value<SourcesSync>({
        operation: 'syncSources',
        packages: { files, targets, ...Object.fromEntries(held) },
        rest: { ...rest, contents: bare, foreign: withoutBytes(foreign) },
        runtime,
        machine,
        signal,
      });
    },
    report: ({ before, after, others = [], ...rest }, limit, signal) => {
      const sets = others.flatMap((other, at) => {
        const [old, now] = otherSets(at);
        return [[old, other.before] as const, [now, other.after] as const];
      });
      return value<SourceReport>({
        operation: 'reportChange',
        packages: { before, after, ...Object.fromEntries(sets) },
        rest: { ...rest, others: others.map(({ path }) => path), limit },
        signal,
      });
    },
  };
}

function only(bytes: Uint8Array): PackageFiles {
  return new Map([[ONLY, { mode: '100644', bytes }]]);
}

/** Functions run here, not in the process: it has to know their names and digests. */
function withoutBytes({ allowed, ...rest }: ForeignFunctions): ForeignFunctions {
  return {
    ...rest,
    allowed: allowed.map((one) =>
      one.code.kind === 'wasm' ? { ...one, code: { ...one.code, bytes: null } } : one,
    ),
  };
}
