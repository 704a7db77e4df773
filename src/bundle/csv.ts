/** The fields of a ClusterServiceVersion that conversion and validation read. What else it says stays untouched. */
import { z } from 'zod';

import { isMap } from '../fbc/go-fields.ts';
import type { YamlValue } from '../package/yaml/edit.ts';
import { nameOf, type Fields, type Manifest } from './manifest.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');
const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const texts = z
  .array(z.string())
  .nullish()
  .transform((value) => value ?? []);
const annotations = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});
const fields = z.custom<Fields>((value) => isMap(value as YamlValue), 'expected a map');
const rules = z
  .array(fields)
  .nullish()
  .transform((value) => value ?? undefined);

function listOf<Item extends z.ZodType>(item: Item) {
  return z
    .array(item)
    .nullish()
    .transform((value) => value ?? []);
}

const port = z.number().int().min(0).max(65_535);

const permission = z.object({ serviceAccountName: text, rules });

const webhook = z.object({
  type: text,
  generateName: text,
  deploymentName: text,
  containerPort: port.nullish().transform((value) => value ?? 0),
  targetPort: z.union([port, z.string()]).nullish(),
  webhookPath: optionalText,
  admissionReviewVersions: texts,
  conversionCRDs: texts,
  rules,
  failurePolicy: optionalText,
  matchPolicy: optionalText,
  reinvocationPolicy: optionalText,
  sideEffects: optionalText,
  timeoutSeconds: z.number().int().nullish(),
  objectSelector: fields.nullish(),
});

const owned = listOf(z.object({ name: text, version: text, kind: text, group: text }));
const definitions = z
  .object({ owned })
  .nullish()
  .transform((value) => value?.owned ?? []);

const schema = z.object({
  metadata: z
    .object({ name: text, annotations })
    .nullish()
    .transform((value) => value ?? { name: '', annotations: {} }),
  spec: z
    .object({
      version: text,
      replaces: text,
      installModes: listOf(
        z.object({
          type: text,
          supported: z
            .boolean()
            .nullish()
            .transform((value) => value ?? false),
        }),
      ),
      customresourcedefinitions: definitions,
      apiservicedefinitions: definitions,
      webhookdefinitions: listOf(webhook),
      install: z
        .object({
          spec: z
            .object({
              deployments: listOf(
                z.object({
                  name: text,
                  label: annotations,
                  spec: fields.nullish().transform((value) => value ?? {}),
                }),
              ),
              permissions: listOf(permission),
              clusterPermissions: listOf(permission),
            })
            .nullish(),
        })
        .nullish(),
    })
    .nullish(),
});

export type Permission = z.output<typeof permission>;
export type Webhook = z.output<typeof webhook>;

export interface Csv {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly version: string;
  readonly installModes: readonly { readonly type: string; readonly supported: boolean }[];
  readonly deployments: readonly CsvDeployment[];
  readonly permissions: readonly Permission[];
  readonly clusterPermissions: readonly Permission[];
  readonly ownedCrds: readonly OwnedApi[];
  readonly ownedApiServices: readonly OwnedApi[];
  readonly webhooks: readonly Webhook[];
}

export interface CsvDeployment {
  readonly name: string;
  readonly label: Readonly<Record<string, string>>;
  readonly spec: Fields;
}

interface OwnedApi {
  readonly name: string;
  readonly version: string;
  readonly kind: string;
  readonly group: string;
}

/** Reads a ClusterServiceVersion, or says which field is of another type than it should be. */
export function readCsv(manifest: Manifest): { readonly csv: Csv } | { readonly problem: string } {
  const read = schema.safeParse(manifest);
  if (!read.success) {
    const [issue] = read.error.issues;
    const path = issue?.path.join('.') ?? '';
    return {
      problem: `ClusterServiceVersion "${nameOf(manifest)}": ${path}: ${issue?.message ?? 'invalid'}`,
    };
  }
  const { metadata, spec } = read.data;
  const install = spec?.install?.spec;
  return {
    csv: {
      ...metadata,
      version: spec?.version ?? '',
      installModes: spec?.installModes ?? [],
      deployments: install?.deployments ?? [],
      permissions: install?.permissions ?? [],
      clusterPermissions: install?.clusterPermissions ?? [],
      ownedCrds: spec?.customresourcedefinitions ?? [],
      ownedApiServices: spec?.apiservicedefinitions ?? [],
      webhooks: spec?.webhookdefinitions ?? [],
    },
  };
}
