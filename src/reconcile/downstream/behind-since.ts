/** Since when a downstream package lacks a revision of its upstream: the lag that the operator sees. */
import { pathInRepository, repositoryDirectory } from '../../revision/package-path.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';
import type { Ports } from '../ports.ts';
import { loadRevisionRefs, publishedAt, tagOf } from '../repository/package-revisions.ts';
import { keepNewest } from '../text/keep-newest.ts';

/** Revisions whose time is remembered: it does not change. */
const MAX_TIMES = 10_000;
const createTimes = (): Map<string, number> => new Map();

/** With these reasons a package follows no newer revision than the one that it is at. */
const IN_STEP: readonly string[] = ['up-to-date', 'merged', 'not-followed'];

/**
 * When the oldest revision was published that a package lacks, in milliseconds since 1970. Undefined where it lacks none that it follows, or where
 * that is not known: its upstream is not registered, or it is locked to none of its revisions.
 *
 * @param look the number of its repository, its path below the registered directory, and what came of the look at its update
 */
export async function behindSince(
  ports: Pick<Ports, 'catalog' | 'memories' | 'open'>,
  { id, path, reason }: { readonly id: number; readonly path: string; readonly reason: string },
  signal?: AbortSignal,
): Promise<number | undefined> {
  const home = IN_STEP.includes(reason) ? undefined : ports.catalog.get(id);
  const directory = home === undefined ? undefined : pathInRepository(home.directory, path);
  const lock = home?.packages.find((one) => one.directory === directory)?.lock ?? null;
  const upstream = lock === null ? undefined : ports.catalog.byUrl(lock.repo);
  if (lock === null || upstream === undefined) return undefined;
  const from = repositoryDirectory(lock.directory);
  const names = upstream.revisions.get(from) ?? [];
  const at = parseRevisionName(lock.ref.slice(lock.ref.lastIndexOf('/') + 1))?.name;
  const place = at === undefined ? -1 : names.indexOf(at);
  const next = place === -1 ? undefined : names[place + 1];
  if (next === undefined) return undefined;
  const times = ports.memories.of(createTimes);
  const key = `${upstream.ref.id}:${from}@${next}`;
  const known = times.get(key);
  if (known !== undefined) return known;
  const { git } = await ports.open(upstream.ref, signal);
  const tag = tagOf(await loadRevisionRefs(git, signal), from, next);
  if (tag === undefined) return undefined;
  const time = await publishedAt(git, tag, signal);
  keepNewest(times, key, time, MAX_TIMES);
  return time;
}
