/** Package files → packages and their resources, as `kpt fn render` reads them. */

import type { PackageFiles } from '../package.ts';
import { textAt } from '../plain-values.ts';
import { locateIn } from '../yaml/edit.ts';
import type { ConfigRef } from './function-runtime.ts';
import type { RenderMemory } from './memory.ts';
import {
  byPath,
  cleanPath,
  notResource,
  ownersIn,
  packageDirs,
  problemOf,
  readSources,
} from './package-sources.ts';
import type { Problem } from './package-sources.ts';
import type { Pipeline, PipelineProblem } from './pipeline.ts';
import { readPipeline } from './pipeline.ts';
import type { SourceDocument, SourceFile } from './read-resources.ts';
import { MAX_FUNCTIONS } from './work-budget.ts';

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

/** Reads the package and its subpackages, or says why it cannot be rendered. */
export function loadPackage(files: PackageFiles, memory?: RenderMemory): LoadedTree | Problem {
  const dirs = packageDirs(files);
  if (!dirs.includes('.')) {
    return {
      code: 'NOT_A_PACKAGE',
      message: 'There is no Kptfile in the directory.',
      hint: 'Point to a directory with a Kptfile, or make one with `portico init DIR`.',
    };
  }
  try {
    const sources = readSources(files, dirs, memory);
    const known = new Set(dirs);
    const owner = ownersIn(known);
    const byOwner = Map.groupBy(sources.values(), (source) => owner(source.path));
    const below = Map.groupBy(
      dirs.filter((dir) => dir !== '.'),
      owner,
    );
    let functions = 0;
    const packages = new Map<string, LoadedPackage>();
    // Deepest first, so that a package finds its subpackages made.
    for (const dir of dirs.toSorted((a, b) => depth(b) - depth(a) || byPath(a, b))) {
      const loaded = loadOne({ dir, below: below.get(dir) ?? [], sources, byOwner, packages });
      if ('code' in loaded) return loaded;
      functions += loaded.pipeline.mutators.length + loaded.pipeline.validators.length;
      if (functions > MAX_FUNCTIONS) return tooMany(loaded.kptfile.file);
      packages.set(dir, loaded);
    }
    const root = packages.get('.');
    if (root === undefined) throw new Error('the root package was not loaded');
    return { root, sources };
  } catch (error) {
    return problemOf(error);
  }
}

function loadOne({
  dir,
  below,
  sources,
  byOwner,
  packages,
}: {
  readonly dir: string;
  readonly below: readonly string[];
  readonly sources: ReadonlyMap<string, SourceFile>;
  readonly byOwner: ReadonlyMap<string, readonly SourceFile[]>;
  readonly packages: ReadonlyMap<string, LoadedPackage>;
}): LoadedPackage | Problem {
  const documents = (byOwner.get(dir) ?? []).flatMap((source) => source.documents);
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
  if ('code' in pipeline) return placed(pipeline, source);
  // Before each of them is looked at: configurations are looked up among all documents.
  if (pipeline.mutators.length + pipeline.validators.length > MAX_FUNCTIONS) return tooMany(file);
  for (const document of documents) {
    const problem = notResource(document);
    if (problem !== undefined) return problem;
  }
  const unusable = checkConfigPaths(pipeline, dir, documents);
  if (unusable !== undefined) return placed(unusable, source);
  const subpackages = below.flatMap((other) => packages.get(other) ?? []);
  return { dir, kptfile, pipeline, documents, subpackages };
}

function tooMany(file: string): Problem {
  return {
    code: 'TOO_MANY_FUNCTIONS',
    message: `${file}: the package and its subpackages run more than ${MAX_FUNCTIONS} functions.`,
    hint: 'Combine them into fewer functions, or split the package.',
    file,
    line: 1,
  };
}

function placed(problem: PipelineProblem, source: SourceFile): Problem {
  const file = source.path;
  const line = locateIn(source.yaml, 0, problem.path, { nearest: true })?.line ?? 1;
  return { code: problem.code, message: `${file}: ${problem.message}`, hint: problem.hint, file, line };
}

function checkConfigPaths(
  pipeline: Pipeline,
  dir: string,
  documents: readonly SourceDocument[],
): PipelineProblem | undefined {
  for (const list of ['mutators', 'validators'] as const) {
    for (const [at, spec] of pipeline[list].entries()) {
      if (spec.configRef !== undefined) {
        const count = documents.filter((document) => isReferenced(document, spec.configRef)).length;
        if (count === 1) continue;
        const { kind, name } = spec.configRef;
        return {
          code: 'CONFIG_PATH_INVALID',
          path: ['pipeline', list, at, 'configRef'],
          message: `functionConfig ${kind} ${name} must be one resource of the current package, got ${count}`,
          hint: 'Name one resource of this package; apiVersion and namespace tell several apart.',
        };
      }
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

/** True for a resource that a function names as its configuration. */
export function isReferenced({ value }: SourceDocument, ref: ConfigRef | undefined): boolean {
  const own: ConfigRef = {
    apiVersion: textAt(value, 'apiVersion'),
    kind: textAt(value, 'kind'),
    name: textAt(value, 'metadata', 'name'),
    namespace: textAt(value, 'metadata', 'namespace'),
  };
  const fields = ['apiVersion', 'kind', 'name', 'namespace'] as const;
  return ref !== undefined && fields.every((field) => ref[field] === undefined || ref[field] === own[field]);
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

function depth(dir: string): number {
  return dir === '.' ? 0 : dir.split('/').length;
}
