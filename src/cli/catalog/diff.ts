import { catalogDiff, type CatalogChange } from '../../fbc/catalog-diff.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import type { ModelPackage } from '../../fbc/model.ts';
import { resolve } from '../../fbc/resolve.ts';
import { candidatesOf, installedVersion } from '../../fbc/successors.ts';
import { EXIT } from '../exit-code.ts';
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

/**
 * `portico catalog diff OLD NEW`: the changes by package, channel, bundle and edge, and what becomes of bundles that are installed.
 * Fails where the newer catalog offers nothing to one of these that the older one serves.
 */
export async function diff(call: Call): Promise<number> {
  const { terminal } = call;
  const [old, now] = call.positionals.map((directory) => readCatalogOf(call, directory)) as [
    Catalog,
    Catalog,
  ];
  const changes = catalogDiff(byName(old), byName(now));
  const upgrades = call.list('installed').map((name) => upgradeOf(name, old, now));
  if (terminal.json) terminal.document({ changes, upgrades });
  else {
    if (changes.length === 0) terminal.print('no changes');
    else terminal.write(visible(table([HEADER, ...changes.map(rowOf)])));
    if (upgrades.length > 0) {
      const rows = upgrades.map(({ installed, before, after, why }) => [
        installed,
        before ?? '-',
        after ?? `- ${why ?? ''}`.trimEnd(),
      ]);
      terminal.write(visible(`\n${table([['INSTALLED', 'UPGRADED TO BEFORE', 'AND AFTER'], ...rows])}`));
    }
  }
  return upgrades.some(({ after }) => after === null) ? EXIT.failed : EXIT.ok;
}

function byName(catalog: Catalog): ReadonlyMap<string, ModelPackage> {
  return new Map(packagesOf(catalog).map((one) => [one.name, one]));
}

const HEADER = ['CHANGE', 'WHAT', 'PACKAGE', 'CHANNEL', 'NAME', 'BEFORE', 'AFTER'];

function rowOf({ change, what, package: of, channel, name, before, after }: CatalogChange): string[] {
  return [change, what, of, channel ?? '', name ?? '', listed(before), listed(after)];
}

/** So many edges are written out in a cell: a range may lead from hundreds of bundles. */
const MOST = 4;

function listed(texts: readonly string[]): string {
  const more = texts.length - MOST;
  return more > 0 ? `${texts.slice(0, MOST).join(', ')} and ${more} more` : texts.join(', ');
}

/** `installed` is a bundle's name; its package is the one that has it in either catalog. */
function upgradeOf(installed: string, old: Catalog, now: Catalog): Upgrade {
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
