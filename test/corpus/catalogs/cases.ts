/** The cases of catalogs: what is asked of which catalog, and how few words become its files. */
import { stringify } from 'yaml';
import { z } from 'zod';

import type { PackageFiles } from '../../../src/package/package.ts';
import { documentsOf } from '../../fbc/catalog-text.ts';
import { type CaseHead, readCases, tree } from '../read-cases.ts';

const document = z.record(z.string(), z.unknown());

const entry = z.strictObject({
  name: z.string(),
  replaces: z.string().exactOptional(),
  skips: z.array(z.string()).exactOptional(),
  skipRange: z.string().exactOptional(),
});

/** A bundle of an index from before catalogs were files: it says itself which channels it is in. */
const oldBundle = z.strictObject({
  image: z.string().exactOptional(),
  name: z.string(),
  package: z.string().default('web'),
  version: z.string().default(''),
  replaces: z.string().exactOptional(),
  skips: z.array(z.string()).exactOptional(),
  channels: z.array(z.string()),
  defaultChannel: z.string().exactOptional(),
});

export const QUESTIONS = [
  'validate',
  'render',
  'list',
  'graph',
  'bundle',
  'template',
  'resolve',
  'successors',
  'ranges',
  'heads',
  'add',
  'index',
] as const;

export const input = {
  ask: z.enum(QUESTIONS),
  /** Channels of each package, the default channel first; an entry `web.v1.0.0` has a bundle of that version. */
  packages: z.record(z.string(), z.record(z.string(), z.array(z.union([z.string(), entry])))).optional(),
  /** Further documents. A bundle replaces the one of its name. */
  documents: z.array(document).optional(),
  /** Files as they are. */
  files: tree.optional(),
  template: document.optional(),
  /** What differs from `web.v1.0.0` in the bundle of the image `example.com/web:1.0.0`. */
  images: z.record(z.string(), document).optional(),
  options: z
    .strictObject({
      package: z.string(),
      channels: z.array(z.string()),
      version: z.string(),
      installed: z.string(),
      policy: z.enum(['CatalogProvided', 'SelfCertified']),
      minimumEdge: z.string(),
      v0: z.boolean(),
      mode: z.enum(['replaces', 'semver', 'semver-skippatch']),
    })
    .partial()
    .optional(),
  bundles: z.array(oldBundle).optional(),
  /** Changes of an index, one after the other; `overwrite` puts the second image in place of the first. */
  steps: z
    .array(
      z
        .strictObject({
          add: z.array(z.string()),
          deprecate: z.string(),
          overwrite: z.tuple([z.string(), z.string()]),
        })
        .partial(),
    )
    .optional(),
  ranges: z.array(z.string()).optional(),
  versions: z.array(z.string()).optional(),
};

const shape = {
  ...input,
  expected: document,
  /** Where Portico answers otherwise: why, and the answer's fields that are other ones. */
  differs: z.strictObject({ why: z.string(), expected: document }).optional(),
};

export type CatalogInput = z.infer<z.ZodObject<typeof input>>;
export type CatalogCase = CaseHead & z.infer<z.ZodObject<typeof shape>>;

/** Returns the cases that ask one of these questions. */
export function catalogCases(...questions: readonly (typeof QUESTIONS)[number][]): CatalogCase[] {
  return readCases('catalogs', shape).filter(({ ask }) => questions.includes(ask));
}

/** Returns what Portico answers: the tool's answer, but for the documented difference. A field that is null there is absent. */
export function answerOfPortico({ expected, differs }: CatalogCase): Record<string, unknown> {
  if (differs === undefined) return expected;
  const fields = Object.entries({ ...expected, ...differs.expected });
  return Object.fromEntries(fields.filter(([name]) => differs.expected[name] !== null));
}

/** Returns the documents of a case's catalog, as far as they are not in its files. */
function documentsIn({ packages = {}, documents = [] }: CatalogInput): object[] {
  const replaced = new Set(
    documents.filter((one) => one['schema'] === 'olm.bundle').map((one) => one['name']),
  );
  const made = Object.entries(packages).flatMap(([name, channels]) =>
    documentsOf(
      Object.fromEntries(
        Object.entries(channels).map(([channel, entries]) => [
          channel,
          entries.map((one) => (typeof one === 'string' ? { name: one } : one)),
        ]),
      ),
      name,
    ),
  );
  const kept = made.filter((one) => !('image' in one && 'name' in one && replaced.has(one.name)));
  return [...kept, ...documents];
}

/** Returns the files of a case by path. */
export function filesIn(one: CatalogInput): Record<string, string> {
  const documents = documentsIn(one);
  return {
    ...one.files,
    ...(documents.length > 0 && { 'catalog.yaml': yamlOf(documents) }),
    ...(one.template !== undefined && { 'template.yaml': stringify(one.template) }),
  };
}

/** Returns the files of a case as those of a package. */
export function packageFilesIn(one: CatalogInput): PackageFiles {
  return new Map(
    Object.entries(filesIn(one)).map(([path, text]) => [
      path,
      { mode: '100644', bytes: new TextEncoder().encode(text) },
    ]),
  );
}

function yamlOf(documents: readonly object[]): string {
  return documents.map((one) => `---\n${stringify(one, { lineWidth: 0 })}`).join('');
}

/** Returns the catalog, with one bundle, that each image of a template stands for. */
export function imagesIn({ template, images = {} }: CatalogInput): Record<string, string> {
  const named = JSON.stringify(template ?? {}).match(/example\.com\/[^"]+/g) ?? [];
  return Object.fromEntries(
    [...new Set([...named, ...Object.keys(images)])].map((image) => {
      const [, name = '', version = ''] = /([^/]+):(.+)$/.exec(image) ?? [];
      const [bundle] = documentsOf({ any: [{ name: `${name}.v${version.replace('_', '+')}` }] }, name).slice(
        2,
      );
      return [image, yamlOf([{ ...bundle, image, ...images[image] }])];
    }),
  );
}
