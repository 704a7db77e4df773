/** What becomes of whoever goes from one revision of a package to another: for the reviewers of a promotion. */
import { diffMarkdown } from './diff/diff-markdown.ts';
import { diffPackages } from './diff/diff.ts';
import type { PackageFiles } from './package.ts';
import { crdSafety } from './power/crd-safety.ts';
import { diffPower } from './power/power-diff.ts';
import { powerMarkdown } from './power/power-markdown.ts';
import type { KrmObject } from './render/krm-object.ts';
import { readFileOf } from './render/read-resources.ts';

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

/** @param limit most characters of `content` */
export function headChange(before: PackageFiles, after: PackageFiles, limit: number): HeadChange {
  const power = diffPower(before, after);
  const crds = crdSafety(resourcesOf(before), resourcesOf(after)).map(({ severity = 'error', message }) => ({
    severity: severity === 'error' ? ('error' as const) : ('warning' as const),
    message,
  }));
  return {
    content: diffMarkdown(diffPackages(before, after), { limit }),
    power: powerMarkdown(power),
    grown: power.grown || power.unread.length > 0,
    crds: crds.slice(0, MAX_CRDS),
  };
}

function resourcesOf(files: PackageFiles): KrmObject[] {
  return [...files]
    .filter(([file]) => /\.(?:ya?ml|json)$/.test(file))
    .flatMap(([file, { bytes }]) => readFileOf(file, bytes, { resourcesOnly: true }).documents)
    .map(({ value }) => value);
}
