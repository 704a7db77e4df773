/** Questions to the index: what there is, what is made from what, and what is behind. Every answer is sorted. */
import {
  isBelow,
  packagePathOf,
  repositoryDirectory,
  type RepositoryDirectory,
} from '../revision/package-path.ts';
import { compareRevisions, parseRevisionName } from '../revision/revision-name.ts';
import { compareText } from '../text/compare-text.ts';
import { repositoryName } from './catalog.ts';
import type { Catalog, CatalogDraft, CatalogPackage, CatalogRepository } from './catalog.ts';

/** `owner/name:path` of a package. */
export interface PackageName {
  readonly repository: string;
  readonly package: string;
}

export interface RepositoryRow {
  readonly repository: string;
  readonly directory: RepositoryDirectory;
  readonly packages: number;
  readonly revisions: number;
}

export interface PackageRow extends PackageName {
  /** The newest release; absent where none is published. */
  readonly newest?: string;
  readonly subpackage: boolean;
}

export interface RevisionRow extends PackageName {
  readonly revision: string;
  /** Those that lead to it now. */
  readonly channels: readonly string[];
}

export interface DraftRow extends PackageName {
  readonly kind: CatalogDraft['kind'];
  readonly branch: string;
  readonly state: 'open' | 'merged';
  readonly commit: string;
}

/** A package, and the one that it was made from. `known` is false where that is not in the index. */
export interface LineageRow extends PackageName {
  readonly upstream: string;
  /** Revision that the lock names; absent for a branch or a commit. */
  readonly at?: string;
  readonly newest?: string;
  readonly known: boolean;
}

export function repositoryRows(catalog: Catalog): RepositoryRow[] {
  return catalog
    .all()
    .map((one) => ({
      repository: repositoryName(one),
      directory: one.directory,
      packages: one.packages.length,
      revisions: [...one.revisions.values()].reduce((sum, names) => sum + names.length, 0),
    }))
    .toSorted((a, b) => compareText(a.repository, b.repository));
}

/** A row for each package of the index. */
export function packageRows(catalog: Catalog): PackageRow[] {
  return all(catalog).map(({ repository, found, row }) => {
    const newest = newestOf(repository, found.directory);
    const subpackage = repository.packages.some(
      ({ directory }) => directory !== found.directory && isBelow(directory, found.directory),
    );
    return { ...row, ...(newest !== undefined && { newest }), subpackage };
  });
}

/** Oldest first in each package; also of packages that are not on the branch any more. */
export function revisionRows(catalog: Catalog): RevisionRow[] {
  return catalog
    .all()
    .toSorted((a, b) => compareText(repositoryName(a), repositoryName(b)))
    .flatMap((repository) =>
      [...repository.revisions]
        .toSorted(([a], [b]) => compareText(a, b))
        .flatMap(([directory, names]) =>
          names.map((revision) => ({
            ...rowOf(repository, directory),
            revision,
            channels: [...(repository.channels?.get(directory) ?? [])]
              .filter(([, at]) => at === revision)
              .map(([channel]) => channel)
              .toSorted(),
          })),
        ),
    );
}

/** Branches that are not part of the registered one yet: drafts, updates, and Porch's. */
export function draftRows(catalog: Catalog): DraftRow[] {
  return catalog
    .all()
    .toSorted((a, b) => compareText(repositoryName(a), repositoryName(b)))
    .flatMap((repository) =>
      (repository.drafts ?? [])
        .map(({ directory, kind, branch, commit, merged }) => ({
          ...rowOf(repository, repositoryDirectory(directory)),
          kind,
          branch,
          state: merged === true ? ('merged' as const) : ('open' as const),
          commit,
        }))
        .toSorted((a, b) => compareText(a.branch, b.branch)),
    );
}

