/** Pure: which rollout an upstream package's updates go by, and which documents can be followed by nobody. */
import type { Catalog, CatalogRepository } from '../catalog/catalog.ts';
import { matchesGlob } from '../config/glob.ts';
import type { Rollout } from '../package/rollout/rollout.ts';
import { latestRevision } from '../revision/numbering.ts';
import { packagePathOf } from '../revision/package-path.ts';
import { parseRevisionName } from '../revision/revision-name.ts';
import { doesNotObey, notKnown } from './control.ts';
import type { StalledVariant } from './variant-plan.ts';
import { isControlledBy, isSameOwner, mayFlow, mayKnow } from './visibility.ts';

/** An upstream package with its rollout. */
export interface Governed {
  readonly control: CatalogRepository;
  readonly file: string;
  readonly rollout: Rollout;
  readonly upstream: CatalogRepository;
  /** Of the package, from the top of its repository; '.' is the top. */
  readonly directory: string;
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
  of(upstream: number, directory: string): Governed | undefined;
}

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
  const byPlace = new Map<string, Governed>();
  const stalled: Stalled[] = [];
  for (const control of catalog.all().toSorted((a, b) => a.ref.id - b.ref.id)) {
    const names = new Set<string>();
    const written = control.documents.flatMap(({ file, rollouts = [] }) =>
      rollouts.map((one) => ({ ...one, file })),
    );
    for (const one of written) {
      const tell = (message: string): void => {
        stalled.push({ control, file: one.file, line: one.line, name: one.rollout.name, message });
      };
      if (names.has(one.rollout.name)) {
        tell('Another rollout of this repository has its name');
        continue;
      }
      names.add(one.rollout.name);
      for (const governed of packagesOf(catalog, control, one, tell)) {
        const place = `${governed.upstream.ref.id}:${governed.directory}`;
        const twin = byPlace.get(place);
        if (twin === undefined) byPlace.set(place, governed);
        else {
          const by = mayFlow(twin.control, control) ? `the rollout ${twin.rollout.name}` : 'another rollout';
          tell(`${governed.path} goes by ${by} already`);
        }
      }
    }
  }
  return {
    governed: [...byPlace.values()],
    stalled,
    of: (upstream, directory) => byPlace.get(`${upstream}:${directory === '' ? '.' : directory}`),
  };
}

/** A document speaks of packages of its own repository, and of those whose repository says that it obeys this one. */
function packagesOf(
  catalog: Catalog,
  control: CatalogRepository,
  { file, rollout }: { readonly file: string; readonly rollout: Rollout },
  tell: (message: string) => void,
): Governed[] {
  return rollout.upstreams.flatMap(({ repo, packages }) => {
    const name = repo ?? control.ref.name;
    const upstream = catalog.byName(name.includes('/') ? name : `${control.ref.owner}/${name}`);
    if (upstream === undefined || !isSameOwner(upstream, control) || !mayKnow(control, upstream)) {
      tell(notKnown(name, control));
      return [];
    }
    if (!isControlledBy(upstream, control)) {
      tell(doesNotObey(upstream, control));
      return [];
    }
    const directories = new Set([
      ...upstream.revisions.keys(),
      ...upstream.packages.map(({ directory }) => directory),
    ]);
    return [...directories].flatMap((directory) => {
      const path = packagePathOf(upstream.directory, directory);
      return path !== undefined && matchesGlob(path, packages)
        ? [{ control, file, rollout, upstream, directory, path }]
        : [];
    });
  });
}

/** The newest release of the governed package; a prerelease only where there is nothing else. */
export function newestOf({ upstream, directory }: Governed): string | undefined {
  const names = (upstream.revisions.get(directory) ?? []).flatMap((name) => parseRevisionName(name) ?? []);
  return latestRevision(names)?.name ?? names.at(-1)?.name;
}

/** Documents that nothing can be made of, as the dashboard lists those of variants. */
export function stalledRollouts(catalog: Catalog): readonly StalledVariant[] {
  return rolloutsOf(catalog).stalled.map((one) => ({
    ...one,
    namespace: 'Rollout',
    reason: 'ValidationError' as const,
  }));
}
