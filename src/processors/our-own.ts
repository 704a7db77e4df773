/** The processors that need no program: `plain`, `registryV1` and `targets`. */
import { convertRegistry } from '../bundle/convert-registry.ts';
import { readRegistryBundle } from '../bundle/registry-bundle.ts';
import { filesBelow } from '../package/package.ts';
import type { Tree } from '../package/tree-digest.ts';
import type { ProcessorOf } from './processor-spec.ts';
import { refuse, type Produced } from './processor-step.ts';
import { objectOf, objectsOf, objectTree, type Objects, type RenderedObject } from './rendered-objects.ts';
import { leftOutNotes, requirementProblems, selectForTargets } from './requires.ts';
import { asPackage } from './subtree.ts';
import { listedTarget, type TargetProfile } from './target-profile.ts';

/** Raised whenever one of them gives other bytes for the same input, which test/processors holds to golden digests. */
const VERSION = 'v1';
const REGISTRY_VERSION = 'v3';

/** Every manifest of a directory as it is, one file for each object. */
export function runPlain(tree: Tree, { directory }: ProcessorOf<'plain'>): Produced {
  const read = objectsBelow(tree, directory);
  if ('refused' in read) return read;
  if (read.objects.length === 0) return nothingIn(directory);
  const made = objectTree(read.objects);
  return 'refused' in made ? made : { files: made.files, tool: `plain@${VERSION}`, notes: [] };
}

/** An operator's bundle as operator-controller would apply it. */
export function runRegistryV1(tree: Tree, processor: ProcessorOf<'registryV1'>): Produced {
  const { bundle, installNamespace, targetNamespaces, certificateProvider, deploymentConfig } = processor;
  const read = readRegistryBundle(asPackage(filesBelow(tree, bundle)));
  const converted =
    'problems' in read
      ? { refused: read.problems.map(({ message }) => message) }
      : convertRegistry(read.value, {
          ...(installNamespace !== undefined && { installNamespace }),
          ...(targetNamespaces !== undefined && { targetNamespaces }),
          ...(certificateProvider !== undefined && { certificateProvider }),
          ...(deploymentConfig !== undefined && { deploymentConfig }),
        });
  if ('refused' in converted) {
    const hint = `Fix the reported problem; \`portico bundle validate ${bundle}\` shows details.`;
    return refuse('BUNDLE_REFUSED', `${bundle}: ${converted.refused.join('; ')}`, hint);
  }
  const made = objectTree(converted.objects.map((object) => objectOf(object)));
  if ('refused' in made) return made;
  return { files: made.files, tool: `registryV1@${REGISTRY_VERSION}`, notes: converted.notes };
}

/** A directory's resources once for each target, without those that require what the target has not. */
export function runTargets(
  tree: Tree,
  { directory, only }: ProcessorOf<'targets'>,
  targets: readonly TargetProfile[],
): Produced {
  const read = objectsBelow(tree, directory);
  if ('refused' in read) return read;
  if (read.objects.length === 0) return nothingIn(directory);
  const chosen: TargetProfile[] = [];
  for (const name of only ?? targets.map((target) => target.name)) {
    const found = listedTarget(name, targets);
    if (found === undefined) continue;
    if ('refused' in found) return found;
    chosen.push(found.profile);
  }
  if (chosen.length === 0) {
    return refuse(
      'TARGET_UNKNOWN',
      'there are no targets',
      'Add a document of kind Target for each (docs/processors.md).',
    );
  }
  const [problem] = requirementProblems(read.objects);
  if (problem !== undefined) return refuse('REQUIRES_INVALID', problem, 'Fix the annotation.');
  const selection = selectForTargets(read.objects, chosen);
  const files = new Map<string, Uint8Array>();
  for (const { target, objects } of selection.targets) {
    const made = objectTree(objects);
    if ('refused' in made) return made;
    for (const [path, bytes] of made.files) files.set(`${target}/${path}`, bytes);
  }
  return { files, tool: `targets@${VERSION}`, notes: leftOutNotes(selection) };
}

function objectsBelow(tree: Tree, directory: string): Objects {
  const objects: RenderedObject[] = [];
  const files = [...filesBelow(tree, directory)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [path, bytes] of files) {
    if (!/\.(?:ya?ml|json)$/.test(path)) continue;
    const place = `${directory}/${path}`;
    let text: string;
    try {
      text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return refuse('PROCESSOR_NO_YAML', `${place}: not UTF-8 text`, 'Save the file as UTF-8.');
    }
    const read = objectsOf(text, place);
    if ('refused' in read) return read;
    objects.push(...read.objects);
  }
  return { objects };
}

function nothingIn(directory: string): Produced {
  return refuse(
    'PROCESSOR_EMPTY',
    `${directory} holds no resources`,
    'Name the directory with the manifests.',
  );
}