/** Every package that was made from another. */
export function lineageRows(catalog: Catalog): LineageRow[] {
  return all(catalog).flatMap(({ found: { lock }, row }): LineageRow[] => {
    if (lock === null) return [];
    const upstream = catalog.byUrl(lock.repo);
    const directory = repositoryDirectory(lock.directory);
    const at = parseRevisionName(lock.ref.slice(lock.ref.lastIndexOf('/') + 1))?.name;
    if (upstream === undefined) {
      const name = `${lock.repo}:${directory}`;
      return [{ ...row, upstream: name, ...(at !== undefined && { at }), known: false }];
    }
    const { repository, package: path } = rowOf(upstream, directory);
    const newest = newestOf(upstream, directory);
    return [
      {
        ...row,
        upstream: `${repository}:${path}`,
        ...(at !== undefined && { at }),
        ...(newest !== undefined && { newest }),
        known: true,
      },
    ];
  });
}

/** Those whose upstream has a newer release, or that are locked to no release while there is one. */
export function outdatedRows(catalog: Catalog): LineageRow[] {
  return lineageRows(catalog).filter(({ at, newest }) => {
    const to = newest === undefined ? undefined : parseRevisionName(newest);
    const from = at === undefined ? undefined : parseRevisionName(at);
    return to !== undefined && (from === undefined || compareRevisions(from, to) < 0);
  });
}

/** The lineage as a Mermaid graph: one box for each repository, arrows from upstream to downstream, dotted where behind. */
export function lineageGraph(rows: readonly LineageRow[], outdated: readonly LineageRow[]): string {
  const behind = new Set(outdated.map((row) => `${row.repository}:${row.package}`));
  const names = new Set(rows.flatMap((row) => [row.upstream, `${row.repository}:${row.package}`]));
  const ids = new Map([...names].toSorted(compareText).map((name, at) => [name, `p${at}`]));
  const groups = new Map<string, string[]>();
  for (const name of ids.keys()) {
    const colon = name.lastIndexOf(':');
    const [repository, path] = [name.slice(0, colon), name.slice(colon + 1)];
    groups.set(repository, [...(groups.get(repository) ?? []), `    ${ids.get(name)}["${quoted(path)}"]`]);
  }
  const boxes = [...groups].flatMap(([repository, lines], at) => [
    `  subgraph r${at}["${quoted(repository)}"]`,
    ...lines,
    '  end',
  ]);
  const arrows = rows.map((row) => {
    const name = `${row.repository}:${row.package}`;
    const arrow = behind.has(name) ? '-.->' : '-->';
    const label = row.at === undefined ? '' : `|"${quoted(row.at)}"|`;
    return `  ${ids.get(row.upstream)} ${arrow}${label} ${ids.get(name)}`;
  });
  return ['graph LR', ...boxes, ...arrows].join('\n');
}

/** Mermaid reads entities in quoted texts, and nothing else. */
function quoted(text: string): string {
  return text.replaceAll(/[^\w./@ -]/g, (character) => `#${character.codePointAt(0) ?? 63};`);
}

interface Found {
  readonly repository: CatalogRepository;
  readonly found: CatalogPackage;
  readonly row: PackageName;
}

function all(catalog: Catalog): Found[] {
  return catalog
    .all()
    .flatMap((repository) =>
      repository.packages.map((found) => ({ repository, found, row: rowOf(repository, found.directory) })),
    )
    .toSorted(
      (a, b) => compareText(a.row.repository, b.row.repository) || compareText(a.row.package, b.row.package),
    );
}

function rowOf(repository: CatalogRepository, directory: RepositoryDirectory): PackageName {
  return {
    repository: repositoryName(repository),
    package: packagePathOf(repository.directory, directory) ?? directory,
  };
}

/** The newest release; a prerelease only where there is nothing else. */
export function newestOf(
  { revisions }: CatalogRepository,
  directory: RepositoryDirectory,
): string | undefined {
  const names = revisions.get(directory) ?? [];
  return names.findLast((name) => parseRevisionName(name)?.prerelease.length === 0) ?? names.at(-1);
}
