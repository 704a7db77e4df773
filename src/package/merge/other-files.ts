import { createHash } from 'node:crypto';

import { sameFile } from '../package.ts';
import type { FileMode, PackageFile } from '../package.ts';
import { editedChunk, fullDocuments } from '../yaml/edit.ts';
import { formatPath } from '../yaml/path.ts';
import type { YamlPath } from '../yaml/path.ts';
import { mergeNodes } from './fields.ts';
import { mergeText } from './lines.ts';
import type { Report } from './report.ts';
import { withText } from './resource-files.ts';
import { refOf, decode, readFile } from './resources.ts';
import { builtinListKeys } from './schema.ts';

export interface Versions {
  readonly base: PackageFile | undefined;
  readonly upstream: PackageFile | undefined;
  readonly local: PackageFile | undefined;
}

/** Bytes of a file that is merged by lines. */
const MAX_TEXT = 64 * 1024;

/**
 * Merges a file that is not made of resources, whole or line by line; JSON by its data. Undefined is a file that is
 * not there. What only one side changed is taken; what both changed at one place stays local's and is told.
 */
export function mergeOtherFile(
  path: string,
  { base, upstream, local }: Versions,
  report: Report,
): PackageFile | undefined {
  if (sameFile(base, upstream) || sameFile(local, upstream)) return local;
  if (sameFile(base, local)) return upstream;
  const merged =
    local === undefined || upstream === undefined
      ? undefined
      : mergeContent({ path, base, upstream, local, report });
  if (merged !== undefined && local !== undefined) {
    const mode = mergedMode(base, upstream, local);
    return typeof merged === 'string' ? withText(merged, mode) : { ...merged, mode };
  }
  const values = { base: shownFile(base), upstream: shownFile(upstream), local: shownFile(local) };
  return report.whole(path, null, values) === 'local' ? local : upstream;
}

/** The mode that only one side changed, else local's. */
export function mergedMode(
  base: PackageFile | undefined,
  upstream: PackageFile | undefined,
  local: PackageFile,
): FileMode {
  return base !== undefined && upstream !== undefined && base.mode === local.mode
    ? upstream.mode
    : local.mode;
}

interface ContentMerge {
  readonly path: string;
  readonly base: PackageFile | undefined;
  readonly upstream: PackageFile;
  readonly local: PackageFile;
  readonly report: Report;
}

function mergeContent({
  path,
  base,
  upstream,
  local,
  report,
}: ContentMerge): string | PackageFile | undefined {
  if (sameBytes(local, upstream)) return local;
  if (base !== undefined && sameBytes(local, base)) return upstream;
  if (base !== undefined && sameBytes(upstream, base)) return local;
  const [o, u, d] = [base, upstream, local].map(textOf);
  if (base === undefined || o === undefined || u === undefined || d === undefined) return undefined;
  const structural = path.endsWith('.json') ? mergeJson({ path, base, upstream, local, report }) : undefined;
  return structural ?? mergeText(d, o, u, (question) => report.lines(path, question));
}

function sameBytes(a: PackageFile, b: PackageFile): boolean {
  return sameFile(a, { ...b, mode: a.mode });
}

function textOf(file: PackageFile | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    const text = decode(file.bytes);
    return text.includes('\u0000') ? undefined : text;
  } catch {
    return undefined;
  }
}

function mergeJson({
  path,
  base,
  upstream,
  local,
  report,
}: ContentMerge & { readonly base: PackageFile }): string | undefined {
  const files = [base, upstream, local].map((file) => readFile(path, file));
  const roots = files.map((file) => ('documents' in file ? fullDocuments(file) : []));
  const [o, u, d] = roots.map((documents) => (documents.length === 1 ? documents[0] : undefined));
  const own = files[2];
  if (own === undefined || !('documents' in own)) return undefined;
  if (!d?.root || !o?.root || !u?.root) return undefined;
  const ref = refOf(d.root);
  const resource = ref.kind === '' ? null : ref;
  const context = {
    keysOf: builtinListKeys(ref.apiVersion, ref.kind),
    ...report.fields(path, resource),
    note: (code: string, at: YamlPath, message: string) =>
      report.note(code, path, `${formatPath(at)}: ${message}`),
  };
  const root = mergeNodes({
    local: d.root,
    base: o.root,
    upstream: u.root,
    spot: { path: [], pattern: '' },
    context,
  });
  return root === undefined ? undefined : editedChunk(own.source, d, root);
}

/** A file as a value for people: its text, or its digest where that is long or no text. */
export function shownFile(file: PackageFile | undefined): unknown {
  if (file === undefined) return undefined;
  const text = file.bytes.length > MAX_TEXT ? undefined : textOf(file);
  return text ?? { bytes: file.bytes.length, sha256: createHash('sha256').update(file.bytes).digest('hex') };
}
