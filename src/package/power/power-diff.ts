/** What a change of a package lets it do that it could not before, and the other way round. */
import { sameFile, type Link, type PackageFiles } from '../package.ts';
import type { DeployTool } from '../tool-files/deploy-tools.ts';
import { unjudgedLinks } from '../tool-files/links.ts';
import { toolFindings } from '../tool-files/tool-files.ts';
import { clusterPowers } from './cluster-power.ts';
import { grantsOf, MAX_GRANTS, newGrants, powersOfGrants, unseenGrants } from './grants.ts';
import { readBothSides, type PowerResource } from './power-resources.ts';
import type { Power, PowerChange, PowerDiff } from './power-types.ts';
import { workloadPowers } from './workload-power.ts';

export interface PowerSettings {
  /** The tools that apply the package; absent: any. What they build of new or changed files is unknown. */
  readonly deploy?: readonly DeployTool[];
  /** Symbolic links and submodules of both states. What a new or changed one leads to is unknown. */
  readonly links?: { readonly before: readonly Link[]; readonly after: readonly Link[] };
}

/**
 * Compares two states of a package by what they may do once applied: RBAC per subject (what a wildcard covered before
 * is not new), privileges of pods, admission webhooks, served APIs, identities in clouds. Never throws.
 *
 * @param a the older package
 * @param b the newer package
 */
export function diffPower(
  a: PackageFiles,
  b: PackageFiles,
  { deploy, links = { before: [], after: [] } }: PowerSettings = {},
): PowerDiff {
  const { before, after, unread } = readBothSides(a, b);
  const built = toolFindings(b, deploy)
    .filter(({ inputs }) => !inputs.every((path) => sameFile(a.get(path), b.get(path))))
    .map(({ path }) => path);
  const linked = unjudgedLinks({ files: a, links: links.before }, { files: b, links: links.after })
    .filter(({ isChanged }) => isChanged)
    .map(({ path }) => path);
  const changes = [...grantChanges(before, after), ...powerChanges(before, after)].sort(byWeight);
  return {
    grown: changes.some(({ direction }) => direction === 'wider'),
    changes,
    unread: [...new Set([...unread, ...built, ...linked])].sort(),
  };
}

function grantChanges(before: readonly PowerResource[], after: readonly PowerResource[]): PowerChange[] {
  const [old, now] = [grantsOf(before), grantsOf(after)];
  const [first] = now;
  if (Math.max(old.length, now.length) >= MAX_GRANTS && first !== undefined) {
    const { file, line, column } = first;
    const what = `more than ${MAX_GRANTS} single rights, which are not compared`;
    const danger = 'it cannot be reviewed';
    return [{ direction: 'wider', kind: 'rbac', who: first.subject, what, danger, file, line, column }];
  }
  return [
    ...powersOfGrants(newGrants(old, now)).map((power) => changeOf('wider', power)),
    ...powersOfGrants(newGrants(now, old)).map((power) => changeOf('narrower', power)),
  ];
}

function powerChanges(before: readonly PowerResource[], after: readonly PowerResource[]): PowerChange[] {
  const [old, now] = [powersOf(before), powersOf(after)];
  const present = new Set(after.map(identity));
  const existed = new Set(before.map(identity));
  const changes: PowerChange[] = [];
  for (const [id, { power }] of now) {
    if (old.has(id)) continue;
    // A new resource with protections is no narrower than none at all.
    if (power.protects !== true) changes.push(changeOf('wider', power));
    else if (existed.has(now.get(id)?.resource ?? '')) changes.push(changeOf('narrower', power));
  }
  for (const [id, { power, resource }] of old) {
    if (now.has(id)) continue;
    if (power.protects !== true) changes.push(changeOf('narrower', power));
    // What is gone altogether needs no protection, unless it protected others.
    else if (present.has(resource) || power.kind === 'isolation') changes.push(lost(power));
  }
  return changes;
}

function powersOf(
  resources: readonly PowerResource[],
): Map<string, { readonly power: Power; readonly resource: string }> {
  const own = resources.flatMap((resource) =>
    [...workloadPowers(resource), ...clusterPowers(resource)].map((power) => ({
      power,
      resource: identity(resource),
    })),
  );
  const unseen = unseenGrants(resources).map((power) => ({ power, resource: '' }));
  return new Map([...own, ...unseen].map((entry) => [entry.power.id, entry]));
}

function identity({ group, kind, namespace, name }: PowerResource): string {
  return JSON.stringify([group, kind, namespace, name]);
}

function lost(power: Power): PowerChange {
  return { ...changeOf('wider', power), what: `no longer: ${power.what}` };
}

function changeOf(direction: PowerChange['direction'], power: Power): PowerChange {
  const { kind, who, what, danger, file, line, column } = power;
  return { direction, kind, who, what, ...(danger !== undefined && { danger }), file, line, column };
}

function weight({ direction, danger }: PowerChange): number {
  return (direction === 'wider' ? 0 : 2) + (danger === undefined ? 1 : 0);
}

/** Wider before narrower, dangerous before ordinary, then as they stand in the files. */
function byWeight(x: PowerChange, y: PowerChange): number {
  if (weight(x) !== weight(y)) return weight(x) - weight(y);
  if (x.file !== y.file) return x.file < y.file ? -1 : 1;
  return x.line - y.line || (x.what < y.what ? -1 : x.what > y.what ? 1 : 0);
}
