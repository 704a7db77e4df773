/** The cases of bundles: what they ask, and the files that they stand for. */
import { z } from 'zod';

import { tree } from './read-cases.ts';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(json), z.record(z.string(), json)]),
);

/** A CustomResourceDefinition of shops in short. */
const definition = z.strictObject({
  /** The properties of `spec` in each served version; the last one is stored. */
  versions: z.record(z.string(), z.record(z.string(), json)),
  /** What `spec` requires, in all versions. */
  required: z.array(z.string()).optional(),
  scope: z.string().default('Namespaced'),
  conversion: json.optional(),
  storedVersions: z.array(z.string()).optional(),
});

const result = z.strictObject({
  errors: z.array(z.string()).optional(),
  objects: z
    .array(z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) }))
    .optional(),
});

export const bundleCase = {
  /** A JSON merge patch of `CSV`: the bundle is that description with its annotations. Without it the bundle is `files` alone. */
  csv: json.optional(),
  files: tree.optional(),
  /** Options of a conversion; without them the bundle is validated. */
  convert: z
    .strictObject({
      installNamespace: z.string(),
      targetNamespaces: z.array(z.string()).optional(),
      certificateProvider: z.enum(['cert-manager', 'service-ca']).optional(),
      deploymentConfig: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  /** A plain bundle is converted as such. */
  plain: z.literal(true).optional(),
  /** A definition before and after an upgrade, in place of a bundle; a text is another object. */
  old: definition.optional(),
  new: z.union([definition, z.string()]).optional(),
  expected: result.optional(),
  /** Why Portico answers otherwise, and its answer. */
  differs: z.string().optional(),
  portico: result.optional(),
};

export type BundleCase = z.infer<z.ZodObject<typeof bundleCase>>;

const ANNOTATIONS = `annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: shop
  operators.operatorframework.io.bundle.channels.v1: stable
  operators.operatorframework.io.bundle.channel.default.v1: stable
`;

/** The description that cases change: an operator of one Deployment, for all namespaces. */
const CSV: Json = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'shop.v1.0.0', annotations: { capabilities: 'Basic Install' } },
  spec: {
    displayName: 'Shop',
    version: '1.0.0',
    installModes: [
      { type: 'OwnNamespace', supported: false },
      { type: 'SingleNamespace', supported: false },
      { type: 'MultiNamespace', supported: false },
      { type: 'AllNamespaces', supported: true },
    ],
    install: {
      strategy: 'deployment',
      spec: {
        deployments: [
          {
            name: 'shop-manager',
            spec: {
              replicas: 1,
              selector: { matchLabels: { app: 'shop' } },
              template: {
                metadata: { labels: { app: 'shop' } },
                spec: { containers: [{ name: 'manager', image: 'example.com/shop:1.0.0' }] },
              },
            },
          },
        ],
      },
    },
  },
};

/** The files of a case's bundle. */
export function filesOfBundle({
  csv,
  files = {},
}: Pick<BundleCase, 'csv' | 'files'>): Record<string, string> {
  if (csv === undefined) return files;
  return {
    'metadata/annotations.yaml': ANNOTATIONS,
    'manifests/csv.yaml': `${JSON.stringify(merged(CSV, csv), null, 2)}\n`,
    ...files,
  };
}

/** A JSON merge patch (RFC 7396). */
function merged(base: Json | undefined, patch: Json): Json {
  if (!isMap(patch)) return patch;
  const result: { [key: string]: Json } = isMap(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

function isMap(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The definition of a case as it is applied. */
export function definitionOf(one: z.infer<typeof definition> | string): string {
  if (typeof one === 'string') return one;
  const { versions, required, scope, conversion, storedVersions } = one;
  const names = Object.keys(versions);
  const schemaOf = (properties: object): object => ({
    type: 'object',
    properties: { spec: { type: 'object', required, properties } },
  });
  return JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shops.acme.example' },
    spec: {
      group: 'acme.example',
      scope,
      names: { kind: 'Shop', plural: 'shops' },
      conversion,
      versions: Object.entries(versions).map(([name, properties]) => ({
        name,
        served: true,
        storage: name === names.at(-1),
        schema: { openAPIV3Schema: schemaOf(properties) },
      })),
    },
    ...(storedVersions !== undefined && { status: { storedVersions } }),
  });
}
