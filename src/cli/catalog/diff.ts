import { PorticoError } from '../../error.ts';
import { catalogDiff, type CatalogChange } from '../../fbc/catalog-diff.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import { mermaidGraph } from '../../fbc/mermaid.ts';
import type { ModelPackage } from '../../fbc/model.ts';
import { readCatalog } from '../../fbc/read-catalog.ts';
import { resolve } from '../../fbc/resolve.ts';
import { candidatesOf, installedVersion } from '../../fbc/successors.ts';
import { PACKAGE_LIMITS, readPackage } from '../../git/read-package.ts';
import type { PackageFiles } from '../../package/package.ts';
import { repositoryDirectory } from '../../revision/package-path.ts';
import { notShown } from '../../text/counted.ts';
import { codeSpan, fence, table as markdownTable } from '../../text/markdown.ts';
import { openRepository } from '../checkout.ts';
import { EXIT, usageError } from '../exit-code.ts';
import { visible } from '../terminal.ts';
import { table } from '../text-table.ts';
import type { Call } from '../verb.ts';
import { packagesOf, readCatalogOf } from './read.ts';

/** What an installed bundle would be upgraded to by either catalog; null: by none, and `why` says so for the newer one. */
interface Upgrade {
  readonly installed: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly why?: string;
}

interface Sides {
  readonly old: Catalog;
  readonly now: Catalog;
  readonly before: ReadonlyMap<string, ModelPackage>;
  readonly after: ReadonlyMap<string, ModelPackage>;
}

/**
 * `portico catalog diff OLD NEW`, or `NEW --changed-since REF`: the changes by package, channel, bundle and edge, and what becomes of
 * bundles that are installed. Fails where the newer catalog offers nothing to one of these, and throws where it is not valid.
 */
export async function diff(call: Call): Promise<number> {
  const { terminal } = call;
  const format = call.text('output') ?? 'text';
  if (format !== 'text' && format !== 'markdown')
    throw usageError(`--output cannot be ${format} here`, 'It is one of text, markdown.');
  const sides = await sidesOf(call);
  const changes = catalogDiff(sides.before, sides.after);
  const upgrades = call.list('installed').map((name) => upgradeOf(name, sides));
  if (terminal.json) terminal.document({ changes, upgrades });
  else if (format === 'markdown') terminal.write(markdown(sides, changes, upgrades));
  else {
    if (changes.length === 0) terminal.print('no changes');
    else terminal.write(visible(table([HEADER.map((word) => word.toUpperCase()), ...changes.map(rowOf)])));
    const rows = upgrades.map(upgradeRow);
    if (rows.length > 0)
      terminal.write(visible(`\n${table([UPGRADES.map((word) => word.toUpperCase()), ...rows])}`));
  }
  return upgrades.some(({ after }) => after === null) ? EXIT.failed : EXIT.ok;
}

async function sidesOf(call: Call): Promise<Sides> {
  const since = call.text('changed-since');
  const [first = '.', second] = call.positionals;
  if ((since === undefined) === (second === undefined))
    throw usageError(
      'portico catalog diff compares two catalogs',
      'Name both, or one and --changed-since REF.',
    );
  const now = readCatalogOf(call, second ?? first);
  const after = byName(packagesOf(now));
  if (since === undefined) {
    const old = readCatalogOf(call, first);
    return { old, now, before: byName(packagesOf(old)), after };
  }
  const files = await filesSince(call, first, since);
  try {
    const old = readCatalog(files);
    return { old, now, before: byName(packagesOf(old)), after };
  } catch (error) {
    // A proposal that mends a catalog is compared with nothing.
    if (!(error instanceof PorticoError) || error.code !== 'CATALOG_INVALID') throw error;
    call.terminal.warn('the catalog was not valid before, so everything counts as added');
    return { old: readCatalog(new Map()), now, before: new Map(), after };
  }
}

