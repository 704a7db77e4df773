/** `olm.template.basic`: a catalog whose bundles are only named. */
import type { BundleBlob, Catalog, Fields } from './catalog.ts';
import { FieldReader, TypeMistake } from './go-fields.ts';
import { CatalogMistake } from './mistake.ts';
import { readCatalogDocuments } from './read-catalog.ts';
import { TemplateMistake, type RenderBundle } from './template-bundle.ts';

/** Puts the rendered bundles in the place of those that are named; everything else stays. */
export async function renderBasic(template: Fields, file: string, render: RenderBundle): Promise<Catalog> {
  const catalog = entriesOf(template, file, 'BasicTemplateData');
  if (!catalog.bundles.every(isOnlyNamed))
    throw new TemplateMistake('unexpected fields present in basic template bundle', file);
  const bundles: BundleBlob[] = [];
  for (const { image } of catalog.bundles) bundles.push(await render(image));
  return { ...catalog, bundles };
}

function isOnlyNamed({ image, package: of, properties, relatedImages }: BundleBlob): boolean {
  return image !== '' && of === '' && properties.length === 0 && relatedImages.length === 0;
}

/** The documents that a template carries. */
export function entriesOf(template: Fields, file: string, struct: string): Catalog {
  try {
    const entries = new FieldReader(template, struct).list('entries', '[]*declcfg.Meta');
    return readCatalogDocuments(entries, { file, line: 1 });
  } catch (error) {
    if (!(error instanceof TypeMistake || error instanceof CatalogMistake)) throw error;
    const sentence = error instanceof CatalogMistake ? error.sentence : error.message;
    throw new TemplateMistake(sentence, file, error);
  }
}
