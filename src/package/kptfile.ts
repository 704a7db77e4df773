import { PorticoError } from '../error.ts';
import { notShown } from '../text/counted.ts';
import { kptfileOf } from './kptfile-readers.ts';
import type { Upstream, UpstreamLock, Kptfile, KptfileProblem } from './kptfile-types.ts';
import { MAX_DEPTH, MAX_KPTFILE_BYTES, MAX_PROBLEMS } from './limits.ts';
import { editYaml, fullDocuments, locateIn } from './yaml/edit.ts';
import type { YamlEdit, YamlValue } from './yaml/edit.ts';
import { resolved } from './yaml/node.ts';
import type { YamlNode } from './yaml/node.ts';
import { parsePath } from './yaml/path.ts';
import { readYamlFile } from './yaml/read.ts';
import type { YamlFile } from './yaml/read.ts';

/**
 * Reads a Kptfile. What cannot be used is left out and named in `problems`; fields that kpt does not know are
 * tolerated and named. Throws `KPTFILE_INVALID` only when the bytes are not one YAML map, and `KPTFILE_LIMIT` when there
 * are too many of them.
 */
export function readKptfile(bytes: Uint8Array): { kptfile: Kptfile; problems: readonly KptfileProblem[] } {
  checkLength(bytes);
  const text = new TextDecoder().decode(bytes);
  const file = parse(text);
  const [document, second] = fullDocuments(file);
  const root = document?.root ?? undefined;
  if (root?.kind !== 'map') {
    throw new PorticoError('KPTFILE_INVALID', 'The Kptfile is not a YAML map', {
      blame: 'user',
      hint: 'Write it as `kpt pkg init` does.',
    });
  }
  const raw = textsOf(root);
  const found: Omit<KptfileProblem, 'line'>[] = [...versionProblems(raw)];
  if (second !== undefined)
    found.push({ severity: 'error', path: '', message: 'The Kptfile has more than one document' });
  const kptfile = kptfileOf(raw, (problem) => found.push({ severity: 'error', ...problem }));
  const problems: KptfileProblem[] = found.slice(0, MAX_PROBLEMS).map((problem) => {
    const line = locateIn(file, 0, parsePath(problem.path), { nearest: true })?.line;
    return line === undefined ? problem : { ...problem, line };
  });
  const more = found.length - problems.length;
  if (more > 0)
    problems.push({ severity: 'error', path: '', message: notShown(more, 'problem').replace(/\.$/, '') });
  return { kptfile, problems };
}

function checkLength(bytes: Uint8Array): void {
  if (bytes.length <= MAX_KPTFILE_BYTES) return;
  const most = `${MAX_KPTFILE_BYTES / 1024} KiB`;
  throw new PorticoError('KPTFILE_LIMIT', `The Kptfile has ${bytes.length} bytes; the limit is ${most}`, {
    blame: 'user',
    hint: 'Move the configuration of its functions into files of their own, and name them with configPath.',
  });
}

function parse(text: string): YamlFile {
  try {
    return readYamlFile(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new PorticoError('KPTFILE_INVALID', `The Kptfile does not parse: ${why}`, {
      blame: 'user',
      cause,
      hint: 'Fix the YAML.',
    });
  }
}

function versionProblems(raw: YamlValue): Omit<KptfileProblem, 'line'>[] {
  const { apiVersion, kind } = raw as Record<string, YamlValue>;
  if (apiVersion === 'kpt.dev/v1' && kind === 'Kptfile') return [];
  const old = apiVersion === 'kpt.dev/v1alpha1' || apiVersion === 'kpt.dev/v1alpha2';
  const message = old
    ? `The Kptfile has the old version ${apiVersion}; \`kpt pkg update\` to kpt.dev/v1 is needed`
    : 'The file is not a kpt.dev/v1 Kptfile';
  return [{ severity: 'error', path: old ? 'apiVersion' : '', message }];
}

/** The data with every scalar as the text that stands there: all that kpt reads in a Kptfile are strings, so `1.10` is one. */
function textsOf(node: YamlNode, depth = 0): YamlValue {
  const here = resolved(node);
  if (depth > MAX_DEPTH || here.kind === 'alias') return null;
  if (here.kind === 'list') return here.items.map((item) => textsOf(item.value, depth + 1));
  if (here.kind === 'map') {
    return Object.fromEntries(here.entries.map((entry) => [entry.name, textsOf(entry.value, depth + 1)]));
  }
  if (typeof here.value === 'string' || here.value === null || here.at === undefined) return here.value;
  return here.at.source.text.slice(here.at.body, here.at.end);
}

/** Sets or, with null, removes `upstream` and `upstreamLock`; a part that is not given stays. */
export function withUpstream(
  bytes: Uint8Array,
  change: { readonly upstream?: Upstream | null; readonly upstreamLock?: UpstreamLock | null },
): Uint8Array {
  const { kptfile } = readKptfile(bytes);
  const edits = (['upstream', 'upstreamLock'] as const).flatMap((part): YamlEdit[] => {
    const value: object | null | undefined = change[part];
    if (value === undefined) return [];
    if (value !== null) return [{ op: 'set', document: 0, path: [part], value: { ...value } as YamlValue }];
    return kptfile[part] === undefined ? [] : [{ op: 'delete', document: 0, path: [part] }];
  });
  return edited(bytes, edits);
}

/** Sets `metadata.name`. */
export function withName(bytes: Uint8Array, name: string): Uint8Array {
  return edited(bytes, [{ op: 'set', document: 0, path: ['metadata', 'name'], value: name }]);
}

function edited(bytes: Uint8Array, edits: readonly YamlEdit[]): Uint8Array {
  checkLength(bytes);
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const after = editYaml(before, edits);
  return after === before ? bytes : new TextEncoder().encode(after);
}
