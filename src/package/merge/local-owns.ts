/**
 * `portico-merge.yaml` beside the Kptfile: what of the package is its own, whatever upstream makes of it. A person wrote each
 * line, or asked for it, and it was reviewed with the package; nothing is inferred. A line counts for the upstream that it
 * was written for, so that one that came along with a clone counts for nobody.
 */
import { PorticoError } from '../../error.ts';
import { shortenValue } from '../../text/cut-text.ts';
import { readKptfile } from '../kptfile.ts';
import type { PackageFile, PackageFiles, ResourceRef } from '../package.ts';
import { groupOf, valueAt } from '../plain-values.ts';
import { toValue } from '../yaml/compare.ts';
import { editYaml, type YamlValue } from '../yaml/edit.ts';
import { readYamlFile } from '../yaml/read.ts';
import type { Conflict } from './conflict.ts';

export const MERGE_FILE = 'portico-merge.yaml';

/** Lines that one package may have; who needs more has another package. */
const MAX_LINES = 500;
/** Bytes of the file: as many lines need far less. */
const MAX_SIZE = 256 * 1024;
/** Characters of a value that a note tells. */
const MAX_VALUE_LENGTH = 60;

/** What upstream did when the line was written; where it does something else, people are asked again. */
type Reason = 'changes' | 'removes';

interface Line {
  readonly resource?: Readonly<Record<string, string>>;
  readonly file?: string;
  readonly path: string;
  readonly upstream: Reason;
}

/** Whether a conflict is settled for local by a line of the package. */
export interface LocalOwns {
  readonly owns: (conflict: Omit<Conflict, 'id' | 'taken'>) => boolean;
  /** What is wrong with the file, or why it does not count; then nothing is settled by it. */
  readonly problem?: string;
}

const NOTHING: LocalOwns = { owns: () => false };

/** Reads the file of a package. Never throws. */
export function readLocalOwns(local: PackageFiles): LocalOwns {
  const file = local.get(MERGE_FILE);
  if (file === undefined) return NOTHING;
  const document = documentOf(file);
  if (typeof document === 'string') return { ...NOTHING, problem: document };
  const { lines, upstream } = document;
  const place = upstreamOf(local);
  if (place === undefined || upstream.repo !== place.repo || upstream.directory !== place.directory) {
    const problem =
      'It is for another upstream than the one that the Kptfile names, so that nothing in it counts.';
    return { ...NOTHING, problem };
  }
  return { owns: (conflict) => lines.some((line) => isAbout(line, conflict)) };
}

function isAbout(
  { resource, file, path, upstream }: Line,
  conflict: Omit<Conflict, 'id' | 'taken'>,
): boolean {
  if (upstream !== reasonOf(conflict) || !isBelow(conflict.path, path)) return false;
  if (conflict.resource === null) return file === conflict.file;
  return resource !== undefined && isSame(resource, conflict.resource);
}

function isSame(line: Readonly<Record<string, string>>, ref: ResourceRef): boolean {
  return (
    line['kind'] === ref.kind &&
    line['name'] === ref.name &&
    (line['namespace'] ?? '') === ref.namespace &&
    groupOf(line['apiVersion'] ?? '') === groupOf(ref.apiVersion)
  );
}

function isBelow(path: string, owned: string): boolean {
  return owned === '' || path === owned || path.startsWith(`${owned}.`) || path.startsWith(`${owned}[`);
}

/** Undefined where upstream makes something else of the field than it was: a map of a text is no other value of it. */
function reasonOf({ base, upstream }: Pick<Conflict, 'base' | 'upstream'>): Reason | undefined {
  if (upstream === undefined) return 'removes';
  return base === undefined || shapeOf(base) === shapeOf(upstream) ? 'changes' : undefined;
}

function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'object' && value !== null ? 'map' : 'scalar';
}

/** What is told of a conflict that a line settles. */
export function ownedMessage({
  resource,
  path,
  part,
  upstream,
  local,
}: Omit<Conflict, 'id' | 'taken'>): string {
  const about = [resource === null ? '' : `${resource.kind} ${resource.name}`, path].filter(
    (part) => part !== '',
  );
  const isSecret = resource?.kind === 'Secret';
  const stays = `stays ${isSecret ? 'as it is here' : valueText(local)}`;
  const other = isSecret ? 'another value' : valueText(upstream);
  const wants = upstream === undefined ? 'upstream removed it' : `upstream has ${other}`;
  return `${about.length === 0 ? (part === true ? 'A part of the file' : 'The file') : about.join(' ')} ${stays}, as ${MERGE_FILE} says; ${wants}.`;
}

function valueText(value: unknown): string {
  if (value === undefined) return 'absent';
  const text =
    JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner)) ??
    '';
  return shortenValue(text, MAX_VALUE_LENGTH);
}

/**
 * The package with a line for each of the conflicts, none twice; the rest of the file stays byte for byte.
 * Throws `MERGE_FILE_INVALID` where the file that is there cannot be read, and where the package has no upstream.
 */
