/**
 * Whether everything that a package takes from elsewhere is pinned: each document of sources has a lock that is no older than
 * it, and each of its sources a digest or commit there.
 */
import { isMap } from '../plain-values.ts';
import { annotationOf, indexOf, PACKAGE_PATH, pathOf } from '../render/bookkeeping.ts';
import type { FunctionSpec, ResultItem } from '../render/function-runtime.ts';
import type { KrmObject } from '../render/krm-object.ts';
import { documentDigest } from './source-digest.ts';
import { SOURCES_FILE, SOURCES_LOCK_FILE } from './source-files.ts';

/** True for a guardrail that asks for this check, as it would ask for a function: `image: pinned-sources:v0.1`. */
export function isPinnedSources({ image = '', tag }: FunctionSpec): boolean {
  const name = image.split('/').at(-1) ?? '';
  return /^pinned-sources(?::v0\.1(?:\.\d+)?)?$/.test(tag === undefined ? name : `${name}:${tag}`);
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;
/** Addresses and images by the digest behind them, repositories by the commit. */
const PINNED = {
  git: /@[0-9a-f]{40}(?:[0-9a-f]{24})?$/,
  package: /@[0-9a-f]{40}(?:[0-9a-f]{24})?$/,
  http: /@sha256:[0-9a-f]{64}$/,
  helm: /@sha256:[0-9a-f]{64}$/,
  oci: /@sha256:[0-9a-f]{64}$/,
} as const;

/** Judges every document of sources among the resources, each with the lock beside it. */
export function pinnedSources(resources: readonly KrmObject[]): ResultItem[] {
  const locks = new Map(resources.flatMap((one) => placed(one, SOURCES_LOCK_FILE)));
  const documents = resources.flatMap((one) => placed(one, SOURCES_FILE));
  const alone = [...locks].filter(([at]) => !documents.some(([other]) => other === at));
  return [
    ...documents.flatMap(([at, document]) => judged(document, locks.get(at))),
    ...alone.map(([, lock]) =>
      finding(lock, `there is no ${SOURCES_FILE} to this lock: remove it`, 'orphan'),
    ),
  ];
}

function judged(document: KrmObject, lock: KrmObject | undefined): ResultItem[] {
  const sync = 'run portico sources sync and commit what it writes';
  if (lock === undefined) {
    return [finding(document, `nothing is pinned: there is no ${SOURCES_LOCK_FILE}; ${sync}`, 'no-lock')];
  }
  if (lock['kind'] !== 'SourcesLock') return [finding(lock, 'this is not a lock of sources', 'no-lock')];
  if (lock['documentDigest'] !== documentDigest(document)) {
    return [finding(lock, `the lock is older than ${SOURCES_FILE}; ${sync}`, 'older-lock')];
  }
  const entries = listOf(lock['sources']).filter(isMap);
  const wanted = sourcesOf(document);
  return [
    ...(wanted === null ? [] : wanted).flatMap(({ id, kind }) => {
      const entry = entries.find((one) => one['id'] === id);
      if (entry === undefined) return [finding(lock, `${id} is not in the lock; ${sync}`, 'not-locked')];
      return unpinned(lock, entry, kind);
    }),
    // Ids of other shapes are made by whoever reads them; each entry is judged for itself.
    ...(wanted === null ? entries.flatMap((entry) => unpinned(lock, entry, undefined)) : []),
    ...(wanted === null && entries.length === 0
      ? [finding(lock, `the lock pins nothing; ${sync}`, 'not-locked')]
      : []),
  ];
}

function unpinned(
  lock: KrmObject,
  entry: Readonly<Record<string, unknown>>,
  wanted: string | undefined,
): ResultItem[] {
  const { id, kind, resolved, treeDigest } = entry;
  const name = String(id).slice(0, 63);
  if (typeof kind !== 'string' || !Object.hasOwn(PINNED, kind) || (wanted !== undefined && kind !== wanted)) {
    return [
      finding(
        lock,
        `${name} is locked as ${String(kind)}, but is ${wanted ?? 'something else'}`,
        'not-locked',
      ),
    ];
  }
  const pattern = PINNED[kind as keyof typeof PINNED];
  const by = kind === 'git' || kind === 'package' ? 'a commit' : 'a digest';
  return [
    ...(typeof resolved === 'string' && pattern.test(resolved)
      ? []
      : [finding(lock, `${name} is not pinned by ${by}`, 'not-pinned')]),
    ...(typeof treeDigest === 'string' && DIGEST.test(treeDigest)
      ? []
      : [finding(lock, `${name} has no digest of its files`, 'not-pinned')]),
  ];
}

/** What the document takes from elsewhere; null for a document of another kind, which names its sources in its own way. */
function sourcesOf(document: KrmObject): readonly { readonly id: string; readonly kind: string }[] | null {
  if (document['kind'] !== 'Sources') return null;
  return listOf(document['sources']).flatMap((source) => {
    if (!isMap(source) || source['manual'] !== undefined) return [];
    const kind = Object.keys(PINNED).find((one) => source[one] !== undefined) ?? 'nothing';
    return [{ id: String(source['id']), kind }];
  });
}

/** A resource with where it lies, if that is a file of this name. */
function placed(item: KrmObject, file: string): [at: string, item: KrmObject][] {
  const path = pathOf(item) ?? '';
  const name = path.split('/').at(-1) ?? '';
  if (name !== file) return [];
  return [[`${annotationOf(item, PACKAGE_PATH) ?? '.'}\n${path.slice(0, -name.length)}`, item]];
}

function finding(item: KrmObject, message: string, check: string): ResultItem {
  const path = pathOf(item);
  const { apiVersion, kind, metadata } = item;
  const name = isMap(metadata) ? metadata['name'] : undefined;
  return {
    message,
    severity: 'error',
    resourceRef: {
      ...(typeof apiVersion === 'string' && { apiVersion }),
      ...(typeof kind === 'string' && { kind }),
      ...(typeof name === 'string' && { name }),
    },
    ...(path !== undefined && { file: { path, index: indexOf(item) ?? 0 } }),
    tags: { check },
  };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
