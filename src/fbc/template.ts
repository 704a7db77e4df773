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

const KINDS: Readonly<
  Record<string, (template: Fields, file: string, render: RenderBundle) => Promise<Catalog>>
> = {
  'olm.semver': renderSemver,
  'olm.template.basic': renderBasic,
  'olm.template.substitutes': renderSubstitutes,
};

/**
 * Renders the template, whose schema says of which kind it is. Throws `TEMPLATE_INVALID` in the words of operator-registry.
 *
 * @param bundleOf the rendered bundle of an image; undefined where there is none
 */
export async function renderTemplate(
  file: string,
  text: string,
  bundleOf: (image: string) => Promise<BundleBlob | undefined>,
): Promise<Catalog> {
  const template = readTemplate(file, text);
  const schema = new FieldReader(template, 'Template').value('schema');
  const render = typeof schema === 'string' && Object.hasOwn(KINDS, schema) ? KINDS[schema] : undefined;
  if (render === undefined) throw unknownSchema(template, schema, file);
  return render(template, file, async (image) => {
    const bundle = await bundleOf(image);
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

/** What a template is meant to be shows in its fields; the sentences are those that each kind has for another schema. */
function unknownSchema(template: Fields, schema: YamlValue | undefined, file: string): TemplateMistake {
  const shown = quoted(typeof schema === 'string' ? schema : '');
  const fields = new Set(Object.keys(template).map((name) => name.toLowerCase()));
  if (
    ['candidate', 'fast', 'stable', 'generatemajorchannels', 'generateminorchannels'].some((name) =>
      fields.has(name),
    )
  ) {
    const what = 'input file has unknown schema, should be "olm.semver"';
    return new TemplateMistake(`render: unable to read file: readFile: ${what}`, file);
  }
  const meant = fields.has('substitutions') ? 'substitutes' : fields.has('entries') ? 'basic' : undefined;
  if (meant === undefined) {
    return new TemplateMistake(
      `unknown template schema ${shown}; it is one of ${listed(Object.keys(KINDS))}`,
      file,
    );
  }
  const what = `template has unknown schema (${shown}), should be "olm.template.${meant}"`;
  return new TemplateMistake(meant === 'basic' ? what : `render: unable to parse template: ${what}`, file);
}
