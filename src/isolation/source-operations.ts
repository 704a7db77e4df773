/**
 * What a worker process can be asked to do with content that packages take from elsewhere. The code is loaded when it is
 * first needed: most processes never see a source.
 */
import type { ArchiveReading } from '../archive/read-archive.ts';
import type { ChartChoice, WantedChart } from '../fetching/helm-index.ts';
import { filesOutside, type PackageFiles } from '../package/package.ts';
import type { ForeignFunctions } from '../package/render/function-runtime.ts';
import type { SourceReport, SourcesChange } from '../reconcile/source-port.ts';
import { cutText } from '../text/cut-text.ts';
import { ONLY, otherSets } from './source-wire.ts';
import type { SourcesReading, SourcesSync, SyncWork } from './sync-sources.ts';
import type { Tools } from './tools.ts';

export const SOURCE_OPERATIONS = {
  unpack: async ({ archive }: { readonly archive: PackageFiles }): Promise<ArchiveReading> =>
    (await import('../archive/read-archive.ts')).readArchive(bytesOf(archive)),

  unpackLayers: async ({
    layers,
    directory,
  }: {
    readonly layers: PackageFiles;
    readonly directory: string | undefined;
  }): Promise<ArchiveReading> => {
    const { readLayers } = await import('../archive/read-layers.ts');
    const bytes = [...layers.values()].map((file) => file.bytes);
    return readLayers(bytes, undefined, directory);
  },

  chooseChart: async ({
    index,
    wanted,
  }: {
    readonly index: PackageFiles;
    readonly wanted: WantedChart;
  }): Promise<ChartChoice> => {
    const { chooseChart } = await import('../fetching/helm-index.ts');
    return chooseChart(bytesOf(index), wanted);
  },

  readSources: async ({ files }: { readonly files: PackageFiles }): Promise<SourcesReading> =>
    (await import('./sync-sources.ts')).readPackageSources(files),

  syncSources: async (
    work: SyncWork & { readonly files: PackageFiles; readonly foreign: ForeignFunctions },
    tools: Tools,
  ): Promise<SourcesSync> => (await import('./sync-sources.ts')).syncPackageSources(work, tools),

  reportChange: async ({
    before,
    after,
    path,
    directories,
    others,
    limit,
    ...sets
  }: Omit<SourcesChange, 'others'> & {
    /** Their files are sets of their own. */
    readonly others: readonly string[];
    readonly limit: number;
  }): Promise<SourceReport> => {
    const { publisherNotes } = await import('../preview/publisher-notes.ts');
    const { objectsMarkdown, updateReport } = await import('../preview/update-report.ts');
    const { consumedIn } = await import('./sync-sources.ts');
    // What processors read, no cluster is meant to have: the objects are those that they made.
    const deployed = (files: PackageFiles): PackageFiles => filesOutside(files, consumedIn(files));
    const held = new Map(Object.entries(sets)) as ReadonlyMap<string, PackageFiles>;
    const beside = others.map((other, at) => {
      const [old = new Map(), now = new Map()] = otherSets(at).map((name) => held.get(name));
      return { path: other, before: deployed(old), after: deployed(now) };
    });
    const report = updateReport(path, deployed(before), deployed(after), beside);
    const { failures, definitions } = report;
    return {
      failures,
      warnings: definitions.warnings,
      text: cutText(objectsMarkdown(report), { characters: limit }),
      notes: directories.flatMap((directory) => publisherNotes(before, after, directory)),
    };
  },
};

function bytesOf(files: PackageFiles): Uint8Array {
  return files.get(ONLY)?.bytes ?? new Uint8Array();
}
