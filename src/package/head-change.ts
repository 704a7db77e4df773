/** What becomes of whoever goes from one revision of a package to another: for the reviewers of a promotion. */
import { diffMarkdown } from './diff/diff-markdown.ts';
import { diffPackages } from './diff/diff.ts';
import type { PackageFiles } from './package.ts';
import { crdSafety } from './power/crd-safety.ts';
import { powerMarkdown } from './power/power-markdown.ts';
import type { PowerDiff } from './power/power-types.ts';
import type { KrmObject } from './render/krm-object.ts';
import { readFileOf, UnreadableFile, type SourceDocument } from './render/read-resources.ts';

export interface HeadChange {
  /** Markdown: what differs, and what the package may do more or less. */
  readonly content: string;
  readonly power: string;
  /** True where it may do more, or nobody can tell. */
  readonly grown: boolean;
  /** What is unsafe of new versions of custom resource definitions. */
  readonly crds: readonly { readonly severity: 'error' | 'warning'; readonly message: string }[];
}

/** Findings about definitions that are told. */
const MAX_CRDS = 50;

export function headChange({
  before,
  after,
  power,
  limit,
}: {
  readonly before: PackageFiles;
  readonly after: PackageFiles;
  /** What differs in what the package may do. */
  readonly power: PowerDiff;
  /** Most characters of `content`. */
  readonly limit: number;
}): HeadChange {
  const crds = crdSafety(resourcesOf(before), resourcesOf(after)).map(
    ({ severity = 'error', message, resourceRef: { name } = {} }) => ({
      severity: severity === 'error' ? ('error' as const) : ('warning' as const),
      message: name === undefined ? message : `${name}: ${message}`,
    }),
  );
  return {
    content: diffMarkdown(diffPackages(before, after), { limit }),
    power: powerMarkdown(power),
    grown: power.grown || power.unread.length > 0,
    crds: crds.slice(0, MAX_CRDS),
  };
}

/** Of files that can be read: what the others permit is said to be unknown. */
function resourcesOf(files: PackageFiles): KrmObject[] {
  return [...files]
    .filter(([file]) => /\.(?:ya?ml|json)$/.test(file))
    .flatMap(([file, { bytes }]) => documentsOf(file, bytes))
    .map(({ value }) => value);
}

function documentsOf(file: string, bytes: Uint8Array): readonly SourceDocument[] {
  try {
    return readFileOf(file, bytes, { resourcesOnly: true }).documents;
  } catch (error) {
    if (error instanceof UnreadableFile) return [];
    throw error;
  }
}
