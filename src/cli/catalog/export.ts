import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { exportCatalog } from '../../channels/export-catalog.ts';
import { CHANNELS_FOLDER } from '../../channels/judge-file.ts';
import { PorticoError } from '../../error.ts';
import type { Catalog } from '../../fbc/catalog.ts';
import { byText } from '../../fbc/go-text.ts';
import { validateCatalog } from '../../fbc/validate.ts';
import { verdictText } from '../../fbc/verdict-text.ts';
import { catalogYaml } from '../../fbc/write-catalog.ts';
import type { PackageFile } from '../../package/package.ts';
import { counted } from '../../text/counted.ts';
import { EXIT } from '../exit-code.ts';
import { requireFree, writeNewFolder } from '../folder-write.ts';
import type { Call } from '../verb.ts';
import { bundleImagesOf } from './bundle-images.ts';
import { KEPT_OTHERS, keptOf, recordedPackages } from './exported-packages.ts';
import { writeCatalog } from './render.ts';
import { withUpstream } from './upstream-clone.ts';

/** `portico catalog export [DIR]`: the packages and channels of a clone as a file-based catalog. */
export async function exportVerb(call: Call): Promise<number> {
  const { terminal } = call;
  const target = call.text('to');
  if (target !== undefined) requireFree(call.path(target));
  const catalog = await exportedCatalog(call, call.path(call.positionals[0] ?? '.'));
  if (target === undefined) return writeCatalog(call, catalog);
  const files = filesOf(catalog);
  writeNewFolder(call.path(target), files);
  if (terminal.json) terminal.document({ files: [...files.keys()] });
  else terminal.print(`Wrote ${counted(files.size, 'file')} to ${target}.`);
  return EXIT.ok;
}

/** True for a clone whose packages have channels. */
export function holdsChannels(folder: string): boolean {
  return existsSync(join(folder, CHANNELS_FOLDER));
}

/** The valid catalog that a clone offers. Throws `CATALOG_INVALID` and `EXPORT_REFUSED`. */
export async function exportedCatalog(
  call: Call,
  folder: string,
  images = bundleImagesOf(call),
): Promise<Catalog> {
  const { signal, terminal } = call;
  const options = { named: call.text('repository'), branch: call.text('branch') };
  const catalog = await withUpstream(folder, options, signal, async (upstream) => {
    const wanted = call.list('package');
    const chosen = upstream.packages.filter(
      ({ offer }) => wanted.length === 0 || wanted.includes(offer.path),
    );
    const missing = wanted.find((path) => !chosen.some(({ offer }) => offer.path === path));
    if (missing !== undefined)
      throw noPackage(
        missing,
        upstream.packages.map(({ offer }) => offer.path),
      );
    for (const { offer, channels } of chosen)
      if (channels === undefined) terminal.warn(`${offer.path} has no channel file and is skipped`);
    const offered = chosen.filter(({ channels }) => channels !== undefined);
    const packages = await recordedPackages(upstream, offered, signal, images);
    const { catalog: made, notes } = exportCatalog(packages, upstream.source.repository);
    for (const note of notes) terminal.warn(note);
    const kept = await upstream.git.readFile(upstream.source.commit, KEPT_OTHERS, signal);
    if (kept === null || wanted.length > 0) return made;
    return { ...made, others: [...made.others, ...keptOf(KEPT_OTHERS, kept).documents.others] };
  });
  const { errors, warnings } = validateCatalog(catalog);
  for (const { message } of warnings) terminal.warn(message);
  if (errors.length === 0) return catalog;
  throw new PorticoError('CATALOG_INVALID', `the catalog would not be valid:\n${verdictText(errors, 50)}`, {
    blame: 'user',
    hint: 'portico catalog plan shows problems in channel files. A bundle without manifests needs an image: name where with --bundle-images.',
  });
}

function noPackage(path: string, all: readonly string[]): PorticoError {
  return new PorticoError('CATALOG_NO_PACKAGE', `there is no package ${path}`, {
    blame: 'user',
    hint: `The packages are: ${all.join(', ')}`,
  });
}

/** One file for each package, as the catalogs of the field have it. */
export function filesOf(catalog: Catalog): Map<string, PackageFile> {
  const names = new Set(catalog.packages.map(({ name }) => name));
  const part = (has: (name: string) => boolean): Catalog => ({
    packages: catalog.packages.filter(({ name }) => has(name)),
    channels: catalog.channels.filter((one) => has(one.package)),
    bundles: catalog.bundles.filter((one) => has(one.package)),
    deprecations: catalog.deprecations.filter((one) => has(one.package)),
    others: catalog.others.filter((one) => has(one.package)),
  });
  const files = new Map<string, PackageFile>();
  const put = (path: string, one: Catalog): void =>
    void files.set(path, { mode: '100644', bytes: new TextEncoder().encode(catalogYaml(one)) });
  for (const name of [...names].sort(byText))
    put(
      `${name}/catalog.yaml`,
      part((of) => of === name),
    );
  if (catalog.others.some((one) => !names.has(one.package)))
    put(
      'catalog.yaml',
      part((of) => !names.has(of)),
    );
  return files;
}
