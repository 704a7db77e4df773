/** The processor `kustomize`: an overlay of the package → the objects that kustomize builds of it, without the network. */

import type { Fields } from '../bundle/manifest.ts';
import type { Refusal } from '../error.ts';
import { isMap } from '../fbc/go-fields.ts';
import { readApplied } from '../package/applied/read-applied.ts';
import { KUSTOMIZATION_NAMES } from '../package/tool-files/kustomization.ts';
import type { Tree } from '../package/tree-digest.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { shorten } from '../text/cut-text.ts';
import { readsOf, type ProcessorOf } from './processor-spec.ts';
import { refuse, type Produced } from './processor-step.ts';
import { objectsOf, objectTree } from './rendered-objects.ts';
import { runTool, stage, toolFor, type ToolOptions } from './run-tool.ts';
import { filesAt } from './subtree.ts';

type KustomizeProcessor = ProcessorOf<'kustomize'>;

/** An overlay under a name that no tool of a cluster builds from. */
const INPUT = /((?:^|\/)(?:kustomization\.ya?ml|Kustomization))\.in$/;
/** Fields that list files and directories, and may list places outside of the package. Go folds their case. */
const LISTS = [
  'resources',
  'bases',
  'components',
  'crds',
  'configurations',
  'generators',
  'transformers',
  'validators',
  'patchesstrategicmerge',
];
/** Fields whose entries name one in `path`. */
const WITH_PATH = ['patches', 'patchesjson6902', 'replacements', 'openapi'];
/** Fields whose entries take in files: `files` and `envs`, each as a path or as `key=path`. */
const WITH_FILES = ['configmapgenerator', 'secretgenerator'];
/** Fields by which kustomize would start programs, as they are written. */
const PROGRAMS = ['helmCharts', 'helmChartInflationGenerator'];

/** Builds a kustomization. What it names has to be in the package: nothing is fetched. */
export async function runKustomize(
  tree: Tree,
  processor: KustomizeProcessor,
  options: ToolOptions,
): Promise<Produced> {
  const { directory } = processor;
  const inside = new Map(
    readsOf(processor).flatMap((path) =>
      [...filesAt(tree, path)].map(([file, bytes]) => [file.replace(INPUT, '$1'), bytes] as const),
    ),
  );
  if (!KUSTOMIZATION_NAMES.some((name) => inside.has(`${directory}/${name}`))) {
    return refuse(
      'KUSTOMIZATION_MISSING',
      `${directory} has no kustomization.yaml`,
      'Name the directory of the overlay.',
    );
  }
  const outside = problemIn(inside);
  if (outside !== undefined) return { refused: outside };
  const found = await toolFor('kustomize', processor.tool, options);
  if ('refused' in found) return found;
  const { tool } = found;
  const made = await stage(new Map([...inside].map(([path, bytes]) => [`package/${path}`, bytes])), options);
  if ('refused' in made) return made;
  await using staged = made.staged;
  const verb = tool.file.endsWith('/kubectl') ? 'kustomize' : 'build';
  const ran = await runTool(tool, [verb, `package/${directory}`], staged, options);
  if ('refused' in ran) return ran;
  const stderr = staged.clean(ran.stderr).trim();
  if (ran.exitCode !== 0) {
    const message = `kustomize could not build ${directory}: ${shorten(stderr.replace(/^[Ee]rror: /, ''), 2_000)}`;
    return refuse(
      'KUSTOMIZE_FAILED',
      message,
      'Fix the kustomization; list what it reads outside its directory under `with`.',
    );
  }
  const objects = objectsOf(ran.stdout, directory);
  if ('refused' in objects) return objects;
  if (objects.objects.length === 0) {
    return refuse('PROCESSOR_EMPTY', `${directory} builds no resources`, 'Fix the kustomization.');
  }
  const files = objectTree(objects.objects);
  if ('refused' in files) return files;
  const notes = [ran.unconfined ?? [], stderr === '' ? [] : `kustomize says: ${shorten(stderr, 500)}`].flat();
  return { files: files.files, tool: `kustomize@${tool.digest}`, notes };
}

/** The first thing in a kustomization that would need the network, or a program. */
function problemIn(files: Tree): Refusal | undefined {
  for (const [path, bytes] of files) {
    if (!KUSTOMIZATION_NAMES.includes(path.slice(path.lastIndexOf('/') + 1))) continue;
    const read = readApplied(bytes, path);
    if ('refused' in read) {
      const [{ line, what, hint } = { line: 1, what: 'cannot be read', hint: 'Fix the file.' }] =
        read.refused;
      return { code: 'KUSTOMIZATION_INVALID', message: `${path}:${line}: ${what}`, hint };
    }
    const [value] = read.objects as readonly YamlValue[];
    if (value === undefined || !isMap(value)) continue;
    const fields = folded(value);
    const program = PROGRAMS.find((field) => fields[field.toLowerCase()] !== undefined);
    if (program !== undefined) {
      const message = `${path}: ${program} would let kustomize start Helm`;
      return {
        code: 'KUSTOMIZE_PROGRAM',
        message,
        hint: 'Render the chart with a processor `helm` before this one.',
      };
    }
    const remote = placesIn(fields).find(isRemote);
    if (remote !== undefined) {
      const message = `${path}: ${remote} is not in the package, and nothing is fetched during the build`;
      return {
        code: 'KUSTOMIZE_REMOTE',
        message,
        hint: 'Declare it as a source, and refer to its directory here.',
      };
    }
  }
  return undefined;
}

function folded(value: Fields): Fields {
  return Object.fromEntries(Object.entries(value).map(([field, held]) => [field.toLowerCase(), held]));
}

/** All files and directories that a kustomization names. Texts of several lines are content, not names. */
function placesIn(fields: Fields): readonly string[] {
  const entries = (names: readonly string[]): readonly Fields[] =>
    names.flatMap((name) => [fields[name] ?? null].flat().filter(isMap).map(folded));
  const named = [
    ...LISTS.flatMap((field) => [fields[field] ?? null].flat()),
    ...entries(WITH_PATH).map((entry) => entry['path']),
    ...entries(WITH_FILES).flatMap((entry) =>
      ['files', 'envs', 'env'].flatMap((field) => [entry[field] ?? null].flat()).map(behindKey),
    ),
  ];
  return named.filter((place) => typeof place === 'string').filter((place) => !place.includes('\n'));
}

function behindKey(place: YamlValue): YamlValue {
  return typeof place === 'string' ? place.slice(place.indexOf('=') + 1) : place;
}

/** As kustomize tells addresses from paths: a scheme, the short form of git over ssh, a known host, a ref. */
function isRemote(place: string): boolean {
  return (
    /^[a-z][a-z0-9+.-]*:/i.test(place) ||
    /^[\w.-]+@[\w.-]+[:/]/.test(place) ||
    /^(?:github\.com|gitlab\.com|bitbucket\.org)[/:]/i.test(place) ||
    /\.git(?:\/|\?|$)|\?ref=|_git\//.test(place)
  );
}
