/**
 * Work on content that nobody here wrote: packages of proposals, of upstreams, of drafts. It may take for ever, or all
 * memory, so it is done elsewhere and within limits.
 *
 * A limit that is met is, for a render, the result's problem, with every guardrail refused; anything else throws it as
 * what a person has to mend (`CONTENT_TIME`, `CONTENT_MEMORY`, `CONTENT_OUTPUT`, `CONTENT_COUNT`, `CONTENT_DEPTH`,
 * `CONTENT_CRASH`), like content that is too large to be read.
 */
import type { ChangedFile, ChangeFacts, ChannelChange } from '../channels/change-file.ts';
import type { ChannelFileFacts, JudgedChannels } from '../channels/judge-file.ts';
import type { OperatorEntry } from '../channels/operator-entry.ts';
import type { ConfigResult } from '../config/parse-repository-config.ts';
import type { ConfigurationSources, FileDocuments } from '../config/read-content.ts';
import type { CloneOptions } from '../package/clone.ts';
import type { PackageDiff } from '../package/diff/diff-types.ts';
import type { unifiedPatch } from '../package/diff/patch.ts';
import type { UpdateSides } from '../package/diff/surviving.ts';
import type { HeadChange } from '../package/head-change.ts';
import type { mergeConcurrent as MergeConcurrent } from '../package/merge/concurrent.ts';
import type { MergeInput, MergeResult } from '../package/merge/merge-types.ts';
import type { settleConflicts, Settlement } from '../package/merge/settle.ts';
import type { PackageFiles } from '../package/package.ts';
import type { PowerSettings } from '../package/power/power-diff.ts';
import type { PowerDiff } from '../package/power/power-types.ts';
import type { EvalInput } from '../package/render/eval.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import type { Finding, RenderInput, RenderResult } from '../package/render/render-types.ts';
import type { SettledPackage } from '../package/render/settled.ts';
import type { Expansion, ExpansionWorld } from '../package/variant/expand.ts';
import type { mutatePackage, withVariantMetadata } from '../package/variant/mutate.ts';
import type { Edited } from '../package/variant/package-context.ts';
import type { InventoryObject, ObjectMeta, ValidVariantSet } from '../package/variant/variant-types.ts';

/** A package that a variant keeps, and what the variant says. */
export interface VariantWork {
  readonly files: PackageFiles;
  /** Put on the Kptfile first. */
  readonly metadata?: Parameters<typeof withVariantMetadata>[1];
  readonly variant: Parameters<typeof mutatePackage>[1];
  readonly inventory: readonly InventoryObject[];
}

/** A set of variants and what it selects from. */
export type ExpandWork = Omit<ExpansionWorld, 'undocumented'> & {
  readonly set: ValidVariantSet;
  /** Repositories that may be named though no document speaks of them. */
  readonly names: ReadonlyMap<string, ObjectMeta>;
};

export type RenderWork = Omit<RenderInput, 'memory' | 'onStep'> & {
  /** Functions of the package's own pipeline do not run. */
  readonly guardrailsOnly?: boolean;
};

/** Two states of a package. */
export interface Sides {
  readonly before: PackageFiles;
  readonly after: PackageFiles;
}

export type ComparedSides = Sides & PowerSettings;

export interface Comparison {
  readonly content: PackageDiff;
  readonly power: PowerDiff;
}

export type ConcurrentSides = Parameters<typeof MergeConcurrent>[0];
export type ConcurrentMerge = ReturnType<typeof MergeConcurrent>;

export interface DiffText {
  /** Nothing differs, not even a byte. */
  readonly same: boolean;
  /** Markdown. */
  readonly text: string;
}

export interface Content {
  render(input: RenderWork): Promise<RenderResult>;
  renderSettled(input: RenderWork): Promise<SettledPackage>;
  evaluate(input: EvalInput): Promise<RenderResult>;
  merge(input: MergeInput, signal?: AbortSignal): Promise<MergeResult>;
  /** Two drafts of one package, where one is published and the other goes on. */
  mergeConcurrent(sides: ConcurrentSides, signal?: AbortSignal): Promise<ConcurrentMerge>;
  compare(sides: ComparedSides, signal?: AbortSignal): Promise<Comparison>;
  /** What differs, as Markdown of so many characters. */
  diffText(sides: Sides & { readonly limit: number }, signal?: AbortSignal): Promise<DiffText>;
  /** Local changes that an update keeps, a Markdown line each. */
  survivingChanges(sides: UpdateSides, signal?: AbortSignal): Promise<readonly string[]>;
  /** What becomes of whoever goes from one revision to the other; `content` has at most so many characters. */
  headChange(sides: ComparedSides & { readonly limit: number }, signal?: AbortSignal): Promise<HeadChange>;
  /** What one state changes in the other, as a digest: see `changeDigest`. */
  changeDigest(sides: Sides, signal?: AbortSignal): Promise<string>;
  /** What differs, as a patch; files that are no text by name. */
  patch(sides: Sides, signal?: AbortSignal): Promise<ReturnType<typeof unifiedPatch>>;
  /** A draft with conflicts of its merge settled; where that meets what people committed since, conflicts again. */
  settle(work: Settlement, signal?: AbortSignal): Promise<ReturnType<typeof settleConflicts>>;
  clone(files: PackageFiles, options: CloneOptions, signal?: AbortSignal): Promise<PackageFiles>;
  /** The package with marks of what its resources are called upstream, in these files. */
  markMerged(files: PackageFiles, paths: readonly string[], signal?: AbortSignal): Promise<PackageFiles>;
  /** The package as a variant wants it. */
  variant(work: VariantWork, signal?: AbortSignal): Promise<Edited<PackageFiles>>;
  /** The package with the values that functions propose. */
  proposedValues(
    files: PackageFiles,
    findings: readonly Finding[],
    signal?: AbortSignal,
  ): Promise<PackageFiles>;
  /** Only what of the package is applied. */
  deployable(files: PackageFiles, signal?: AbortSignal): Promise<PackageFiles>;
  /** The documents of each file. */
  documents(files: PackageFiles, signal?: AbortSignal): Promise<readonly FileDocuments[]>;
  /** The CustomResourceDefinitions in the files. */
  definitions(files: PackageFiles, signal?: AbortSignal): Promise<readonly KrmObject[]>;
  configuration(sources: ConfigurationSources, signal?: AbortSignal): Promise<ConfigResult>;
  /** What a package that holds an operator's bundle says of itself; null for any other. */
  operator(files: PackageFiles, signal?: AbortSignal): Promise<OperatorEntry | null>;
  /** What the channel file of a package says, and which rules it breaks. */
  channels(text: string, facts: ChannelFileFacts, signal?: AbortSignal): Promise<JudgedChannels>;
  /** A channel file after a change that somebody asked for; undefined text is a file that is not there. */
  changeChannels(
    text: string | undefined,
    change: ChannelChange,
    facts: ChangeFacts,
    signal?: AbortSignal,
  ): Promise<ChangedFile>;
  expand(work: ExpandWork, signal?: AbortSignal): Promise<Expansion>;
}
