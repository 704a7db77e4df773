/** Pure: the dashboard's tables of packages and of drafts. */
import type { CatalogPackage } from '../../catalog/catalog.ts';
import { formatPackageAtRevision } from '../../revision/package-at-revision.ts';
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import { joined } from '../../text/joined.ts';
import { upstreamText } from '../../text/revision-text.ts';
import { code, foreignTitle } from '../text/markdown-blocks.ts';
import type { DashboardDraft, DashboardUser } from './facts.ts';
import type { DashboardInput } from './input.ts';
import { outermost, section, SETTLED } from './section.ts';

/** Users and retired revisions of one package that are named; the rest is counted. */
const MAX_NAMED = 5;

type Input = Pick<
  DashboardInput,
  'repository' | 'standings' | 'changed' | 'unapproved' | 'drafts' | 'pending' | 'retired' | 'users'
>;

export function packagesPart(input: Input): string {
  const { repository, changed } = input;
  const packages = outermost(repository.packages)
    .map((one) => ({ ...one, path: packagePathOf(repository.directory, one.directory) ?? one.directory }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  if (packages.length === 0) return '';
  const rows = packages.map((one) => [
    code(one.path),
    newestOf(input, one.directory),
    madeFrom(one),
    usedBy(input.users.get(one.directory) ?? [], repository.revisions.get(one.directory)?.at(-1)),
    notesOf(input, one),
  ]);
  const table = section(
    'Packages',
    ['package', 'newest revision here', 'made from', 'used by', 'notes'],
    rows,
  );
  return packages.some(({ directory }) => changed.has(directory)) ? `${table}\n\n${PUSHED}` : table;
}

const PUSHED =
  'Direct pushes, and merges without the required approvals, are published by the next approved proposal that changes the package. To publish them automatically, set `publish.directPushes: publish` in the configuration.';

/** The newest that people can have. */
function newestOf({ repository, retired }: Input, directory: RepositoryDirectory): string {
  const newest = repository.revisions.get(directory)?.at(-1);
  if (newest !== undefined) return code(newest);
  return (retired.get(directory) ?? []).length > 0 ? 'none (all retired)' : 'not published';
}

function madeFrom({ lock }: CatalogPackage): string {
  if (lock === null) return '';
  const at = lock.ref.split('/').at(-1) ?? lock.ref;
  return `${code(`${lock.repo}:${lock.directory}`)} ${upstreamText(at, code)}`;
}

/** How many downstream packages have the newest revision, and which there are. */
function usedBy(users: readonly DashboardUser[], newest: string | undefined): string {
  if (users.length === 0) return '';
  const current = users.filter(({ at }) => at === newest).length;
  const share =
    newest === undefined ? '' : `${current} of ${users.length} at ${upstreamText(newest, code)}: `;
  const named = users
    .slice(0, MAX_NAMED)
    .map(({ name, at }) => (at === newest ? code(name) : `${code(name)} at ${upstreamText(at, code)}`));
  const more = users.length - named.length;
  return `${share}${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function notesOf(
  { changed, unapproved, standings, drafts, pending, retired }: Input,
  one: CatalogPackage & { readonly path: string },
): string {
  const { directory, path } = one;
  const removal = drafts.find((draft) => draft.removes && draft.paths.includes(path));
  const gone = retired.get(directory) ?? [];
  return joined(
    [
      removal === undefined ? '' : `deletion proposed in #${removal.number}`,
      ...pending
        .filter((wish) => wish.package === path)
        .map(({ revision, issue }) => `retirement of ${code(revision)} requested in #${issue}`),
      gone.length === 0 ? '' : `retired: ${listed(gone)}`,
      changed.has(directory) ? 'changed without approval, not published' : '',
      unapproved.has(directory) ? 'published without approval' : '',
      SETTLED.includes(standings.get(path)?.reason ?? 'up-to-date') ? '' : 'update due',
    ],
    '; ',
  );
}

/** The newest of them. */
function listed(revisions: readonly string[]): string {
  const shown = revisions.slice(-MAX_NAMED).map(code).join(', ');
  const more = revisions.length - MAX_NAMED;
  return more > 0 ? `${shown} and ${more} before` : shown;
}

/** What the required check says of the head. */
const CHECK_STATES: Readonly<Record<DashboardDraft['check'], string>> = {
  passes: ', passes',
  fails: ', **fails**',
  waits: ', waits for an approval',
  unknown: '',
};

export function draftsPart({ drafts, pending }: Pick<DashboardInput, 'drafts' | 'pending'>): string {
  if (drafts.length + pending.length === 0) return '';
  const rows = drafts.map(({ number, title, paths, isDraft, removes, check }) => [
    `#${number}`,
    listed(paths),
    `${isDraft ? 'Draft' : 'Proposed'}${removes ? ', a deletion' : ''}${CHECK_STATES[check]}`,
    foreignTitle(title),
  ]);
  const wishes = pending.map(({ issue, package: path, revision, login, title }) => [
    `#${issue}`,
    code(formatPackageAtRevision({ path, revision })),
    `${code(login)} requests its retirement`,
    foreignTitle(title),
  ]);
  return section('Drafts and proposals', ['number', 'packages', 'state', 'title'], [...rows, ...wishes]);
}
