/** Rendered files that the tools of a cluster read otherwise than the guardrails: what a check says of them would be wrong. */
import { differencesIn } from '../applied/differences.ts';
import type { PackageFiles } from '../package.ts';
import { reread } from './edit-documents.ts';
import type { ResultItem } from './function-runtime.ts';
import { runOf } from './hydrate.ts';
import type { SourceFile } from './read-resources.ts';
import type { FunctionRun } from './render-types.ts';

/** More say nothing new. */
const MAX_RESULTS = 100;

/** The run that reports them; undefined where all tools read all files alike. `sources` are the files before the render. */
export function misreadRun(
  files: PackageFiles,
  sources: ReadonlyMap<string, SourceFile>,
  changed: readonly string[],
  textOf: (path: string) => string | undefined,
): FunctionRun | undefined {
  const after = new Set(changed);
  const kept = [...sources.values()].filter(({ path }) => !after.has(path) && files.has(path));
  // A function may return what no spelling makes alike: directives of patches, merge keys, long integers.
  const written = changed.flatMap((path) => {
    const text = textOf(path);
    return text === undefined ? [] : (reread(path, text) ?? []);
  });
  const results = [...kept, ...written].flatMap((source) => resultsOf(source)).slice(0, MAX_RESULTS);
  return results.length === 0
    ? undefined
    : runOf('.', { name: 'readable files' }, 'validator', { exitCode: 1, results });
}

function resultsOf({ path, yaml }: SourceFile): ResultItem[] {
  return differencesIn(yaml).map(({ line, what, hint }) => ({
    message: `${path}:${line}: guardrails cannot judge the file, because ${what}. ${hint}`,
    severity: 'error',
    file: { path },
    place: { path, index: 0, line },
  }));
}
