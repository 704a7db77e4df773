import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PorticoError } from '../../error.ts';
import { imageBundle } from '../../fbc/bundle-directory.ts';
import type { BundleBlob } from '../../fbc/catalog.ts';
import { readCatalog } from '../../fbc/read-catalog.ts';
import { renderTemplate } from '../../fbc/template.ts';
import type { PackageFiles } from '../../package/package.ts';
import { decodeText } from '../../package/render/read-resources.ts';
import { readFolder } from '../folder.ts';
import { reasonOf } from '../system-error.ts';
import { placeIn, type Call } from '../verb.ts';
import { openImages } from './image-files.ts';
import { openImageLock } from './image-lock.ts';
import { writeCatalog } from './render.ts';

/**
 * `portico catalog template FILE`: the catalog that a template stands for. Bundles that `--bundles` does not hold are pulled, those named
 * by a tag with `--lock`.
 */
export async function template(call: Call): Promise<number> {
  const typed = call.positionals[0] ?? '';
  const directory = call.text('bundles');
  const files: PackageFiles =
    directory === undefined ? new Map() : readFolder(call.path(directory), { warn: call.terminal.warn });
  const place = placeIn(call, '/');
  const file = place(join('/', call.path(typed)));
  const text = decodeText(file, readTemplate(call, typed));
  const lock = openImageLock(call);
  const images = openImages(call);
  const catalog = await renderTemplate(file, text, async (image) => {
    const rendered = renderedBundle(files, image);
    if (rendered !== undefined || image === '') return rendered;
    call.terminal.progress(`pulling ${image}`);
    const pinned = await lock.pinned(image);
    return imageBundle((await images(pinned)).files, pinned);
  });
  call.terminal.progress('');
  lock.save();
  return writeCatalog(call, catalog);
}

function readTemplate(call: Call, typed: string): Uint8Array {
  try {
    return readFileSync(call.path(typed));
  } catch (cause) {
    throw new PorticoError('TEMPLATE_UNREADABLE', `${typed} cannot be read: ${reasonOf(cause)}`, {
      blame: 'user',
      cause,
      hint: 'Name the file of a catalog template.',
    });
  }
}

/** The one bundle in the file that is named as the image, with `/`, `:` and `@` as `_`. */
function renderedBundle(files: PackageFiles, image: string): BundleBlob | undefined {
  const name = image.replaceAll(/[/:@]/g, '_');
  for (const ending of ['.yaml', '.yml', '.json', '']) {
    const file = files.get(name + ending);
    if (file === undefined) continue;
    const { bundles } = readCatalog(new Map([[name + ending, file]]));
    const [bundle] = bundles;
    if (bundle !== undefined && bundles.length === 1) return bundle;
    throw new PorticoError(
      'TEMPLATE_INVALID',
      `bundle reference "${image}" resulted in ${bundles.length} bundles, expected 1`,
      { blame: 'user', hint: `Fix ${name}${ending} in the directory of rendered bundles.` },
    );
  }
  return undefined;
}
