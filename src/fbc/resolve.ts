/** Which bundle of a package is to be installed, as operator-controller resolves it; a refusal says which of the reasons it is. */
import { SCHEMA, type Catalog, type ChannelBlob } from './catalog.ts';
import { constraintProblem, parseConstraint, type Matches } from './constraint.ts';
import { byText, listed, quoted } from './go-text.ts';
import {
  byFalling,
  candidatesOf,
  installedOf,
  installedVersion,
  successorsOf,
  type Candidate,
  type Installed,
} from './successors.ts';
import { pathTo, reachableFrom } from './upgrade-path.ts';

export interface ResolveRequest {
  readonly package: string;
  /** None means all of them. */
  readonly channels?: readonly string[];
  readonly version?: string;
  /** SelfCertified asks for no upgrade edge. */
  readonly policy?: 'CatalogProvided' | 'SelfCertified';
  /** The name of the bundle that is installed. */
  readonly installed?: string;
  /** Its version, where the catalog no longer has it. */
  readonly installedVersion?: string;
}

export type Reason =
  | 'UnknownPackage'
  | 'UnknownChannel'
  | 'InvalidRange'
  | 'UnknownInstalled'
  | 'NoVersion'
  | 'Unreachable';

export interface Resolved {
  readonly resolved: string;
  /** Set where the bundle, its channel or its package is deprecated. */
  readonly deprecated?: string;
}

export interface Unresolved {
  readonly resolved: null;
  readonly code: Reason;
  /** In the words of operator-controller. */
  readonly reason: string;
  /** What it does not say: what there is instead. */
  readonly detail: string;
  /** For Unreachable: the steps that lead there, where there are any. */
  readonly path?: readonly string[];
  /** For Unreachable: the highest bundle that can be moved to. */
  readonly nearest?: string;
}

/** Chooses among the bundles of one package: those that are not deprecated first, then the highest version. */
export function resolve(catalog: Catalog, request: ResolveRequest): Resolved | Unresolved {
  return new Resolution(catalog, request).outcome();
}

class Resolution {
  readonly #request: ResolveRequest;
  readonly #channels: readonly ChannelBlob[];
  readonly #chosen: readonly ChannelBlob[];
  readonly #candidates: readonly Candidate[];
  readonly #deprecations: ReadonlyMap<string, string>;
  readonly #exists: boolean;
  #installed: Installed | undefined;

