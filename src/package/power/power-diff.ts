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

/** A document, with the powers that it has by itself. */
interface Holder {
  readonly resource: PowerResource;
  readonly powers: ReadonlyMap<string, Power>;
  /** Its file, and its number there among those of the same identity. */
  readonly place: string;
}

/**
 * Each document counts by itself: another one of the same identity, which a tool may skip or another cluster gets, neither
 * has its new powers for it nor keeps its lost protections.
 */
function powerChanges(before: readonly PowerResource[], after: readonly PowerResource[]): PowerChange[] {
  const [old, now] = [holdersOf(before), holdersOf(after)];
  const names = new Set([...old.keys(), ...now.keys()]);
  return [
    ...[...names].flatMap((name) => changesOf(old.get(name) ?? [], now.get(name) ?? [])),
    ...unseenChanges(unseenGrants(before), unseenGrants(after)),
  ];
}

function changesOf(before: readonly Holder[], after: readonly Holder[]): PowerChange[] {
  const changes = new Map<string, PowerChange>();
  for (const holder of after) {
    for (const [id, power] of holder.powers) {
      if (power.protects === true) {
        const isNew = before.length > 0 && !before.some((one) => one.powers.has(id));
        if (isNew) changes.set(id, changeOf('narrower', power));
      } else if (!hadPower(holder, id, { before, after })) changes.set(id, changeOf('wider', power));
    }
  }
  for (const { powers } of before) {
    for (const [id, power] of powers) {
      if (power.protects !== true) {
        if (!after.some((one) => one.powers.has(id))) changes.set(id, changeOf('narrower', power));
      } else if (after.some((one) => lostIt(one, power, before)) || isFewer(power, before, after))
        changes.set(id, lost(power));
    }
  }
  return [...changes.values()];
}

/** The document had it where it stands, or all that may have become it had it: then a move is no news. */
function hadPower(
  { resource, place }: Holder,
  id: string,
  { before, after }: { readonly before: readonly Holder[]; readonly after: readonly Holder[] },
): boolean {
  const isLike = (one: Holder): boolean => one.resource.group === resource.group;
  const may = before.filter((one) => isLike(one) && (one.resource.isSure || !resource.isSure));
  const isHere = may.some((one) => one.place === place && one.powers.has(id));
  const isMoved = may.length >= after.filter(isLike).length && may.every((one) => one.powers.has(id));
  return isHere || (may.length > 0 && isMoved);
}

/** A document without a protection that one of its name had, unless it had none before either. */
function lostIt({ resource, place, powers }: Holder, { id }: Power, before: readonly Holder[]): boolean {
  if (powers.has(id)) return false;
  return !before.some(
    (one) => one.place === place && !one.powers.has(id) && (one.resource.isSure || !resource.isSure),
  );
}

/** What is gone altogether needs no protection, unless it protected others. */
function isFewer(power: Power, before: readonly Holder[], after: readonly Holder[]): boolean {
  const having = (holders: readonly Holder[]): number =>
    holders.filter(({ resource, powers }) => resource.isSure && powers.has(power.id)).length;
  return (
    power.kind === 'isolation' &&
    (having(after) < having(before) || !after.some(({ powers }) => powers.has(power.id)))
  );
}

function holdersOf(resources: readonly PowerResource[]): Map<string, Holder[]> {
  const byName = Map.groupBy(resources, ({ kind, namespace, name }) =>
    JSON.stringify([kind, namespace, name]),
  );
  return new Map(
    [...byName].map(([name, group]) => {
      const seen = new Map<string, number>();
      const holders = group.map((resource): Holder => {
        const key = JSON.stringify([resource.group, resource.file, resource.directory]);
        const number = seen.get(key) ?? 0;
        seen.set(key, number + 1);
        const pods = resource.isCarried ? [] : workloadPowers(resource);
        const powers = [...pods, ...clusterPowers(resource)];
        return {
          resource,
          powers: new Map(powers.map((power) => [power.id, power])),
          place: `${key} ${number}`,
        };
      });
      return [name, holders];
    }),
  );
}

function unseenChanges(before: readonly Power[], after: readonly Power[]): PowerChange[] {
  return [
    ...onlyIn(after, before).map((power) => changeOf('wider', power)),
    ...onlyIn(before, after).map((power) => changeOf('narrower', power)),
  ];
}

/** Each once. */
function onlyIn(powers: readonly Power[], others: readonly Power[]): Power[] {
  const known = new Set(others.map(({ id }) => id));
  return [...new Map(powers.map((power) => [power.id, power])).values()].filter(({ id }) => !known.has(id));
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
