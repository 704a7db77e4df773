/** Sources as the reconcilers ask for them: fetched here, read and processed in processes that may be ended. */
import { PorticoError } from '../error.ts';
import type { CredentialsOptions } from '../fetching/credentials.ts';
import { createSourceFetch, createSourceResolve, type ResolveSource } from '../fetching/fetch-source.ts';
import type { SourceHost } from '../fetching/host.ts';
import { createRegistry } from '../fetching/oci-registry.ts';
import { createSourceCache } from '../fetching/source-cache.ts';
import type { HeldContent, SourceCalls } from '../isolation/source-calls.ts';
import type { ReadSource, SourcesReading } from '../isolation/sync-sources.ts';
import type { InsideHost } from '../network/inside-host.ts';
import { createOutsideFetch } from '../network/outside-fetch.ts';
import type { PackageFiles } from '../package/package.ts';
import type { ToolMachine } from '../processors/run-tool.ts';
import type {
  PackageSources,
  SourcePin,
  SourceRefusal,
  SourceSetting,
  SourceStanding,
  Synced,
} from '../reconcile/source-port.ts';
import { digestOf } from '../revision/digest.ts';
import { atVersion } from '../sources/at-version.ts';
import { isImmutable } from '../sources/immutable.ts';
import type { FetchSource } from '../sources/sync.ts';
import { credentialsFor } from './host-credentials.ts';
import { createMadePackages } from './made-packages.ts';

export interface SourcesOptions {
  /** What the host holds credentials in. */
  readonly file: CredentialsOptions['file'];
  readonly inside: readonly InsideHost[];
  readonly calls: SourceCalls;
  readonly machine: ToolMachine;
  /** How often everything is looked at: what an address leads to is believed for a little less. */
  readonly sweepMinutes: number;
  /** In the place of that, where the operator says it. */
  readonly sourceMinutes?: number | undefined;
}

/** What of the time between two sweeps is believed what was learned, so that each sweep asks, and asks once. */
const PART_OF_SWEEP = 0.8;
const MAX_INTERVAL_MINUTES = 15;

/** Content of all sources of a package that is held at once, unpacked. */
const MAX_HELD_BYTES = 256 * 1024 * 1024;

/** Characters of what is told of objects, and of each note of a publisher. */
const MAX_REPORT = 12_000;