  constructor(catalog: Catalog, request: ResolveRequest) {
    const { package: name, channels = [] } = request;
    this.#request = request;
    this.#channels = catalog.channels.filter((channel) => channel.package === name);
    this.#chosen =
      channels.length === 0
        ? this.#channels
        : this.#channels.filter((channel) => channels.includes(channel.name));
    this.#candidates = candidatesOf(catalog.bundles.filter((bundle) => bundle.package === name));
    this.#deprecations = new Map(
      catalog.deprecations
        .filter((blob) => blob.package === name)
        .flatMap(({ entries }) =>
          entries.map((entry) => [`${entry.schema}\n${entry.name}`, entry.message] as const),
        ),
    );
    this.#exists =
      this.#channels.length > 0 ||
      catalog.packages.some((blob) => blob.name === name) ||
      this.#candidates.length > 0;
  }

  outcome(): Resolved | Unresolved {
    const { package: name, version = '', installed, installedVersion } = this.#request;
    const range = version === '' ? undefined : parseConstraint(version);
    if (range?.problem !== undefined) {
      const reason = constraintProblem(version, range.problem);
      return {
        resolved: null,
        code: 'InvalidRange',
        reason,
        detail: 'Write a range such as ">=1.2.0 <2.0.0" or "1.x".',
      };
    }
    if (installed !== undefined) this.#installed = installedOf(installed, this.#candidates, installedVersion);
    if (!this.#exists) return this.#refuse('UnknownPackage', `the catalog has no package ${quoted(name)}`);
    if (installed !== undefined && this.#installed === undefined) {
      const detail = `the catalog has no bundle ${quoted(installed)}, and its version is not known; give it too`;
      return this.#refuse('UnknownInstalled', detail);
    }
    const wanted = this.#wanted(range?.value);
    if (wanted.length === 0) return this.#noneWanted();
    const reachable = this.#reachable(wanted);
    const [best] = reachable.toSorted(
      (a, b) => Number(this.#isDeprecated(a)) - Number(this.#isDeprecated(b)) || byFalling(a, b),
    );
    return best === undefined ? this.#unreachable(wanted) : this.#resolved(best);
  }

  /** In the channels and the range that were asked for. */
  #wanted(matches: Matches | undefined): Candidate[] {
    const { channels = [] } = this.#request;
    const members = new Set(this.#chosen.flatMap(({ entries }) => entries.map((entry) => entry.name)));
    return this.#candidates.filter(
      ({ name, version }) => (channels.length === 0 || members.has(name)) && (matches?.(version) ?? true),
    );
  }

  #reachable(wanted: readonly Candidate[]): readonly Candidate[] {
    if (this.#installed === undefined || this.#request.policy === 'SelfCertified') return wanted;
    return successorsOf(this.#installed, wanted, this.#chosen);
  }

  #isDeprecated({ name }: Candidate): boolean {
    return this.#deprecations.has(`${SCHEMA.bundle}\n${name}`);
  }

  #resolved({ name }: Candidate): Resolved {
    const own =
      this.#deprecations.get(`${SCHEMA.bundle}\n${name}`) ?? this.#deprecations.get(`${SCHEMA.package}\n`);
    return { resolved: name, ...(own !== undefined && { deprecated: own }) };
  }

  #noneWanted(): Unresolved {
    const { channels = [], version = '' } = this.#request;
    const known = this.#channels.map((channel) => channel.name).sort(byText);
    const missing = channels.filter((channel) => !known.includes(channel));
    if (missing.length > 0 && missing.length === channels.length) {
      const what = `there is no channel ${missing.map(quoted).join(', ')}`;
      return this.#refuse('UnknownChannel', `${what}; the package has ${known.map(quoted).join(', ')}`);
    }
    const [highest] = this.#wanted(undefined).toSorted(byFalling);
    if (highest === undefined) return this.#refuse('NoVersion', 'there is no bundle to choose from');
    const there = `the highest bundle there is ${quoted(highest.name)}`;
    return this.#refuse('NoVersion', `no version is in ${quoted(version)}; ${there}`);
  }

  #unreachable(wanted: readonly Candidate[]): Unresolved {
    const installed = this.#installed;
    if (installed === undefined) return this.#refuse('NoVersion', 'there is no bundle to choose from');
    const before = reachableFrom(installed, this.#candidates, this.#chosen);
    const [goal] = wanted.toSorted(byFalling);
    const upgraded = wanted.filter(({ name }) => before.has(name)).toSorted(byFalling);
    const exists = `${quoted(goal?.name ?? '')} exists, but is no upgrade of ${quoted(installed.name)}`;
    const [step] = upgraded;
    if (step !== undefined) {
      const path = pathTo(step.name, before);
      return this.#refuse('Unreachable', `${exists}; go there in steps: ${path.join(' -> ')}`, { path });
    }
    const [nearest] = this.#candidates.filter(({ name }) => before.has(name)).toSorted(byFalling);
    if (nearest === undefined) return this.#refuse('Unreachable', `${exists}; nothing is`);
    const what = `${exists}; the highest that can be reached is ${quoted(nearest.name)}`;
    return this.#refuse('Unreachable', what, { nearest: nearest.name });
  }

  #refuse(code: Reason, detail: string, more: Pick<Unresolved, 'path' | 'nearest'> = {}): Unresolved {
    const { package: name, version = '', channels = [] } = this.#request;
    const from =
      this.#installed === undefined
        ? ''
        : `error upgrading from currently installed version ${quoted(installedVersion(this.#installed))}: `;
    const words = [
      `no bundles found for package ${quoted(name)}`,
      ...(version === '' ? [] : [`matching version ${quoted(version)}`]),
      ...(channels.length === 0 ? [] : [`in channels ${listed(channels)}`]),
    ];
    return { resolved: null, code, reason: from + words.join(' '), detail, ...more };
  }
}
