/** The cases of variants: what they ask, and what Porch's controllers did. */
import { z } from 'zod';

import { tree } from './read-cases.ts';

const fields = z.record(z.string(), z.unknown());

/** A package revision in short. */
const revision = z.strictObject({
  /** `REPOSITORY/PACKAGE@WORKSPACE`. */
  of: z.string().regex(/^[^/]+\/[^@]+@[^@]+$/),
  /** Its number: 0 for a draft, -1 for one whose workspace is not `v` and a number. */
  number: z.int().default(0),
  lifecycle: z.enum(['Draft', 'Proposed', 'Published', 'DeletionProposed']).default('Published'),
  namespace: z.string().optional(),
  /** Identities of its owners; that of the document is `asked`. */
  owners: z.array(z.string()).default([]),
  labels: z.record(z.string(), z.string()).optional(),
  /** The ref of its `upstreamLock`. */
  lock: z.string().optional(),
});

const revisionWrite = z.looseObject({
  create: z.string().optional(),
  update: z.string().optional(),
  delete: z.string().optional(),
});

const result = z.strictObject({
  /** The document does not fit the served API. */
  refused: z.string().optional(),
  /** Why the controller stops: a text for variants, with a reason for sets. */
  stalled: z.union([z.string(), z.strictObject({ reason: z.string(), message: z.string() })]).optional(),
  error: z.string().optional(),
  /** The variants of a set, and those that it deleted. */
  variants: z.array(z.strictObject({ name: z.string(), spec: z.record(z.string(), z.unknown()) })).optional(),
  deleted: z.array(z.string()).optional(),
  /** What a variant did to package revisions, in order, and the revisions that it works on. */
  writes: z.array(revisionWrite).optional(),
  targets: z.array(z.string()).optional(),
  /** The files of the draft that differ now. */
  changed: tree.optional(),
});

export const variantCase = {
  /** The spec of a PackageVariant or a PackageVariantSet of the name `shop`, or a whole document. */
  variant: fields.optional(),
  set: fields.optional(),
  document: z.string().optional(),
  /** The name of the document, where it matters. */
  called: z.string().default('shop'),
  revisions: z.array(revision).default([]),
  /** Labels of registered repositories by name. */
  repositories: z.record(z.string(), z.record(z.string(), z.string())).default({}),
  /** Other objects that there are. */
  objects: z.array(fields).default([]),
  /** Specs of the variants that the set made before, by name. */
  made: z.record(z.string(), fields).default({}),
  /** The files of the variant's draft. Without a Kptfile it has one of only a name. */
  package: tree.optional(),
  expected: result.optional(),
  /** Why Portico answers otherwise, and its answer. */
  differs: z.string().optional(),
  portico: result.optional(),
};

export type VariantCase = z.infer<z.ZodObject<typeof variantCase>>;
export type VariantResult = z.infer<typeof result>;

const GROUP = 'config.porch.kpt.dev';

/** The document of a case. */
export function documentOf({ variant, set, document, called }: VariantCase): string {
  if (document !== undefined) return document;
  const [apiVersion, kind] =
    variant === undefined
      ? [`${GROUP}/v1alpha2`, 'PackageVariantSet']
      : [`${GROUP}/v1alpha1`, 'PackageVariant'];
  return JSON.stringify({ apiVersion, kind, metadata: { name: called }, spec: variant ?? set }, null, 2);
}

/** The other objects of a case, as YAML documents. */
export function worldOfCase({ revisions, repositories, objects, made }: VariantCase): string {
  const all = [
    ...revisions.map(revisionOf),
    ...Object.entries(repositories).map(([name, labels]) => ({
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'Repository',
      metadata: { name, labels },
      spec: { type: 'git', git: { repo: `https://git.example.com/${name}.git` } },
    })),
    ...objects,
    ...Object.entries(made).map(([name, spec]) => ({
      apiVersion: `${GROUP}/v1alpha1`,
      kind: 'PackageVariant',
      metadata: { name },
      spec,
    })),
  ];
  return all.map((one) => `${JSON.stringify(one)}\n`).join('---\n');
}

function revisionOf({
  of,
  number,
  lifecycle,
  namespace,
  owners,
  labels,
  lock,
}: z.infer<typeof revision>): object {
  const [, repository, packageName, workspaceName] = /^([^/]+)\/([^@]+)@(.+)$/.exec(of)!;
  return {
    apiVersion: 'porch.kpt.dev/v1alpha1',
    kind: 'PackageRevision',
    metadata: {
      name: `${repository}.${packageName}.${workspaceName}`,
      namespace,
      labels,
      ownerReferences: owners.map((uid) => ({
        apiVersion: `${GROUP}/v1alpha1`,
        kind: 'PackageVariant',
        name: uid,
        uid,
      })),
    },
    spec: { repository, packageName, workspaceName, revision: number, lifecycle },
    ...(lock !== undefined && {
      status: {
        upstreamLock: {
          type: 'git',
          git: { repo: 'https://git.example.com/up.git', ref: lock, commit: 'abc' },
        },
      },
    }),
  };
}

/** The files of a case's draft. */
export function packageOf({ package: files }: VariantCase): Record<string, string> | undefined {
  return files && { Kptfile: 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n', ...files };
}