/** Makes the port. One cache for all accounts: keys say who may have what is in it. */
export function createSources(options: SourcesOptions): PackageSources {
  const { file, inside, calls, machine, sweepMinutes } = options;
  const { sourceMinutes = Math.min(MAX_INTERVAL_MINUTES, sweepMinutes * PART_OF_SWEEP) } = options;
  const fetch = createOutsideFetch({ inside });
  const intervalMs = sourceMinutes * 60_000;
  const cache = createSourceCache({ intervalMs, failureMs: Math.min(60_000, intervalMs) });
  const registry = createRegistry({ fetch, inside, reader: calls });
  const hosts = new Map<string, { readonly fetch: FetchSource; readonly resolve: ResolveSource }>();
  const credentialsOf = credentialsFor(file);
  const hostOf = (owner: string): { readonly fetch: FetchSource; readonly resolve: ResolveSource } => {
    const known = hosts.get(owner.toLowerCase());
    if (known !== undefined) return known;
    const credentialFor = credentialsOf(owner);
    const host: SourceHost = { fetch, inside, cache, registry, reader: calls, credentialFor };
    const made = { fetch: createSourceFetch(host), resolve: createSourceResolve(host) };
    hosts.set(owner.toLowerCase(), made);
    return made;
  };
  const made = createMadePackages();
  const readings = new WeakMap<PackageFiles, Promise<SourcesReading>>();
  const read = async (files: PackageFiles, signal?: AbortSignal): Promise<SourcesReading> => {
    const known = readings.get(files);
    if (known !== undefined) return await known;
    const reading = calls.read(files, signal);
    readings.set(files, reading);
    reading.catch(() => readings.delete(files));
    return await reading;
  };
  const sourcesOf = async (files: PackageFiles, signal?: AbortSignal): Promise<readonly ReadSource[]> => {
    const reading = await read(files, signal);
    return reading.kind === 'sources' ? reading.sources : [];
  };

  const contentOf = async (
    wanted: readonly { readonly read: ReadSource; readonly pin: SourcePin | undefined }[],
    owner: string,
    signal: AbortSignal,
  ): Promise<readonly HeldContent[]> => {
    const contents: HeldContent[] = [];
    let bytes = 0;
    for (const { read: one, pin } of wanted) {
      const { files, resolved, version, links } = await hostOf(owner).fetch(one.source, pin, signal);
      for (const held of files.values()) bytes += held.bytes.length;
      if (bytes > MAX_HELD_BYTES) {
        throw new PorticoError(
          'SOURCE_LIMIT',
          `the sources of the package hold more than ${MAX_HELD_BYTES / 1024 / 1024} MiB together`,
          { blame: 'user', hint: 'Divide the package.' },
        );
      }
      const { id } = one.source;
      contents.push({
        id,
        resolved,
        files,
        ...(version !== undefined && { version }),
        ...(links !== undefined && { links }),
      });
    }
    return contents;
  };

  const sync = async (
    files: PackageFiles,
    work: {
      readonly wanted: (one: ReadSource) => SourcePin | 'held' | undefined;
      readonly update: ReadonlySet<string>;
      readonly locked: boolean;
    },
    setting: SourceSetting,
    signal: AbortSignal,
  ): Promise<Synced> => {
    const { owner, runtime, foreign, targets } = setting;
    const { update, locked } = work;
    return await refusedOr(async () => {
      const all = await sourcesOf(files, signal);
      const wanted = all.flatMap((one) => {
        const pin = work.wanted(one);
        return pin === 'held' ? [] : [{ read: one, pin }];
      });
      const contents = await contentOf(wanted, owner, signal);
      const request = { files, contents, update, locked, isRendered: locked, targets, runtime, foreign };
      const made = await calls.sync({ ...request, machine }, signal);
      const { differences, notes } = made;
      return { kind: 'synced', files: made.files, differences, notes } as const;
    }, signal);
  };

  return {
    read: async (files, signal) => {
      const reading = await read(files, signal);
      if (reading.kind !== 'sources') return reading;
      const { sources, outputs, hasLock, paused } = reading;
      const standings = sources.map(standingOf);
      return {
        kind: 'sources',
        sources: standings,
        outputs,
        hasLock,
        ...(paused !== undefined && { paused }),
      };
    },
    resolve: async ({ owner, files, id, version }, signal = NEVER) =>
      await refusedOr(async () => {
        const all = await sourcesOf(files, signal);
        const one = all.find(({ source }) => source.id === id);
        if (one === undefined)
          throw new PorticoError('SOURCES_UNKNOWN_ID', `there is no source ${id}`, { blame: 'user' });
        const place = version === undefined ? one.source.place : atVersion(one.source.place, version);
        if (place === undefined)
          throw new PorticoError('SOURCE_NO_VERSION', `the document does not let ${id} be at ${version}`, {
            blame: 'user',
            hint: 'Ask for a version in its range.',
          });
        return await hostOf(owner).resolve({ ...one.source, place }, signal);
      }, signal),
    renew: async (files, pins, setting, signal = NEVER) => {
      const believed: string[] = [];
      const wanted = ({ source: { id }, held, pinned }: ReadSource): SourcePin | 'held' | undefined => {
        const pin = pins.get(id) ?? (held ? 'held' : pinned);
        if (pin === 'held') believed.push(id);
        return pin;
      };
      const update = new Set(pins.keys());
      const synced = await sync(files, { wanted, update, locked: false }, setting, signal);
      if (synced.kind === 'synced' && believed.length === 0) made.note(synced.files, setting);
      return synced;
    },
    // What the lock does not pin is a difference, and no reason to ask anybody.
    verify: async (files, setting, signal = NEVER) => {
      if (made.takes(files, setting)) return { kind: 'synced', files, differences: [], notes: [] };
      const work = {
        wanted: ({ pinned }: ReadSource) => pinned ?? 'held',
        update: NONE,
        locked: true,
      } as const;
      return await sync(files, work, setting, signal);
    },
    report: (change, signal) => calls.report(change, MAX_REPORT, signal),
  };
}

const NEVER = new AbortController().signal;
const NONE: ReadonlySet<string> = new Set();

function standingOf({ source, pinned, held }: ReadSource): SourceStanding {
  const { id, destination, place, placeDigest, credentials = '' } = source;
  return {
    id,
    kind: place.kind,
    destination,
    isRange:
      place.kind === 'helm' || place.kind === 'package' || ('semver' in place && place.semver !== undefined),
    isImmutable: isImmutable(place),
    isHeld: held,
    originDigest: digestOf('portico source origin 1', [placeDigest, credentials]),
    ...(pinned !== undefined && { pinned }),
  };
}

/** What a person or publisher has to mend is an outcome; so is a host that does not answer, which passes. */
async function refusedOr<Value>(
  work: () => Promise<Value>,
  signal: AbortSignal,
): Promise<Value | ({ readonly kind: 'refused'; readonly isPassing: boolean } & SourceRefusal)> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof PorticoError) || error.blame === 'bug' || PASSED_ON.includes(error.code))
      throw error;
    const { code, message, hint = 'Try again later.', blame } = error;
    return { kind: 'refused', isPassing: blame === 'forge', code, message, hint };
  }
}

/** These are about the work, not about what was fetched. */
const PASSED_ON: readonly string[] = ['CONTENT_LATER', 'CONTENT_PROCESS'];
