import { readKrmignore } from '../krmignore.ts';
import type { PackageFiles } from '../package.ts';
/** Package files → packages and their resources, as `kpt fn render` reads them. */
import { isMap } from './field-notes.ts';
import { nodeAt } from './find-node.ts';
import type { KrmObject } from './krm-object.ts';
import type { Pipeline, PipelineProblem } from './pipeline.ts';
import { readPipeline } from './pipeline.ts';
import { lineOf, readResources, UnreadableFile } from './read-resources.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';
import type { RenderResult } from './render-types.ts';

export type Problem = NonNullable<RenderResult['problem']>;

export interface LoadedPackage {
  /** Relative to the root package, '.' for itself. */
  readonly dir: string;
  readonly kptfile: SourceDocument;
  readonly pipeline: Pipeline;
  readonly documents: readonly SourceDocument[];
  /** Packages directly below, by path. */
  readonly subpackages: readonly LoadedPackage[];
}

export interface LoadedTree {
  readonly root: LoadedPackage;
  readonly sources: ReadonlyMap<string, SourceFile>;
}

/** Past these a package is refused: it would cost more memory and time than a server should give. */
const MOST_RESOURCES = 20_000;
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads the package and its subpackages, or says why it cannot be rendered. */
export function loadPackage(files: PackageFiles): LoadedTree | Problem {
  const dirs = packageDirs(files);
  if (!dirs.includes('.')) {
    return {
      code: 'NOT_A_PACKAGE',
      message: 'There is no Kptfile in the directory.',
      hint: 'Point to a directory with a Kptfile, or make one with `portico init DIR`.',
    };
  }
  try {
    const sources = readSources(files, dirs);
    const packages = new Map<string, LoadedPackage>();
    // Deepest first, so that a package finds its subpackages made.
    for (const dir of dirs.toSorted((a, b) => depth(b) - depth(a) || byPath(a, b))) {
      const loaded = loadOne(dir, dirs, sources, packages);
      if ('code' in loaded) return loaded;
      packages.set(dir, loaded);
    }
    const root = packages.get('.');
    if (root === undefined) throw new Error('the root package was not loaded');
    return { root, sources };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    return {
      code: error.code,
      message: error.message,
      hint: error.hint ?? '',
      file: error.file,
      ...(error.line === undefined ? {} : { line: error.line }),
    };
  }
}

/** Directories with a Kptfile, in path order. */
function packageDirs(files: PackageFiles): string[] {
  const dirs: string[] = [];
  for (const path of files.keys()) {
    if (path === 'Kptfile') dirs.push('.');
    else if (path.endsWith('/Kptfile')) dirs.push(path.slice(0, -'/Kptfile'.length));
  }
  return dirs.sort(byPath);
}

/** The order in which a directory walk meets paths: segment by segment. */
export function byPath(a: string, b: string): number {
  const left = a.split('/');
  const right = b.split('/');
  for (const [at, segment] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    if (segment !== other) return segment < other ? -1 : 1;
  }
  return left.length - right.length;
}

function depth(dir: string): number {
  return dir === '.' ? 0 : dir.split('/').length;
}

/** The package that a file belongs to: the nearest directory above it that has a Kptfile. */
export function ownerOf(path: string, dirs: ReadonlySet<string>): string {
  let dir = path;
  while (dir.includes('/')) {
    dir = dir.slice(0, dir.lastIndexOf('/'));
    if (dirs.has(dir)) return dir;
  }
  return '.';
}

function readSources(files: PackageFiles, dirs: readonly string[]): Map<string, SourceFile> {
  const known = new Set(dirs);
  const ignored = new Map(dirs.map((dir) => [dir, ignoreOf(files, dir)]));
  const sources = new Map<string, SourceFile>();
  let bytes = 0;
  let resources = 0;
  for (const path of [...files.keys()].filter(isResourceFile).sort(byPath)) {
    const dir = ownerOf(path, known);
    const inside = dir === '.' ? path : path.slice(dir.length + 1);
    if (inside !== 'Kptfile' && ignored.get(dir)?.(inside) === true) continue;
    const content = files.get(path)?.bytes ?? new Uint8Array();
    bytes += content.length;
    if (bytes > MOST_BYTES) throw tooLarge(path, `${MOST_BYTES / 1024 / 1024} MiB of resources`);
    const source = readResources(path, decode(path, content));
    resources += source.documents.length;
    if (resources > MOST_RESOURCES) throw tooLarge(path, `${MOST_RESOURCES} resources`);
    sources.set(path, source);
  }
  return sources;
}

function ignoreOf(files: PackageFiles, dir: string): (path: string) => boolean {
  const file = files.get(dir === '.' ? '.krmignore' : `${dir}/.krmignore`);
  return file === undefined ? () => false : readKrmignore(new TextDecoder().decode(file.bytes));
}

