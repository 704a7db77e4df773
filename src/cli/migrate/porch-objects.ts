/** Reads what kubectl prints of a Porch server's objects. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

import { PorticoError } from '../../error.ts';

/** Bytes of all files: a server with ten thousand revisions prints less. */
const MAX_SIZE = 256 * 1024 * 1024;

const metadata = z.looseObject({
  name: z.string().min(1).max(253),
  namespace: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

/** Porch's Repository, as far as it says where packages are. */
const repository = z.looseObject({
  metadata,
  spec: z.looseObject({
    type: z.string().optional(),
    deployment: z.boolean().optional(),
    git: z
      .looseObject({
        repo: z.string().min(1).max(2000),
        branch: z.string().optional(),
        directory: z.string().optional(),
        secretRef: z.looseObject({ name: z.string().optional() }).optional(),
      })
      .optional(),
  }),
});
const revision = z.looseObject({
  metadata,
  spec: z.looseObject({
    repository: z.string().optional(),
    repositoryName: z.string().optional(),
    lifecycle: z.string().optional(),
  }),
});
const object = z.looseObject({ apiVersion: z.string(), kind: z.string(), metadata });

export type PorchRepository = z.infer<typeof repository>;
export type PorchObject = z.infer<typeof object>;

export interface PorchObjects {
  readonly repositories: readonly PorchRepository[];
  /** PackageVariants and PackageVariantSets. */
  readonly variants: readonly PorchObject[];
  readonly revisions: readonly z.infer<typeof revision>[];
  /** Whatever else was printed: inventory, perhaps. */
  readonly others: readonly PorchObject[];
}

/** @throws PorticoError MIGRATION_INPUT where a file cannot be read, or an object is not what its kind says */
export async function readPorchObjects(path: string): Promise<PorchObjects> {
  const read = { repositories: [], variants: [], revisions: [], others: [] } as {
    repositories: PorchRepository[];
    variants: PorchObject[];
    revisions: z.infer<typeof revision>[];
    others: PorchObject[];
  };
  for (const [file, data] of await documentsIn(path)) {
    const [group = ''] = textIn(data, 'apiVersion').split('/');
    const kind = textIn(data, 'kind');
    if (group === 'config.porch.kpt.dev' && kind === 'Repository')
      read.repositories.push(parsed(repository, data, file));
    else if (group === 'config.porch.kpt.dev' && /^PackageVariant(?:Set)?$/.test(kind))
      read.variants.push(parsed(object, data, file));
    else if (group === 'porch.kpt.dev' && kind === 'PackageRevision')
      read.revisions.push(parsed(revision, data, file));
    // What Porch keeps for itself says nothing that is not in git.
    else if (group !== 'porch.kpt.dev' && group !== 'config.porch.kpt.dev')
      read.others.push(parsed(object, data, file));
  }
  if (read.repositories.length === 0)
    throw input(
      `${path} holds no Repository of Porch`,
      'Print them with kubectl get repositories -A -o yaml.',
    );
  return read;
}

function textIn(data: Readonly<Record<string, unknown>>, field: string): string {
  const value = data[field];
  return typeof value === 'string' ? value : '';
}

function parsed<Schema extends z.ZodType>(schema: Schema, data: unknown, file: string): z.infer<Schema> {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const { kind, metadata: about } = data as { kind?: unknown; metadata?: { name?: unknown } };
  const what = `${String(kind)} ${typeof about?.name === 'string' ? about.name : ''}`.trim();
  throw input(
    `${file}: ${what}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`,
    'Print the objects again.',
  );
}

async function documentsIn(path: string): Promise<(readonly [string, Readonly<Record<string, unknown>>])[]> {
  const files = await filesOf(path);
  const found: (readonly [string, Readonly<Record<string, unknown>>])[] = [];
  let left = MAX_SIZE;
  for (const file of files) {
    const bytes = await readFile(file);
    left -= bytes.length;
    if (left < 0) throw input(`${path} is larger than ${MAX_SIZE / 1024 / 1024} MiB`, 'Print fewer kinds.');
    const text = bytes.toString('utf8');
    const values: unknown[] = file.endsWith('.json')
      ? [readJson(text, file)]
      : parseAllDocuments(text).map((document) => {
          const [error] = document.errors;
          if (error !== undefined)
            throw input(`${file}: ${error.message.split('\n')[0] ?? ''}`, 'Fix the file.');
          return document.toJS() as unknown;
        });
    for (const value of values) for (const one of unrolled(value)) found.push([file, one]);
  }
  return found;
}

function readJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw input(`${file} is not JSON`, 'Fix the file.');
  }
}

/** The items of lists, as kubectl prints them. */
function unrolled(value: unknown): Readonly<Record<string, unknown>>[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const { kind, items } = value as { kind?: unknown; items?: unknown };
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items))
    return items.flatMap(unrolled);
  return [value as Readonly<Record<string, unknown>>];
}

async function filesOf(path: string): Promise<string[]> {
  const found = await stat(path).catch((cause: unknown) => {
    throw input(`${path} cannot be read`, 'Name a file or a directory with what kubectl printed.', cause);
  });
  if (found.isFile()) return [path];
  const entries = await readdir(path, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.(?:ya?ml|json)$/.test(entry.name))
    .map((entry) => join(path, entry.name))
    .sort();
}

function input(message: string, hint: string, cause?: unknown): PorticoError {
  return new PorticoError('MIGRATION_INPUT', message, { blame: 'user', hint, cause });
}
