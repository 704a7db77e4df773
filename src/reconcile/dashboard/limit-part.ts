/** Pure: what the dashboard says while the forge's limits keep updates waiting. */
import { type Catalog } from '../../catalog/catalog.ts';
import { latestRevision } from '../../revision/numbering.ts';
import { packagePathOf, repositoryDirectory } from '../../revision/package-path.ts';
import { compareRevisions, parseRevisionName } from '../../revision/revision-name.ts';

/** Packages of a repository whose upstream has a newer release that nobody has looked at for them yet. */
export function waitingUpdates(catalog: Catalog, id: number): number {
  const repository = catalog.get(id);
  if (repository === undefined) return 0;
  const standings = catalog.standings(id);
  return repository.packages.filter(({ directory, lock }) => {
    const upstream = lock === null ? undefined : catalog.byUrl(lock.repo);
    if (lock === null || upstream === undefined) return false;
    const names = upstream.revisions.get(repositoryDirectory(lock.directory)) ?? [];
    const newest = latestRevision(names.flatMap((name) => parseRevisionName(name) ?? []));
    const at = parseRevisionName(lock.ref.slice(lock.ref.lastIndexOf('/') + 1));
    if (newest === undefined || at === undefined || compareRevisions(at, newest) >= 0) return false;
    const standing = standings.get(packagePathOf(repository.directory, directory) ?? directory);
    return standing?.to !== newest.name && standing?.newest !== newest.name;
  }).length;
}

/** Shorter waits are not worth a word. */
const WORTH_A_WORD = 60;
/** Rounded to so many minutes, so that the text does not change all the time. */
const MINUTES = 5;

/** '' where nothing waits, or not long. `seconds`: until the forge takes the next one. */
export function limitPart(waiting: number, seconds: number, now: Date): string {
  if (waiting === 0 || seconds < WORTH_A_WORD) return '';
  const step = MINUTES * 60_000;
  const at = new Date(Math.ceil((now.getTime() + seconds * 1_000) / step) * step);
  const minutes = Math.max(MINUTES, Math.ceil(seconds / 60 / MINUTES) * MINUTES);
  const what = waiting === 1 ? 'One update waits' : `${waiting} updates wait`;
  return `${what} because of the forge's rate limits; the next comes in about ${minutes} min (${at.toISOString().slice(11, 16)} UTC).`;
}
