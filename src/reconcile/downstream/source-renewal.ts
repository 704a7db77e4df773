/** Pure: what is newer of the sources of a package, and what their state is called. */
import { digestOf, shortDigest } from '../../revision/digest.ts';
import { compareRevisions, parseRevisionName } from '../../revision/revision-name.ts';
import type { SourcePin, SourceStanding } from '../source-port.ts';

/** A source that goes from one pin to another. */
export interface SourceStep {
  readonly id: string;
  readonly kind: string;
  readonly destination: string;
  /** Absent where nothing was pinned. */
  readonly from?: SourcePin;
  readonly to: SourcePin;
}

export interface SourceRenewal {
  /** Names of the states: the same state has the same name, and another one another. */
  readonly current: string;
  readonly to: string;
  readonly steps: readonly SourceStep[];
  /** Left where they are: their range leads to an older version than the one that is pinned. */
  readonly older: readonly SourceStep[];
  /** Left where they are: the publisher gave a version of the range other content than was pinned. */
  readonly moved: readonly SourceStep[];
  /** The largest step. Where versions do not tell, any size. */
  readonly size: 'patch' | 'minor' | 'all';
}

/** `pins` says where sources lead now; one that is not in it stays. Only where somebody asked for a version they may go back. */
export function renewalOf(
  sources: readonly SourceStanding[],
  pins: ReadonlyMap<string, SourcePin>,
  mayGoBack = false,
): SourceRenewal {
  const steps: SourceStep[] = [];
  const older: SourceStep[] = [];
  const moved: SourceStep[] = [];
  for (const source of sources) {
    const to = pins.get(source.id);
    if (to === undefined || to.resolved === source.pinned?.resolved) continue;
    const { id, kind, destination, pinned } = source;
    const step = { id, kind, destination, ...(pinned !== undefined && { from: pinned }), to };
    const order = source.isRange ? orderOf(pinned, to) : undefined;
    if (order === undefined || order > 0 || (mayGoBack && order < 0)) steps.push(step);
    else if (order === 0) moved.push(step);
    else older.push(step);
  }
  const after = new Map(steps.map(({ id, to }) => [id, to]));
  const nameOf = (pin: (source: SourceStanding) => SourcePin | undefined): string =>
    stateName(sources.map((source) => ({ source, pin: pin(source) })));
  return {
    current: nameOf(({ pinned }) => pinned),
    to: nameOf(({ id, pinned }) => after.get(id) ?? pinned),
    steps,
    older,
    moved,
    size: steps.map(sizeOf).reduce(larger, 'patch'),
  };
}

/** Positive where the second is newer; undefined where versions do not tell. */
function orderOf(from: SourcePin | undefined, to: SourcePin): number | undefined {
  const [a, b] = [from?.version, to.version].map((name) =>
    name === undefined ? undefined : parseRevisionName(name.replaceAll('_', '+')),
  );
  if (a === undefined || b === undefined) return undefined;
  return from?.version === to.version ? 0 : compareRevisions(b, a);
}

function sizeOf({ from, to }: SourceStep): SourceRenewal['size'] {
  const [a, b] = [from?.version, to.version].map((name) =>
    name === undefined ? undefined : parseRevisionName(name.replaceAll('_', '+')),
  );
  if (a?.kind !== 'semver' || b?.kind !== 'semver' || a.major !== b.major || a.name === b.name) return 'all';
  return a.minor === b.minor ? 'patch' : 'minor';
}

const SIZES: readonly SourceRenewal['size'][] = ['patch', 'minor', 'all'];

function larger(a: SourceRenewal['size'], b: SourceRenewal['size']): SourceRenewal['size'] {
  return SIZES.indexOf(a) > SIZES.indexOf(b) ? a : b;
}

/** Longer ones end in how many more there are, and a digest. */
const MAX_NAME_LENGTH = 60;

/** `chart@7.3.0 crds@3f2a1b0c9d8e`: versions where the range allows no other content under them, otherwise digests. */
function stateName(
  entries: readonly { readonly source: SourceStanding; readonly pin: SourcePin | undefined }[],
): string {
  const parts = entries.map(
    ({ source, pin }) => `${source.id}@${pin === undefined ? 'nothing' : shownPin(pin, source.isRange)}`,
  );
  const all = parts.join(' ');
  if (all.length <= MAX_NAME_LENGTH || parts.length < 2) return all;
  const digest = shortDigest(digestOf('portico sources 1', parts));
  return `${parts[0] ?? ''} and ${parts.length - 1} more (${digest})`;
}

/** A version, or the first digits of what it is pinned to. */
export function shownPin({ version, resolved }: SourcePin, byVersion = true): string {
  const digest = (/(?:@|:)([0-9a-f]{40,64})$/.exec(resolved)?.[1] ?? resolved).slice(0, 12);
  if (version === undefined) return digest;
  return byVersion && parseRevisionName(version.replaceAll('_', '+')) !== undefined
    ? version
    : `${version}-${digest}`;
}

/** `chart 7.2.1 → 7.3.0, crds 3f2a1b0c9d8e → 0c9d8e3f2a1b`. */
export function stepsText(steps: readonly SourceStep[]): string {
  const shown = steps.slice(0, 3).map(({ id, from, to }) => {
    const isSame = from?.version === to.version;
    return `${id} ${from === undefined ? '' : `${shownPin(from, !isSame)} → `}${shownPin(to, !isSame)}`;
  });
  return [...shown, ...(steps.length > 3 ? [`${steps.length - 3} more`] : [])].join(', ');
}
