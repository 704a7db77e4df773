/** Target profiles: what the clusters of one kind serve beside the APIs that every cluster has. */
import { targetDocument } from '../config/target-document.ts';
import { PorticoError, type Refusal } from '../error.ts';
import { decodeText } from '../package/render/read-resources.ts';
import type { Tree } from '../package/tree-digest.ts';
import { readYaml } from '../package/yaml/edit.ts';
import { refuse } from './processor-step.ts';

/** Where a repository keeps them, one file for each. */
const TARGETS_DIRECTORY = '.github/portico/targets';

export interface TargetProfile {
  readonly name: string;
  readonly kubeVersion?: string;
  /** `group/version` for all kinds of it, or `group/version/Kind`. */
  readonly apis: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

export interface TargetProblem {
  readonly file: string;
  readonly message: string;
}

/** The profiles of a repository, by name, from its files (or those of {@link TARGETS_DIRECTORY} alone). */
export function readTargets(files: Tree): {
  readonly targets: readonly TargetProfile[];
  readonly problems: readonly TargetProblem[];
} {
  const targets = new Map<string, TargetProfile>();
  const problems: TargetProblem[] = [];
  for (const [file, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!file.startsWith(`${TARGETS_DIRECTORY}/`) || !/\.ya?ml$/.test(file)) continue;
    const read = readTarget(file, bytes);
    if ('message' in read) problems.push({ file, message: read.message });
    else if (targets.has(read.name)) {
      problems.push({ file, message: `there are two targets with the name ${read.name}` });
    } else targets.set(read.name, read);
  }
  return { targets: [...targets.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

function readTarget(file: string, bytes: Uint8Array): TargetProfile | { readonly message: string } {
  let values: readonly unknown[];
  try {
    values = readYaml(decodeText(file, bytes));
  } catch (error) {
    if (error instanceof PorticoError) return { message: error.message };
    throw error;
  }
  if (values.length !== 1) return { message: `the file has ${values.length} documents; a target is one` };
  const read = targetDocument.safeParse(values[0]);
  if (!read.success) {
    const [issue] = read.error.issues;
    const place = issue?.path.length === 0 ? '' : `${issue?.path.join('.')}: `;
    return { message: `${place}${issue?.message ?? 'invalid'}` };
  }
  const { metadata, spec } = read.data;
  const { kubeVersion, apis, labels } = spec;
  return { name: metadata.name, ...(kubeVersion !== undefined && { kubeVersion }), apis, labels };
}

/** The profile that a processor names; refused where the repository has none of that name, undefined where it names none. */
export function listedTarget(
  name: string | undefined,
  targets: readonly TargetProfile[],
): { readonly profile: TargetProfile } | { readonly refused: Refusal } | undefined {
  if (name === undefined) return undefined;
  const profile = targets.find((target) => target.name === name);
  if (profile !== undefined) return { profile };
  const known =
    targets.length === 0 ? 'there are none' : `there are ${targets.map(({ name }) => name).join(', ')}`;
  return refuse(
    'TARGET_UNKNOWN',
    `there is no target ${name}: ${known}`,
    `Add ${TARGETS_DIRECTORY}/${name}.yaml, or fix the name.`,
  );
}