export function rememberLocal(files: PackageFiles, conflicts: readonly Conflict[], by: string): PackageFiles {
  const place = upstreamOf(files);
  if (place === undefined)
    throw invalid('the package has no upstream', 'Settle the conflict without --remember.');
  const before = files.get(MERGE_FILE);
  const owned = readLocalOwns(files);
  if (owned.problem !== undefined)
    throw invalid(`${MERGE_FILE}: ${owned.problem}`, `Fix ${MERGE_FILE}, or remove it.`);
  const lines = conflicts.filter((one) => !owned.owns(one)).map((one) => lineOf(one, by));
  if (lines.length === 0) return files;
  const text = before === undefined ? newFile(place) : new TextDecoder().decode(before.bytes);
  const edited = editYaml(
    text,
    lines.map((value) => ({ op: 'insert', document: 0, path: ['spec', 'localOwns'], value })),
  );
  const file: PackageFile = { mode: before?.mode ?? '100644', bytes: new TextEncoder().encode(edited) };
  return new Map([...files, [MERGE_FILE, file]]);
}

function lineOf(conflict: Conflict, by: string): YamlValue {
  const { resource, file, path } = conflict;
  const reason = reasonOf(conflict);
  if (reason === undefined) {
    const hint = 'Settle this conflict without --remember: upstream makes something else of the field.';
    throw invalid(`${path} in ${file} cannot be remembered`, hint);
  }
  const ref = resource && {
    apiVersion: resource.apiVersion,
    kind: resource.kind,
    name: resource.name,
    ...(resource.namespace !== '' && { namespace: resource.namespace }),
  };
  return {
    ...(ref === null ? { file } : { resource: ref }),
    ...(path !== '' && { path }),
    upstream: reason,
    by,
  };
}

function newFile({ repo, directory }: Place): string {
  return `# What of this package is its own, whatever upstream makes of it. Remove a line to be asked again.
apiVersion: config.portico.dev/v1alpha1
kind: MergeDecisions
metadata:
  name: merge-decisions
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  upstream:
    repo: ${JSON.stringify(repo)}
    directory: ${JSON.stringify(directory)}
`;
}

interface Place {
  readonly repo: string;
  readonly directory: string;
}

/** Where the package comes from, in one spelling. */
function upstreamOf(files: PackageFiles): Place | undefined {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined) return undefined;
  try {
    const git = readKptfile(kptfile.bytes).kptfile.upstream?.git;
    return git && plainPlace(git);
  } catch {
    // Whoever merges the Kptfile says what is wrong with it.
    return undefined;
  }
}

function plainPlace({ repo, directory }: Place): Place {
  const plain = directory.replaceAll(/^[/.]+|(?<!\/)\/+$/g, '');
  return { repo: repo.replace(/\.git$/, ''), directory: plain === '' ? '/' : plain };
}

/** What the file says, or what is wrong with it. */
function documentOf(
  file: PackageFile,
): { readonly lines: readonly Line[]; readonly upstream: Place } | string {
  if (file.bytes.length > MAX_SIZE)
    return `It is larger than ${MAX_SIZE / 1024} KiB, so that nothing in it counts.`;
  let value: unknown;
  try {
    const { documents } = readYamlFile(new TextDecoder().decode(file.bytes));
    const root = documents.find((one) => one.root !== null)?.root;
    value = root === undefined || root === null ? null : toValue(root);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    return `It cannot be read (${error.message}), so that nothing in it counts.`;
  }
  const upstream = valueAt(value, 'spec', 'upstream');
  const [repo, directory] = [textIn(upstream, 'repo'), textIn(upstream, 'directory')];
  const isOurs =
    textIn(value, 'apiVersion') === 'config.portico.dev/v1alpha1' &&
    textIn(value, 'kind') === 'MergeDecisions';
  if (!isOurs || repo === undefined || directory === undefined)
    return 'It is no MergeDecisions document with spec.upstream.repo and directory, so that nothing in it counts.';
  const listed = valueAt(value, 'spec', 'localOwns') ?? [];
  if (!Array.isArray(listed) || listed.length > MAX_LINES)
    return `spec.localOwns is no list of at most ${MAX_LINES} lines, so that nothing in it counts.`;
  const lines = listed.map(readLine);
  const wrong = lines.indexOf(undefined);
  if (wrong !== -1)
    return `spec.localOwns[${wrong}] needs resource (apiVersion, kind, name) or file, and upstream: changes or removes, so that nothing in the file counts.`;
  return { lines: lines.filter((line) => line !== undefined), upstream: plainPlace({ repo, directory }) };
}

function readLine(value: unknown): Line | undefined {
  const upstream = textIn(value, 'upstream');
  if (upstream !== 'changes' && upstream !== 'removes') return undefined;
  const path = textIn(value, 'path') ?? '';
  const file = textIn(value, 'file');
  const resource = valueAt(value, 'resource');
  if (file !== undefined) return resource === undefined && path === '' ? { file, path, upstream } : undefined;
  const fields = ['apiVersion', 'kind', 'name', 'namespace'].flatMap((field) => {
    const text = textIn(resource, field);
    return text === undefined ? [] : [[field, text] as const];
  });
  const known = Object.fromEntries(fields);
  const isNamed = ['apiVersion', 'kind', 'name'].every((field) => known[field] !== undefined);
  return isNamed ? { resource: known, path, upstream } : undefined;
}

function textIn(value: unknown, field: string): string | undefined {
  const inner = valueAt(value, field);
  return typeof inner === 'string' ? inner : undefined;
}

function invalid(message: string, hint: string): PorticoError {
  return new PorticoError('MERGE_FILE_INVALID', message, { blame: 'user', hint });
}
