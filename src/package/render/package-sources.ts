/** The files of a package that hold resources, read. */
import { PorticoError } from '../../error.ts';
import { readKrmignore } from '../krmignore.ts';
import type { IgnoreMatcher } from '../krmignore.ts';
import type { PackageFiles } from '../package.ts';
import { isMap } from '../plain-values.ts';
import type { KrmObject } from './krm-object.ts';
import type { RenderMemory } from './memory.ts';
import { decodeText, lineOf, readResources, UnreadableFile } from './read-resources.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';
import type { RenderResult } from './render-types.ts';

/** Why a package cannot be rendered. */
export type Problem = NonNullable<RenderResult['problem']>;

/** Past these a package is refused: it would cost more memory and time than a server should give. */
const MAX_RESOURCES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Directories with a Kptfile, in path order. */
export function packageDirs(files: PackageFiles): string[] {
  const dirs: string[] = [];
  for (const path of files.keys()) {
    if (path === 'Kptfile') dirs.push('.');
    else if (path.endsWith('/Kptfile')) dirs.push(path.slice(0, -'/Kptfile'.length));
  }
  return dirs.sort(byPath);
}

/** The order in which a directory walk meets paths: segment by segment. */
export function byPath(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const left = a.charCodeAt(at);
    const right = b.charCodeAt(at);
    if (left === right) continue;
    // The end of a segment comes before everything that may go on.
    if (left === SLASH) return -1;
    return right === SLASH ? 1 : left - right;
  }
  return a.length - b.length;
}

const SLASH = 47;

/**
 * Says of a file or directory which package it belongs to: the nearest directory above it that has a Kptfile. What is
 * known of a directory is kept: paths may be hundreds of levels deep.
 */
export function ownersIn(packages: ReadonlySet<string>): (path: string) => string {
  const known = new Map<string, string>();
  return (path) => {
    const passed: string[] = [];
    let owner: string | undefined;
    for (let slash = path.lastIndexOf('/'); owner === undefined; slash = path.lastIndexOf('/', slash - 1)) {
      const dir = slash <= 0 ? '.' : path.slice(0, slash);
      owner = dir === '.' || packages.has(dir) ? dir : known.get(dir);
      if (owner === undefined) passed.push(dir);
    }
    for (const dir of passed) known.set(dir, owner);
    return owner;
  };
}

/** Says whether a path belongs to a package: no check has looked at what lies beside the Kptfiles of a state. */
export function packagedIn(files: PackageFiles): (path: string) => boolean {
  const packages = new Set(packageDirs(files));
  const owner = ownersIn(packages);
  return (path) => packages.has('.') || owner(path) !== '.';
}

/** The files that belong to a package. */
export function packagedFiles(files: PackageFiles): PackageFiles {
  const isPackaged = packagedIn(files);
  return new Map([...files].filter(([path]) => isPackaged(path)));
}

/** Reads all files with resources that no .krmignore hides. `dirs` are the packages. Throws `UnreadableFile`. */
export function readSources(
  files: PackageFiles,
  dirs: readonly string[],
  memory?: RenderMemory,
): Map<string, SourceFile> {
  const isIgnored = ignoredIn(files, dirs);
  const sources = new Map<string, SourceFile>();
  let bytes = 0;
  let resources = 0;
  for (const path of [...files.keys()].filter(isResourceFile).sort(byPath)) {
    if (isIgnored(path)) continue;
    const content = files.get(path)?.bytes ?? new Uint8Array();
    bytes += content.length;
    if (bytes > MAX_BYTES) throw tooLarge(path, `${MAX_BYTES / 1024 / 1024} MiB of resources`);
    const text = decodeText(path, content);
    const read = (): SourceFile => readResources(path, text);
    const source = memory === undefined ? read() : memory.file(path, text, read);
    resources += source.documents.length;
    if (resources > MAX_RESOURCES) throw tooLarge(path, `${MAX_RESOURCES} resources`);
    sources.set(path, source);
  }
  return sources;
}

