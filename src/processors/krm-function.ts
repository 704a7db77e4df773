/** The processor `function`: a KRM function over the resources of a directory. */
import { findAllowed } from '../function/foreign.ts';
import { filesBelow } from '../package/package.ts';
import { evalFunction } from '../package/render/eval.ts';
import type { ForeignFunctions, FunctionRuntime } from '../package/render/function-runtime.ts';
import type { KrmObject } from '../package/render/krm-object.ts';
import { readFileOf, UnreadableFile } from '../package/render/read-resources.ts';
import type { RenderResult } from '../package/render/render-types.ts';
import { asTree } from '../package/tree-digest.ts';
import type { Tree } from '../package/tree-digest.ts';
import { shorten } from '../text/cut-text.ts';
import type { ProcessorOf } from './processor-spec.ts';
import { refuse, type Produced } from './processor-step.ts';
import { asPackage } from './subtree.ts';

/** Runs a function that is built in, or that the repository allows; what fails or is refused there is refused here. */
export async function runKrmFunction({
  tree,
  processor,
  runtime,
  foreign,
  signal,
}: {
  readonly tree: Tree;
  readonly processor: ProcessorOf<'function'>;
  readonly runtime: FunctionRuntime;
  readonly foreign: ForeignFunctions;
  readonly signal: AbortSignal | undefined;
}): Promise<Produced> {
  const { image, directory, configMap, configPath } = processor;
  const inside = filesBelow(tree, directory);
  if (inside.size === 0) {
    return refuse(
      'PROCESSOR_EMPTY',
      `${directory} holds no resources`,
      'Name the directory with the resources.',
    );
  }
  const config = configPath === undefined ? undefined : functionConfig(tree, configPath);
  if (typeof config === 'string') {
    return refuse('FUNCTION_CONFIG', config, 'The file holds one resource, the functionConfig.');
  }
  const allowed = runtime.withForeign?.(foreign) ?? runtime;
  const spec = { image, ...(configMap !== undefined && { configMap }) };
  const result = await evalFunction({
    files: asPackage(inside),
    runtime: allowed,
    spec,
    ...(config !== undefined && { functionConfig: config }),
    ...(signal !== undefined && { signal }),
  });
  if (!result.ok) return failure(image, result);
  const code = findAllowed({ image }, foreign)?.code;
  const tool =
    code === undefined ? image : code.kind === 'wasm' ? `${image}@sha256:${code.sha256}` : code.reference;
  return {
    files: asTree(result.files),
    tool: `function:${tool}`,
    notes: notesOf(image, result),
  };
}

/** What it warns of, each sentence once; what it merely tells is what it is asked to do. */
function notesOf(image: string, { findings }: RenderResult): readonly string[] {
  const warned = findings.filter(({ severity }) => severity !== 'info');
  return [...new Set(warned.map(({ message }) => `${image}: ${message}`))].slice(0, 20);
}

function functionConfig(tree: Tree, path: string): KrmObject | string {
  const bytes = tree.get(path);
  if (bytes === undefined) return `there is no ${path}`;
  try {
    const { documents } = readFileOf(path, bytes);
    const [document] = documents;
    return document === undefined || documents.length > 1
      ? `${path} holds ${documents.length} resources`
      : document.value;
  } catch (error) {
    if (error instanceof UnreadableFile) return error.message;
    throw error;
  }
}

function failure(image: string, { problem, runs, findings }: RenderResult): Produced {
  if (problem !== undefined) return refuse(problem.code, problem.message, problem.hint);
  const run = runs.at(-1);
  if (run?.refused !== undefined) return { refused: run.refused };
  const messages = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  const why = messages.length > 0 ? messages.slice(0, 5).join('; ') : shorten(run?.stderr ?? '', 1_000);
  return refuse(
    'FUNCTION_FAILED',
    `${image} failed: ${why === '' ? 'it gives no reason' : why}`,
    'Fix the reported problem, or the configuration of the function.',
  );
}
