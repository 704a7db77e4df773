/** A package as a proposal has to hold it: rendered, with its readiness gates computed, and rendered once more. */
import type { PackageFiles } from '../package.ts';
import { sameFile } from '../package.ts';
import { gatesOf, judgeGates, withoutConditions, type GateResult } from '../readiness-gates.ts';
import type { RenderInput, RenderResult } from './render-types.ts';
import { renderPackage } from './render.ts';

export interface SettledPackage extends Omit<RenderResult, 'changed'> {
  /** The readiness gates of its Kptfile, computed; absent where it has none. */
  readonly gates?: readonly GateResult[];
  /** Files that another render changes again: then `files` is not to be written. */
  readonly unstable?: readonly string[];
}

/** Renders the package until it is known whether what comes out is what another render gives. */
export async function renderSettled(asked: RenderInput): Promise<SettledPackage> {
  const input = { ...asked, judged: true };
  const { files } = input;
  const { changed: _changed, ...first } = await renderPackage(input);
  const gates = gatesOf(first.files);
  const bare = gates.length === 0 ? files : withoutConditions(files);
  const judged = bare === files ? first : await renderPackage({ ...input, files: bare });
  const outcome = { ...first, ...(gates.length > 0 && { gates: judgeGates(gates, judged.files) }) };
  if (differing(files, first.files).length === 0) return outcome;
  const second = await renderPackage({ ...input, files: first.files });
  const unstable = differing(first.files, second.files);
  return unstable.length === 0 ? outcome : { ...outcome, ok: false, unstable };
}

function differing(before: PackageFiles, after: PackageFiles): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => !sameFile(before.get(path), after.get(path)),
  );
}
