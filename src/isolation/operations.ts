/**
 * What a worker process can be asked to do with foreign content: an operation by its name, all of them pure. Packages
 * stand at the top of what goes in and comes out, where `wire-files.ts` finds them.
 */

import {
  changeChannelFile,
  type ChangedFile,
  type ChangeFacts,
  type ChannelChange,
} from '../channels/change-file.ts';
import { judgeChannelFile, type ChannelFileFacts, type JudgedChannels } from '../channels/judge-file.ts';
import { operatorEntry, type OperatorEntry } from '../channels/operator-entry.ts';
import type { ConfigResult } from '../config/parse-repository-config.ts';
import {
  readConfigurationFiles,
  readDefinitions,
  readFileDocuments,
  type ConfigurationSources,
} from '../config/read-content.ts';
import { PorticoError } from '../error.ts';
import { clonedPackage, type CloneOptions } from '../package/clone.ts';
import { deployableFiles } from '../package/deployable.ts';
import { changeDigest } from '../package/diff/change-digest.ts';
import { diffMarkdown } from '../package/diff/diff-markdown.ts';
import { diffPackages } from '../package/diff/diff.ts';
import { unifiedPatch, type PatchFile } from '../package/diff/patch.ts';
import { shownPart } from '../package/diff/shown-part.ts';
import { survivingChanges, type UpdateSides } from '../package/diff/surviving.ts';
import { headChange, type HeadChange } from '../package/head-change.ts';
import { withMergeMarkers } from '../package/merge-marker.ts';
import { mergeConcurrent } from '../package/merge/concurrent.ts';
import type { MergeInput, MergeResult } from '../package/merge/merge-types.ts';
import { mergePackages } from '../package/merge/merge.ts';
import { settleConflicts, type Settlement } from '../package/merge/settle.ts';
import { sameFile } from '../package/package.ts';
import type { PackageFiles } from '../package/package.ts';
import { diffPower } from '../package/power/power-diff.ts';
import type { PowerDiff } from '../package/power/power-types.ts';
import { evalFunction, type EvalInput } from '../package/render/eval.ts';
import { withProposedValues } from '../package/render/proposed-values.ts';
import type { Finding, RenderInput, RenderResult } from '../package/render/render-types.ts';
import { renderPackage } from '../package/render/render.ts';
import { renderSettled, type SettledPackage } from '../package/render/settled.ts';
import { SOURCES_FILE } from '../package/sources/source-files.ts';
import { expandSet, type Expansion } from '../package/variant/expand.ts';
import { mutatePackage, withVariantMetadata } from '../package/variant/mutate.ts';
import type {
  Comparison,
  ConcurrentMerge,
  ComparedSides,
  ConcurrentSides,
  DiffText,
  ExpandWork,
  Sides,
  VariantWork,
} from '../reconcile/content-port.ts';
import { SOURCE_OPERATIONS } from './source-operations.ts';
import type { Tools } from './tools.ts';

type Carried = Pick<RenderInput, 'files' | 'guardrails'> & {
  readonly context?: Omit<NonNullable<RenderInput['context']>, 'base'>;
  /** The package in the base branch, for policies that compare. */
  readonly base?: PackageFiles;
  /** Functions of the package's own pipeline do not run. */
  readonly guardrailsOnly?: boolean;
};

export interface Files {
  readonly files: PackageFiles;
}

export type Made =
  | { readonly ok: true; readonly files: PackageFiles }
  | { readonly ok: false; readonly message: string };