/** The directory where the revision and HEAD meet; no files where it was not there. */
async function filesSince(call: Call, directory: string, since: string): Promise<PackageFiles> {
  await using clone = await openRepository(call.path(directory), call.signal);
  const commit = await clone.git('merge-base', '--end-of-options', since, 'HEAD');
  const path = repositoryDirectory(await clone.git('rev-parse', '--show-prefix'));
  const found = await readPackage({
    repo: clone.repo,
    commit,
    path,
    limits: PACKAGE_LIMITS,
    signal: call.signal,
  });
  return found?.files ?? new Map();
}

function byName(packages: readonly ModelPackage[]): ReadonlyMap<string, ModelPackage> {
  return new Map(packages.map((one) => [one.name, one]));
}

const HEADER = ['change', 'what', 'package', 'channel', 'name', 'before', 'after'];
const UPGRADES = ['installed', 'upgraded to before', 'and after'];

function rowOf({ change, what, package: of, channel, name, before, after }: CatalogChange): string[] {
  return [change, what, of, channel ?? '', name ?? '', listed(before), listed(after)];
}

function upgradeRow({ installed, before, after, why }: Upgrade): string[] {
  return [installed, before ?? '-', after ?? `- ${why ?? ''}`.trimEnd()];
}

/** So many edges are written out in a cell: a range may lead from hundreds of bundles. */
const MOST = 4;

function listed(texts: readonly string[]): string {
  const more = texts.length - MOST;
  return more > 0 ? `${texts.slice(0, MOST).join(', ')} and ${more} more` : texts.join(', ');
}

/** Rows of a page, and what a forge draws of a graph. */
const MOST_ROWS = 200;
const MOST_CHARACTERS = 40_000;

/** For the summary of a workflow: the tables, and the graphs of changed packages before and after. */
function markdown(
  { old, now, before, after }: Sides,
  changes: readonly CatalogChange[],
  upgrades: readonly Upgrade[],
): string {
  const graphs = [...new Set(changes.map((change) => change.package))].flatMap((name) =>
    (
      [
        ['before', old, before],
        ['after', now, after],
      ] as const
    ).flatMap(([when, catalog, packages]) => {
      if (!packages.has(name)) return [];
      const drawn = mermaidGraph(catalog, { package: name, v0: false });
      const shown =
        drawn.length > MOST_CHARACTERS
          ? 'The graph is too large to be drawn.'
          : fence(drawn.trimEnd(), 'mermaid');
      return ['', `${codeSpan(name)} ${when}:`, '', shown];
    }),
  );
  return [
    changes.length === 0 ? '### The catalog does not change' : '### What changes in the catalog',
    ...rows(HEADER, changes.map(rowOf)),
    ...rows(UPGRADES, upgrades.map(upgradeRow)),
    ...graphs,
    '',
  ].join('\n');
}

/** A table in which foreign text is inert. */
function rows(header: readonly string[], cells: readonly (readonly string[])[]): string[] {
  if (cells.length === 0) return [];
  const quoted = cells
    .slice(0, MOST_ROWS)
    .map((words) => words.map((word) => (word === '' ? '' : codeSpan(word))));
  const more = notShown(cells.length - MOST_ROWS);
  return ['', markdownTable(header, quoted), ...(more === '' ? [] : ['', more])];
}

/** `installed` is a bundle's name; its package is the one that has it in either catalog. */
function upgradeOf(installed: string, { old, now }: Sides): Upgrade {
  const bundle = [...old.bundles, ...now.bundles].find(({ name }) => name === installed);
  if (bundle === undefined)
    return { installed, before: null, after: null, why: 'neither catalog has this bundle' };
  const [known] = candidatesOf([bundle]);
  const request = {
    package: bundle.package,
    installed,
    ...(known !== undefined && { installedVersion: installedVersion(known) }),
  };
  const after = resolve(now, request);
  return {
    installed,
    before: resolve(old, request).resolved,
    after: after.resolved,
    ...(after.resolved === null && { why: after.detail }),
  };
}
