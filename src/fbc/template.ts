/** Catalog templates: a short document, and the bundles it names, become a catalog. */
import { PorticoError } from '../error.ts';
import { toValue } from '../package/yaml/compare.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { readYamlFile } from '../package/yaml/read.ts';
import type { BundleBlob, Catalog, Fields } from './catalog.ts';
import { FieldReader, isMap } from './go-fields.ts';
import { listed, quoted } from './go-text.ts';
import { renderBasic } from './template-basic.ts';
import { TemplateMistake, type RenderBundle } from './template-bundle.ts';
import { renderSemver } from './template-semver.ts';
import { renderSubstitutes } from './template-substitutes.ts';

const KINDS: Readonly<Record<string, (template: Fields, file: string, render: RenderBundle) => Catalog>> = {
  'olm.semver': renderSemver,
  'olm.template.basic': renderBasic,
  'olm.template.substitutes': renderSubstitutes,
};

/**
 * Renders the template, whose schema says of which kind it is. Throws `TEMPLATE_INVALID` in the words of operator-registry.
 *
 * @param bundleOf the rendered bundle of an image; undefined where there is none
 */
export function renderTemplate(
  file: string,
  text: string,
  bundleOf: (image: string) => BundleBlob | undefined,
): Catalog {
  const template = readTemplate(file, text);
  const schema = new FieldReader(template, 'Template').value('schema');
  const render = typeof schema === 'string' && Object.hasOwn(KINDS, schema) ? KINDS[schema] : undefined;
  if (render === undefined) {
    const known = Object.keys(KINDS);
    const shown = quoted(typeof schema === 'string' ? schema : '');
    throw new TemplateMistake(`unknown template schema ${shown}; it is one of ${listed(known)}`, file);
  }
  return render(template, file, (image) => {
    const bundle = bundleOf(image);
    if (bundle !== undefined) return bundle;
    throw new TemplateMistake(`there is no rendered bundle for the image ${quoted(image)}`, file);
  });
}

function readTemplate(file: string, text: string): Fields {
  let value: YamlValue = null;
  try {
    const roots = readYamlFile(text).documents.flatMap(({ root }) => (root === null ? [] : [root]));
    const [first] = roots;
    if (first !== undefined) value = toValue(first);
  } catch (error) {
    if (!(error instanceof PorticoError)) throw error;
    throw new TemplateMistake(`decoding template schema: ${error.message}`, file);
  }
  if (isMap(value)) return value;
  throw new TemplateMistake('a template is a map with a schema', file);
}