export const OPERATIONS = {
  render: (input: Carried, tools: Tools): Promise<RenderResult> => renderPackage(renderInput(input, tools)),

  renderSettled: async (input: Carried, tools: Tools): Promise<SettledPackage> => {
    const settled = await renderSettled(renderInput(input, tools));
    const problem = settled.ok ? bundleProblem(input.files) : undefined;
    return problem === undefined ? settled : { ...settled, ok: false, problem };
  },

  operator: ({ files }: Files): OperatorEntry | null => operatorEntry(files),

  evaluate: (
    { files, spec, includeMetaResources }: Pick<EvalInput, 'files' | 'spec' | 'includeMetaResources'>,
    { runtime, step }: Tools,
  ): Promise<RenderResult> => {
    step({ package: '.', function: spec.image ?? spec.name ?? '' });
    return evalFunction({
      files,
      spec,
      runtime,
      ...(includeMetaResources !== undefined && { includeMetaResources }),
    });
  },

  merge: (input: MergeInput): MergeResult => mergePackages(input),

  compare: async (sides: ComparedSides): Promise<Comparison> => ({
    content: shownPart(diffPackages(sides.before, sides.after)),
    power: await powerBetween(sides),
  }),

  mergeConcurrent: (sides: ConcurrentSides): ConcurrentMerge => mergeConcurrent(sides),

  diffText: ({ before, after, limit }: Sides & { readonly limit: number }): DiffText => {
    const diff = diffPackages(before, after);
    return { same: diff.same, text: diffMarkdown(diff, { limit }) };
  },

  survivingChanges: (sides: UpdateSides): { readonly lines: readonly string[] } => ({
    lines: survivingChanges(sides),
  }),

  headChange: async (sides: ComparedSides & { readonly limit: number }): Promise<HeadChange> =>
    headChange({ ...sides, power: await powerBetween(sides) }),

  changeDigest: ({ before, after }: Sides): string => changeDigest(before, after),

  patch: ({ before, after }: Sides): ReturnType<typeof unifiedPatch> => {
    const { patch, opaque } = unifiedPatch(patchFiles(before, after));
    return { patch: patch.slice(0, MAX_PATCH), opaque: opaque.slice(0, MAX_OPAQUE) };
  },

  settle: (work: Settlement): ReturnType<typeof settleConflicts> => settleConflicts(work),

  clone: ({ files, options }: Files & { readonly options: CloneOptions }): Files => ({
    files: clonedPackage(files, options),
  }),

  markMerged: ({ files, paths }: Files & { readonly paths: readonly string[] }): Files => {
    const marked = new Set(paths);
    return { files: withMergeMarkers(files, (path) => marked.has(path)) };
  },

  variant: ({ files, metadata, variant, inventory }: VariantWork): Made => {
    const made = mutatePackage(
      metadata === undefined ? files : withMetadata(files, metadata),
      variant,
      inventory,
    );
    return made.ok ? { ok: true, files: made.value } : made;
  },

  proposedValues: ({ files, findings }: Files & { readonly findings: readonly Finding[] }): Files => ({
    files: new Map([...files, ...withProposedValues(files, findings)]),
  }),

  deployable: async ({ files }: Files): Promise<Files> => {
    // Loaded only where there is something to leave out: most packages take nothing from elsewhere.
    const inputs = files.has(SOURCES_FILE) ? (await import('./sync-sources.ts')).consumedIn(files) : [];
    return { files: deployableFiles(files, inputs) };
  },

  documents: ({ files }: Files): ReturnType<typeof readFileDocuments> => readFileDocuments(files),

  definitions: ({ files }: Files): ReturnType<typeof readDefinitions> => readDefinitions(files),

  configuration: (sources: ConfigurationSources): ConfigResult => readConfigurationFiles(sources),

  channels: ({ text, facts }: { readonly text: string; readonly facts: ChannelFileFacts }): JudgedChannels =>
    judgeChannelFile(text, facts),

  changeChannels: ({
    text,
    change,
    facts,
  }: {
    readonly text: string | undefined;
    readonly change: ChannelChange;
    readonly facts: ChangeFacts;
  }): ChangedFile => changeChannelFile(text, change, facts),

  ...SOURCE_OPERATIONS,

  expand: ({ set, names, ...world }: ExpandWork): Expansion =>
    expandSet(set, { ...world, undocumented: (name) => names.get(name) }),
};

/** What an export would refuse once the package is published. */
function bundleProblem(files: PackageFiles): SettledPackage['problem'] {
  try {
    operatorEntry(files);
    return undefined;
  } catch (error) {
    if (!(error instanceof PorticoError) || error.code !== 'CATALOG_INVALID') throw error;
    const hint = 'Correct the bundle: no catalog could hold it.';
    return { code: error.code, message: `the operator's bundle: ${error.message}`, hint };
  }
}

/** Longer ones are shown by nobody: a patch that was cut does not apply. */
const MAX_PATCH = 100_000;
const MAX_OPAQUE = 1_000;

function withMetadata(files: PackageFiles, metadata: NonNullable<VariantWork['metadata']>): PackageFiles {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return files;
  const bytes = withVariantMetadata(kptfile.bytes, metadata);
  return bytes === kptfile.bytes
    ? files
    : new Map([...files, ['Kptfile', { mode: kptfile.mode, bytes }] as const]);
}

/** The files that differ, in the order of their paths. */
function patchFiles(before: PackageFiles, after: PackageFiles): PatchFile[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !sameFile(before.get(path), after.get(path)))
    .map((path) => ({
      path,
      mode: after.get(path)?.mode ?? '100644',
      before: before.get(path)?.bytes ?? null,
      after: after.get(path)?.bytes ?? null,
    }));
}

function renderInput({ base, context, guardrailsOnly, ...input }: Carried, tools: Tools): RenderInput {
  const { runtime, memory, step } = tools;
  const common = {
    ...input,
    onStep: step,
    ...(context && { context: { ...context, ...(base && { base }) } }),
  };
  if (guardrailsOnly !== true) return { ...common, runtime, memory };
  const specs = new Set((input.guardrails ?? []).map(({ spec }) => spec));
  const { each: _each, ...rest } = runtime;
  return {
    ...common,
    runtime: {
      ...rest,
      run: async (spec, given, signal) =>
        specs.has(spec) ? runtime.run(spec, given, signal) : { exitCode: 0, items: given.items, results: [] },
    },
  };
}

async function powerBetween(sides: ComparedSides): Promise<PowerDiff> {
  const power = diffPower(sides.before, sides.after, sides);
  if (power.unread.length === 0) return power;
  const { withoutTemplates } = await import('./chart-templates.ts');
  return withoutTemplates(power, sides);
}