/** Whether functions see a file: kpt reads files of its name, and no `.krmignore` hides it. */
export function visibleIn(files: PackageFiles): (path: string) => boolean {
  const dirs = packageDirs(files);
  const isIgnored = ignoredIn(files, dirs.includes('.') ? dirs : ['.', ...dirs]);
  return (path) => isResourceFile(path) && !isIgnored(path);
}

/** Says which files the `.krmignore` of their package hides. A Kptfile is never hidden. */
function ignoredIn(files: PackageFiles, dirs: readonly string[]): (path: string) => boolean {
  const owner = ownersIn(new Set(dirs));
  const ignored = new Map(dirs.map((dir) => [dir, ignoreOf(files, dir)]));
  return (path) => {
    const dir = owner(path);
    const inside = dir === '.' ? path : path.slice(dir.length + 1);
    return inside !== 'Kptfile' && isHiddenBy(ignored.get(dir), inside, dir);
  };
}

function isHiddenBy(matcher: IgnoreMatcher | undefined, inside: string, dir: string): boolean {
  try {
    return matcher?.(inside) === true;
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    const file = dir === '.' ? '.krmignore' : `${dir}/.krmignore`;
    throw new UnreadableFile({ file, line: 1 }, error.code, `${file}: ${error.message}`, error.hint ?? '');
  }
}

function ignoreOf(files: PackageFiles, dir: string): (path: string) => boolean {
  const file = files.get(dir === '.' ? '.krmignore' : `${dir}/.krmignore`);
  return file === undefined ? () => false : readKrmignore(new TextDecoder().decode(file.bytes));
}

/** Whether kpt reads files of this name. */
export function isResourceFile(path: string): boolean {
  if (path.split('/').includes('.git')) return false;
  return path === 'Kptfile' || path.endsWith('/Kptfile') || /\.(?:yaml|yml|json)$/.test(path);
}

function tooLarge(path: string, limit: string): UnreadableFile {
  const message = `The package holds more than ${limit}; reading stopped at ${path}.`;
  return new UnreadableFile({ file: path }, 'PACKAGE_TOO_LARGE', message, 'Split the package into several.');
}

/** What stopped the reading, for the person who asked. Throws what is not about a file of the package. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof UnreadableFile)) throw error;
  return {
    code: error.code,
    message: error.message,
    hint: error.hint ?? '',
    file: error.file,
    ...(error.line === undefined ? {} : { line: error.line }),
  };
}

/** The field without which kpt does not take a document for a resource; Kustomization files are exempt. */
export function missingField(item: KrmObject, file: string): string | undefined {
  const field = absentField(item);
  if (field === undefined) return undefined;
  const base = file.split('/').at(-1) ?? '';
  if (/^(?:kustomization\.ya?ml|Kustomization)$/.test(base)) return undefined;
  if (String(item['apiVersion']).startsWith('kustomize.config.k8s.io')) return undefined;
  return item['kind'] === 'Kustomization' && item['apiVersion'] === undefined ? undefined : field;
}

/** The first of a resource's necessary fields that an object lacks. */
export function absentField(item: KrmObject): string | undefined {
  if (typeof item['apiVersion'] !== 'string' || item['apiVersion'] === '') return 'apiVersion';
  if (typeof item['kind'] !== 'string' || item['kind'] === '') return 'kind';
  const metadata = item['metadata'];
  const name = isMap(metadata) ? metadata['name'] : undefined;
  return name === undefined || name === null || name === '' ? 'metadata.name' : undefined;
}

/** Why kpt would not take a document for a resource, if it would not. */
export function notResource(document: SourceDocument): Problem | undefined {
  const field = missingField(document.value, document.file);
  if (field === undefined) return undefined;
  const place = document.root.at;
  const line = place === undefined ? 1 : lineOf(place.source.text, place.body);
  return {
    code: 'NOT_A_RESOURCE',
    message: `${document.file}:${line}: resource must have \`${field}\``,
    hint: 'Complete the resource, or name the file in .krmignore.',
    file: document.file,
    line,
  };
}

/** Path without `.` segments and doubled slashes. */
export function cleanPath(path: string): string {
  if (!/^\/|\/$|\/\/|(?:^|\/)\.(?:\/|$)/.test(path)) return path;
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}
