/**
 * The readiness gates of a package, computed. What stands in `status.conditions` can be written by anybody who edits
 * the Kptfile, so a condition counts only where something makes it true: the pipeline, started from a Kptfile without
 * conditions, or, for injections, the resources themselves.
 */
import { PorticoError } from '../error.ts';
import type { Kptfile } from './kptfile-types.ts';
import { readKptfile } from './kptfile.ts';
import type { PackageFiles } from './package.ts';
import { injectionPoints, INJECTED_ANNOTATION, asMap } from './variant/injection-points.ts';
import { editYaml } from './yaml/edit.ts';

export interface GateResult {
  /** The condition's type. */
  readonly type: string;
  readonly ready: boolean;
  /** Why it is not; '' where it is. */
  readonly message: string;
}

/** The condition types that the package's Kptfile asks for, each once. */
export function gatesOf(files: PackageFiles): readonly string[] {
  const kptfile = kptfileIn(files);
  return [...new Set(kptfile?.info.readinessGates.map(({ conditionType }) => conditionType))];
}

/** The package as rendering starts from it to compute the gates: no condition is true yet. */
export function withoutConditions(files: PackageFiles): PackageFiles {
  const kptfile = files.get('Kptfile');
  if (kptfile === undefined || (kptfileIn(files)?.conditions ?? []).length === 0) return files;
  const before = new TextDecoder('utf-8', { ignoreBOM: true }).decode(kptfile.bytes);
  const after = editYaml(before, [{ op: 'delete', document: 0, path: ['status', 'conditions'] }]);
  return new Map([...files, ['Kptfile', { ...kptfile, bytes: new TextEncoder().encode(after) }]]);
}

/** Judges the gates on what rendering made of `withoutConditions`. */
export function judgeGates(gates: readonly string[], rendered: PackageFiles): GateResult[] {
  const conditions = new Map(kptfileIn(rendered)?.conditions.map((one) => [one.type, one]));
  return gates.map((type): GateResult => {
    if (type.startsWith('config.injection.')) return injected(type, rendered);
    const found = conditions.get(type);
    if (found?.status === 'True') return { type, ready: true, message: '' };
    const message =
      found === undefined
        ? 'No function of the pipeline sets this condition; conditions written by hand do not count.'
        : `The pipeline says ${found.status}${found.message === undefined ? '' : `: ${found.message}`}`;
    return { type, ready: false, message };
  });
}

function injected(type: string, files: PackageFiles): GateResult {
  const found = injectionPoints(files);
  if (!found.ok) return { type, ready: false, message: found.message };
  const point = found.points.find(({ conditionType }) => conditionType === type);
  if (point === undefined) return { type, ready: false, message: 'No resource asks for this injection.' };
  const from = asMap(asMap(point.value['metadata'])?.['annotations'])?.[INJECTED_ANNOTATION];
  if (typeof from === 'string' && from !== '') return { type, ready: true, message: '' };
  return { type, ready: false, message: `Nothing is injected into ${point.file} yet.` };
}

function kptfileIn(files: PackageFiles): Kptfile | undefined {
  const file = files.get('Kptfile');
  if (file === undefined) return undefined;
  try {
    return readKptfile(file.bytes).kptfile;
  } catch (error) {
    // The check of the Kptfile says what is wrong with it.
    if (error instanceof PorticoError) return undefined;
    throw error;
  }
}
