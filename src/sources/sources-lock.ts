/** `portico-sources.lock.yaml`: what the sources of a package came to. Only this is executed. */
import { stringify } from 'yaml';
import { z } from 'zod';

import { readYaml } from '../config/yaml-place.ts';
import type { SourceKind } from './source.ts';

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

const lockedSource = z.strictObject({
  id: z.string(),
  kind: z.enum(['git', 'oci', 'http', 'helm', 'package']),
  /** An address with a digest behind it, or a repository with a commit. */
  resolved: z.string().min(1),
  /** The tag or version that led there. */
  version: z.string().optional(),
  /** Of the destination. */
  treeDigest: digest,
  /** Of the entry, and of the place alone, as the document had them. */
  entryDigest: digest,
  placeDigest: digest,
});

const lockedProcessor = z.strictObject({
  processor: z.string(),
  out: z.string(),
  tool: z.string(),
  inputDigest: digest,
  outputDigest: digest,
});

const lockSchema = z.strictObject({
  apiVersion: z.literal('config.portico.dev/v1alpha1'),
  kind: z.literal('SourcesLock'),
  metadata: z.looseObject({}),
  documentDigest: digest,
  sources: z.array(lockedSource),
  processors: z.array(lockedProcessor).default([]),
});

export type LockedSource = z.output<typeof lockedSource> & { readonly kind: SourceKind };
export type LockedProcessor = z.output<typeof lockedProcessor>;

export interface SourcesLock {
  readonly documentDigest: string;
  readonly sources: readonly LockedSource[];
  readonly processors: readonly LockedProcessor[];
}

/** As many sources and processors as a document may have take half of that. */
const MAX_BYTES = 256 * 1024;

/** The lock, or the sentence that says why the file is none. Never throws. */
export function readSourcesLock(file: string, bytes: Uint8Array): SourcesLock | string {
  const yaml = readYaml(file, bytes, MAX_BYTES);
  const [problem] = yaml.problems;
  if (problem !== undefined) return `line ${problem.line}: ${problem.message}`;
  const parsed = lockSchema.safeParse(yaml.data);
  if (parsed.success) {
    const { documentDigest, sources, processors } = parsed.data;
    return { documentDigest, sources, processors };
  }
  const [issue] = parsed.error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'no lock of sources'}`;
}

const HEADER =
  '# Written by Portico from portico-sources.yaml. Only what is listed here is executed; `portico sources sync --update` resolves again.\n';

/** The file of a lock: the same lock is the same bytes. */
export function writeSourcesLock(lock: SourcesLock): Uint8Array {
  const document = {
    apiVersion: 'config.portico.dev/v1alpha1',
    kind: 'SourcesLock',
    metadata: {
      name: 'portico-sources-lock',
      annotations: { 'config.kubernetes.io/local-config': 'true' },
    },
    documentDigest: lock.documentDigest,
    sources: lock.sources.map(({ id, kind, resolved, version, treeDigest, entryDigest, placeDigest }) => ({
      id,
      kind,
      resolved,
      ...(version !== undefined && { version }),
      treeDigest,
      entryDigest,
      placeDigest,
    })),
    ...(lock.processors.length > 0 && {
      processors: lock.processors.map(({ processor, out, tool, inputDigest, outputDigest }) => ({
        processor,
        out,
        tool,
        inputDigest,
        outputDigest,
      })),
    }),
  };
  return Buffer.from(HEADER + stringify(document, { lineWidth: 0 }), 'utf8');
}