function isResourceFile(path: string): boolean {
  if (path.split('/').includes('.git')) return false;
  return path === 'Kptfile' || path.endsWith('/Kptfile') || /\.(?:yaml|yml|json)$/.test(path);
}

function decode(path: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UnreadableFile(
      path,
      undefined,
      'NOT_UTF8',
      `${path}: not UTF-8 text`,
      'Save the file as UTF-8.',
    );
  }
}

function tooLarge(path: string, limit: string): UnreadableFile {
  const message = `The package holds more than ${limit}; reading stopped at ${path}.`;
  return new UnreadableFile(path, undefined, 'PACKAGE_TOO_LARGE', message, 'Split the package into several.');
}

function loadOne(
  dir: string,
  dirs: readonly string[],
  sources: ReadonlyMap<string, SourceFile>,
  packages: ReadonlyMap<string, LoadedPackage>,
): LoadedPackage | Problem {
  const known = new Set(dirs);
  const own = [...sources.values()].filter((source) => ownerOf(source.path, known) === dir);
  const documents = own.flatMap((source) => source.documents);
  const file = dir === '.' ? 'Kptfile' : `${dir}/Kptfile`;
  const source = sources.get(file);
  const kptfile = source?.documents[0];
  if (source === undefined || kptfile === undefined) {
    return {
      code: 'KPTFILE_INVALID',
      message: `${file} is empty.`,
      hint: 'Give it apiVersion, kind and metadata.name.',
      file,
      line: 1,
    };
  }
  const pipeline = readPipeline(kptfile.value);
  if ('code' in pipeline) return placed(pipeline, file, kptfile);
  for (const document of documents) {
    const missing = missingField(document.value, document.file);
    if (missing !== undefined) return notKrm(document, missing);
  }
  const unusable = checkConfigPaths(pipeline, dir, documents);
  if (unusable !== undefined) return placed(unusable, file, kptfile);
  const parentOf = (other: string): string =>
    ownerOf(other, new Set(dirs.filter((candidate) => candidate !== other)));
  const subpackages = dirs
    .filter((other) => other !== dir && other !== '.' && parentOf(other) === dir)
    .flatMap((other) => packages.get(other) ?? []);
  return { dir, kptfile, pipeline, documents, subpackages };
}

function placed(problem: PipelineProblem, file: string, document: SourceDocument): Problem {
  const place = nodeAt(document.root, problem.path).at;
  const line = place === undefined ? 1 : lineOf(place.source.text, place.body);
  return { code: problem.code, message: `${file}: ${problem.message}`, hint: problem.hint, file, line };
}

/** The field without which kpt does not take a document for a resource; Kustomization files are exempt. */
export function missingField(item: KrmObject, file: string): string | undefined {
  const base = file.split('/').at(-1) ?? '';
  if (/^(?:kustomization\.ya?ml|Kustomization)$/.test(base)) return undefined;
  if (String(item['apiVersion']).startsWith('kustomize.config.k8s.io')) return undefined;
  if (item['kind'] === 'Kustomization' && item['apiVersion'] === undefined) return undefined;
  if (typeof item['apiVersion'] !== 'string' || item['apiVersion'] === '') return 'apiVersion';
  if (typeof item['kind'] !== 'string' || item['kind'] === '') return 'kind';
  const metadata = item['metadata'];
  const name = isMap(metadata) ? metadata['name'] : undefined;
  return name === undefined || name === null || name === '' ? 'metadata.name' : undefined;
}

function notKrm(document: SourceDocument, field: string): Problem {
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

function checkConfigPaths(
  pipeline: Pipeline,
  dir: string,
  documents: readonly SourceDocument[],
): PipelineProblem | undefined {
  for (const list of ['mutators', 'validators'] as const) {
    for (const [at, spec] of pipeline[list].entries()) {
      if (spec.configPath === undefined) continue;
      const reason = configPathProblem(spec.configPath, dir, documents);
      if (reason === undefined) continue;
      return {
        code: 'CONFIG_PATH_INVALID',
        path: ['pipeline', list, at, 'configPath'],
        message: `functionConfig "${spec.configPath}" ${reason}`,
        hint: 'Name one resource file of this package.',
      };
    }
  }
  return undefined;
}

function configPathProblem(
  path: string,
  dir: string,
  documents: readonly SourceDocument[],
): string | undefined {
  if (path.startsWith('/')) return 'must be a relative path';
  const clean = cleanPath(path);
  if (clean.split('/').includes('..')) return 'must not leave the package';
  const file = dir === '.' ? clean : `${dir}/${clean}`;
  const found = documents.filter((document) => document.file === file).length;
  if (found === 0) return 'must exist in the current package';
  return found > 1 ? `must not contain more than one config, got ${found}` : undefined;
}

/** Path without `.` segments and doubled slashes. */
export function cleanPath(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/');
}
