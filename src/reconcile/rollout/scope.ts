/** Pure: which rollout an upstream package's updates go by, and which documents can be followed by nobody. */

import type { Catalog, CatalogRepository } from '../../catalog/catalog.ts';
import type { Rollout } from '../../package/rollout/rollout.ts';
import { latestRevision } from '../../revision/numbering.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import { parseRevisionName } from '../../revision/revision-name.ts';
import { isOrAre } from '../../text/counted.ts';
import type { StalledVariant } from '../downstream/variant-plan.ts';
import { doesNotObey, notKnown } from '../repository/control.ts';
import { isControlledBy, isSameOwner, mayFlow, mayKnow } from '../repository/visibility.ts';
import { packagesOf, rolloutPackages } from './packages.ts';

/** An upstream package with its rollout. */
export interface Governed {
  readonly control: CatalogRepository;
  readonly file: string;
  readonly rollout: Rollout;
  readonly upstream: CatalogRepository;
  /** Of the package, from the top of its repository; '.' is the top. */
  readonly directory: RepositoryDirectory;
  /** Below the registered directory. */
  readonly path: string;
}

interface Stalled {
  readonly control: CatalogRepository;
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly message: string;
}

export interface Rollouts {
  readonly governed: readonly Governed[];
  readonly stalled: readonly Stalled[];
  of(upstream: number, directory: RepositoryDirectory): Governed | undefined;
}

/** Of one repository: those beyond govern all packages that they may, so that nothing passes a wave by. */
const MAX_ROLLOUTS = 200;

/** Mistakes of one repository that are told. */
const MAX_TOLD = 500;

const known = new WeakMap<Catalog, { readonly version: number; readonly rollouts: Rollouts }>();

/** The rollouts of everything that the index holds now. Of two for one package the first by place counts. */
export function rolloutsOf(catalog: Catalog): Rollouts {
  const before = known.get(catalog);
  if (before?.version === catalog.version()) return before.rollouts;
  const rollouts = readRollouts(catalog);
  known.set(catalog, { version: catalog.version(), rollouts });
  return rollouts;
}

function readRollouts(catalog: Catalog): Rollouts {
  const taken = new Map<number, Map<string, Governed>>();
  const stalled: Stalled[] = [];
  for (const control of catalog.all().toSorted((a, b) => a.ref.id - b.ref.id)) {
    const names = new Set<string>();
    const before = stalled.length;
    const written = control.documents
      .flatMap(({ file, rollouts = [] }) => rollouts.map((one) => ({ ...one, file })))
      // What can be followed comes first: a mistake elsewhere takes nothing from it.
      .toSorted((a, b) => Number(isMistaken(a.rollout)) - Number(isMistaken(b.rollout)));
    for (const [at, one] of written.entries()) {
      const tell = (message: string): void => {
        if (stalled.length - before >= MAX_TOLD) return;
        stalled.push({ control, file: one.file, line: one.line, name: one.rollout.name, message });
      };
      if (names.has(one.rollout.name)) {
        tell('Another rollout in this repository has the same name');
        // Orders name a rollout, so of two only one can go on; what the other is about waits.
        const rollout = { ...one.rollout, waves: [], mistake: SAME_NAME };
        takePlaces({
          catalog,
          control,
          governed: { ...one, rollout, isBeyond: false },
          taken,
          tell: () => {},
        });
        continue;
      }
      names.add(one.rollout.name);
      takePlaces({ catalog, control, governed: { ...one, isBeyond: at >= MAX_ROLLOUTS }, taken, tell });
    }
  }
  return {
    governed: [...taken.values()].flatMap((places) => [...places.values()]),
    stalled,
    of: (upstream, directory) => taken.get(upstream)?.get(directory),
  };
}

const SAME_NAME =
  'Another rollout of the repository has the same name; no update goes out by itself until one is renamed.';

function isMistaken({ mistake }: Rollout): boolean {
  return mistake !== undefined;
}

/** The repositories whose packages a document could mean that does not tell which it means. */
function obeying(catalog: Catalog, control: CatalogRepository): Rollout['upstreams'] {
  return catalog
    .all()
    .filter((one) => isSameOwner(one, control) && mayKnow(control, one) && isControlledBy(one, control))
    .map(({ ref }) => ({ repo: `${ref.owner}/${ref.name}`, packages: ['**'] }));
}

/** A document speaks of packages of its own repository, and of those whose repository says that it obeys this one. */
function takePlaces({
  catalog,
  control,
  governed: { file, rollout, isBeyond },
  taken,
  tell,
}: {
  readonly catalog: Catalog;
  readonly control: CatalogRepository;
  readonly governed: Pick<Governed, 'file' | 'rollout'> & { readonly isBeyond: boolean };
  readonly taken: Map<number, Map<string, Governed>>;
  readonly tell: (message: string) => void;
}): void {
  const upstreams = rollout.isEverywhere === true ? obeying(catalog, control) : rollout.upstreams;
  for (const { repo, packages } of upstreams) {
    const name = repo ?? control.ref.name;
    const upstream = catalog.byName(name.includes('/') ? name : `${control.ref.owner}/${name}`);
    if (upstream === undefined || !isSameOwner(upstream, control) || !mayKnow(control, upstream)) {
      tell(notKnown(name, control));
      continue;
    }
    if (!isControlledBy(upstream, control)) {
      tell(doesNotObey(upstream, control));
      continue;
    }
    const places = taken.get(upstream.ref.id) ?? new Map<string, Governed>();
    taken.set(upstream.ref.id, places);
    if (places.size > 0 && places.size === packagesOf(upstream).all.length) {
      tell('Other rollouts already govern all packages there');
      continue;
    }
    const { packages: meant, isWhole } = isBeyond
      ? { packages: packagesOf(upstream).all, isWhole: false }
      : rolloutPackages(upstream, control, packages);
    if (!isWhole)
      tell(
        'There are too many rollouts or globs for this number of packages, so this rollout governs all of them',
      );
    const twins: Governed[] = [];
    for (const one of meant) {
      const twin = places.get(one.directory);
      if (twin === undefined) places.set(one.directory, { control, file, rollout, upstream, ...one });
      else if (twin.rollout !== rollout) twins.push(twin);
    }
    const [first, ...more] = twins;
    if (first === undefined) continue;
    const by = mayFlow(first.control, control) ? `the rollout ${first.rollout.name}` : 'another rollout';
    const others =
      more.length === 0
        ? ''
        : `, and ${more.length} more ${isOrAre(more.length)} governed by that or another`;
    tell(`${first.path} is already governed by ${by}${others}`);
  }
}

/** The newest release of the governed package; a prerelease only where there is nothing else. */
export function newestOf({ upstream, directory }: Governed): string | undefined {
  const names = (upstream.revisions.get(directory) ?? []).flatMap((name) => parseRevisionName(name) ?? []);
  return latestRevision(names)?.name ?? names.at(-1)?.name;
}

/** Under which the catalog holds how far its rollout is, in the repository of the document. */
export function standingName({ rollout, upstream, directory }: Governed): string {
  return `${rollout.name} ${upstream.ref.id}:${directory}`;
}

/** Documents that nothing can be made of, as the dashboard lists those of variants. */
export function stalledRollouts(catalog: Catalog): readonly StalledVariant[] {
  return rolloutsOf(catalog).stalled.map((one) => ({
    ...one,
    namespace: 'Rollout',
    reason: 'ValidationError' as const,
  }));
}
