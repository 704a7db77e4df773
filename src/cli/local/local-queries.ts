/** What `portico get` and `portico graph` ask of the index. */
import { repositoryName, type Catalog } from '../../catalog/catalog.ts';
import {
  draftRows,
  lineageGraph,
  lineageRows,
  outdatedRows,
  packageRows,
  repositoryRows,
  revisionRows,
  type LineageRow,
} from '../../catalog/query.ts';
import { variantPlan } from '../../reconcile/downstream/variant-plan.ts';

export const SUBJECTS = [
  'repos',
  'packages',
  'revisions',
  'drafts',
  'upstreams',
  'downstreams',
  'outdated',
  'variants',
] as const;

export type Subject = (typeof SUBJECTS)[number];

type Row = Readonly<Record<string, string | number | boolean>>;

/** The rows of one subject that hold each of the filters in one of their words. */
export function answer(catalog: Catalog, subject: Subject, filters: readonly string[] = []): readonly Row[] {
  const wanted = filters.map((filter) => filter.toLowerCase());
  return rowsOf(catalog, subject).filter((row) => {
    const words = wordsOf(row).map((word) => word.toLowerCase());
    return wanted.every((filter) => words.some((word) => word.includes(filter)));
  });
}

/** Its texts, and what people call it by: `owner/name:path`, `owner/name:path@v3`. */
function wordsOf(row: Row): string[] {
  const texts = Object.values(row).filter((value) => typeof value === 'string');
  const { repository, package: path, revision, newest, at } = row;
  if (repository === undefined || path === undefined) return texts;
  const name = `${repository}:${path}`;
  const revisions = [revision, newest, at].filter((one) => one !== undefined);
  return [...texts, name, ...revisions.map((one) => `${name}@${one}`)];
}

/** The lineage as a Mermaid graph; with filters only what touches all of them. */
export function graph(catalog: Catalog, filters: readonly string[] = [], outdatedOnly = false): string {
  const outdated = outdatedRows(catalog);
  return lineageGraph(linked(outdatedOnly ? outdated : lineageRows(catalog), filters), outdated);
}

/** The same as data: packages by name, and from which each is made. */
export function graphData(
  catalog: Catalog,
  filters: readonly string[] = [],
): { readonly packages: readonly string[]; readonly links: readonly Row[] } {
  const behind = new Set(outdatedRows(catalog).map(nameOf));
  const links = linked(lineageRows(catalog), filters).map((row) => {
    const { upstream, at = '', newest = '' } = row;
    return { upstream, downstream: nameOf(row), at, newest, outdated: behind.has(nameOf(row)) };
  });
  const packages = new Set(links.flatMap(({ upstream, downstream }) => [upstream, downstream]));
  return { packages: [...packages].toSorted(), links };
}

function linked(rows: readonly LineageRow[], filters: readonly string[]): LineageRow[] {
  return rows.filter((row) => {
    const words = `${row.upstream} ${nameOf(row)}`.toLowerCase();
    return filters.every((filter) => words.includes(filter.toLowerCase()));
  });
}

function nameOf({ repository, package: path }: LineageRow): string {
  return `${repository}:${path}`;
}

function rowsOf(catalog: Catalog, subject: Subject): readonly Row[] {
  switch (subject) {
    case 'repos':
      return repositoryRows(catalog).map((row) => ({ ...row }));
    case 'packages':
      return packageRows(catalog).map(({ newest = '', ...row }) => ({ ...row, newest }));
    case 'revisions':
      return revisionRows(catalog).map(({ channels, ...row }) => ({ ...row, channels: channels.join(', ') }));
    case 'drafts':
      return draftRows(catalog).map((row) => ({ ...row }));
    case 'upstreams':
      return lineageRows(catalog).map(lineageRow);
    case 'downstreams':
      return lineageRows(catalog)
        .map(({ upstream, repository, package: path, at = '' }) => ({
          upstream,
          downstream: `${repository}:${path}`,
          at,
        }))
        .toSorted((a, b) => (a.upstream === b.upstream ? 0 : a.upstream < b.upstream ? -1 : 1));
    case 'outdated':
      return outdatedRows(catalog).map(lineageRow);
    case 'variants':
      return variantRows(catalog);
  }
}

function lineageRow({ repository, package: path, upstream, at = '', newest = '' }: LineageRow): Row {
  return { repository, package: path, upstream, at, newest };
}

/** Porch's conditions, as far as git alone tells them. */
function variantRows(catalog: Catalog): Row[] {
  const { planned, stalled } = variantPlan(catalog);
  const lineage = new Map<string, LineageRow>(
    lineageRows(catalog).map((row) => [`${row.repository}:${row.package}`, row]),
  );
  const outdated = new Set<string>(outdatedRows(catalog).map((row) => `${row.repository}:${row.package}`));
  return [
    ...stalled.map(({ namespace, name, control, file, line, reason, message }) => ({
      variant: `${namespace}/${name}`,
      document: `${repositoryName(control)}:${file}:${line}`,
      downstream: '',
      stalled: 'True',
      ready: 'False',
      reason,
      message,
    })),
    ...planned.map(({ namespace, name, control, file, line, downstream, revision }) => {
      const { ref } = downstream.repository;
      const place = `${ref.owner}/${ref.name}:${downstream.path}`;
      const at = lineage.get(place)?.at;
      const behind = revision === undefined ? outdated.has(place) : at !== revision;
      const reason = !lineage.has(place) ? 'NotMade' : behind ? 'Outdated' : 'NoErrors';
      return {
        variant: `${namespace}/${name}`,
        document: `${repositoryName(control)}:${file}:${line}`,
        downstream: place,
        stalled: 'False',
        ready: reason === 'NoErrors' ? 'True' : 'False',
        reason,
        message: at === undefined ? '' : `at ${at}`,
      };
    }),
  ];
}
