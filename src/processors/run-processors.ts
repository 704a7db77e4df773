/**
 * Processors in order: each is a step from one tree of files to the next that depends on nothing but that tree, what the
 * package says of it, and its tool. A reviewer sees which step changed what.
 */
import type { ForeignFunctions, FunctionRuntime } from '../package/render/function-runtime.ts';
import { treeDigest, type Tree } from '../package/tree-digest.ts';
import { digestOf } from '../revision/digest.ts';
import { runHelm } from './helm/helm.ts';
import { runKrmFunction } from './krm-function.ts';
import { runKustomize } from './kustomize.ts';
import { runPlain, runRegistryV1, runTargets } from './our-own.ts';
import { readsOf, type Processor } from './processor-spec.ts';
import type { ChangedFile, Processed, ProcessorStep, Produced } from './processor-step.ts';
import type { ToolOptions } from './run-tool.ts';
import { filesAt, withDirectory } from './subtree.ts';
import type { TargetProfile } from './target-profile.ts';

export interface ProcessorOptions extends ToolOptions {
  /** Runs functions; `createRuntime` of src/function gives one. */
  readonly runtime: FunctionRuntime;
  /** What the repository allows beside the built-in functions, read from its base branch. */
  readonly foreign?: ForeignFunctions;
  readonly targets?: readonly TargetProfile[];
}

/** Runs all of them, or up to the first that is refused. Throws the signal's reason when it is aborted. */
export async function runProcessors(
  tree: Tree,
  processors: readonly Processor[],
  options: ProcessorOptions,
): Promise<Processed> {
  const steps: ProcessorStep[] = [];
  let now = tree;
  for (const [at, processor] of processors.entries()) {
    options.signal?.throwIfAborted();
    const produced = await produce(now, processor, options);
    if ('refused' in produced) {
      const place = `processors[${at}].${processor.kind}`;
      return { refused: { ...produced.refused, processor: place }, steps };
    }
    const { files, tool, version, notes } = produced;
    const next = withDirectory(now, processor.out, files);
    steps.push({
      processor: processor.kind,
      out: processor.out,
      tool,
      ...(version !== undefined && { version }),
      inputDigest: inputDigest(now, processor, options.targets ?? []),
      outputDigest: treeDigest(files),
      changed: changedFiles(filesAt(now, processor.out), filesAt(next, processor.out)),
      notes,
    });
    now = next;
  }
  return { tree: now, steps };
}

function produce(tree: Tree, processor: Processor, options: ProcessorOptions): Promise<Produced> | Produced {
  const targets = options.targets ?? [];
  switch (processor.kind) {
    case 'plain':
      return runPlain(tree, processor);
    case 'registryV1':
      return runRegistryV1(tree, processor);
    case 'targets':
      return runTargets(tree, processor, targets);
    case 'helm':
      return runHelm(tree, processor, targets, options);
    case 'kustomize':
      return runKustomize(tree, processor, options);
    case 'function': {
      const { runtime, foreign = { allowed: [] }, signal } = options;
      return runKrmFunction({ tree, processor, runtime, foreign, signal });
    }
  }
}

/** Everything that the outcome depends on, but for the tool. */
function inputDigest(tree: Tree, processor: Processor, targets: readonly TargetProfile[]): string {
  const read = new Map(readsOf(processor).flatMap((path) => [...filesAt(tree, path)]));
  const needsTargets =
    processor.kind === 'targets' || (processor.kind === 'helm' && processor.target !== undefined);
  return digestOf('portico processor 1', {
    processor: JSON.parse(JSON.stringify(processor, plainNumber)) as unknown,
    files: treeDigest(read),
    ...(needsTargets && { targets }),
  });
}

/** Large integers of YAML have no JSON form. */
function plainNumber(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}` : value;
}

function changedFiles(before: Tree, after: Tree): readonly ChangedFile[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.flatMap((path): readonly ChangedFile[] => {
    const [was, is] = [before.get(path), after.get(path)];
    if (was === undefined) return [{ path, change: 'added' }];
    if (is === undefined) return [{ path, change: 'removed' }];
    return Buffer.compare(was, is) === 0 ? [] : [{ path, change: 'changed' }];
  });
}
