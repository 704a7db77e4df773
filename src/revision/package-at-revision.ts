/** `<package path>@v3`: how a revision is written in commands, on the command line and in documents. */
import { packagePathProblem } from './ref-name.ts';
import { parseRevisionName } from './revision-name.ts';

export interface PackageAtRevision {
  readonly path: string;
  readonly revision: string;
}

/** Reads `web@v3`, `.@v3` (the package at the root) or `apps/web@v2.0.0`; undefined for anything else. */
export function parsePackageAtRevision(text: string): PackageAtRevision | undefined {
  const at = text.lastIndexOf('@');
  if (at <= 0) return undefined;
  const path = text.slice(0, at);
  const revision = text.slice(at + 1);
  if (packagePathProblem(path) !== undefined || parseRevisionName(revision) === undefined) return undefined;
  return { path, revision };
}

/** `<package path>@v3`, as commands and documents write it. */
export function formatPackageAtRevision(value: PackageAtRevision): string {
  return `${value.path}@${value.revision}`;
}
