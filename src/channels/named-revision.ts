/** Revisions of an operator by the versions and names of the bundles in them. */
import type { ChannelChange, ChannelRequest, MemberFacts } from './change-file.ts';
import type { OperatorEntry } from './operator-entry.ts';

/** Revisions that are searched for the bundles that one names, the newest first. */
const MAX_SEARCHED = 200;

/** The published revisions of one package, and what each says of itself as an operator's bundle. */
export interface PublishedBundles {
  readonly published: readonly number[];
  /** Null where a revision holds no bundle, or one that cannot be read. */
  readonly bundleAt: (revision: number) => Promise<OperatorEntry | null>;
}

export type NamedChange =
  | { readonly ok: true; readonly change: ChannelChange }
  | { readonly ok: false; readonly message: string; readonly hint: string };

/** Fields of a change that name revisions. */
const NAMING = ['revision', 'supersededBy'] as const;

/** The change with numbers where the request names versions or bundles. */
export async function nameRevisions(
  request: ChannelRequest,
  bundles: PublishedBundles,
): Promise<NamedChange> {
  const names: Pick<ChannelRequest, 'do'> & Partial<Record<(typeof NAMING)[number], number | string>> =
    request;
  const numbers: { revision?: number; supersededBy?: number } = {};
  for (const field of NAMING) {
    const name = names[field];
    if (name === undefined) continue;
    const number = typeof name === 'number' ? name : await revisionNamed(name, bundles);
    if (number === undefined) {
      const message = `no numbered revision of ${request.package} holds the operator version ${name}`;
      return { ok: false, message, hint: 'Name a revision by its number, such as v12.' };
    }
    numbers[field] = number;
  }
  // Each name became a number, and the other fields are the same.
  return { ok: true, change: { ...request, ...numbers } as ChannelChange };
}

/** The version of the operator in the revision that a change is about; undefined where it is about none. */
export async function changedVersion(
  change: ChannelChange,
  { published, bundleAt }: PublishedBundles,
): Promise<string | undefined> {
  const revision = 'revision' in change ? change.revision : undefined;
  if (revision === undefined || !published.includes(revision)) return undefined;
  return (await bundleAt(revision))?.version;
}

/** The newest revision whose bundle has this version, with or without a `v` before it, or this name. */
async function revisionNamed(name: string, bundles: PublishedBundles): Promise<number | undefined> {
  const version = name.replace(/^v/, '');
  for (const number of newestFirst(bundles.published)) {
    const bundle = await bundles.bundleAt(number);
    if (bundle?.version === version || bundle?.name === name) return number;
  }
  return undefined;
}

/**
 * The place in a graph of the revision that a change adds to a channel. Undefined for what adds none, or holds no bundle. An
 * edge to a bundle that is no revision here is left out.
 */
export async function memberFacts(
  change: ChannelChange,
  { published, bundleAt }: PublishedBundles,
): Promise<MemberFacts | undefined> {
  if ((change.do !== 'promote' && change.do !== 'create') || change.revision === undefined) return undefined;
  const { revision } = change;
  const entry = await bundleAt(revision);
  if (entry === null) return undefined;
  const { replaces, skips, skipRange, version } = entry;
  const wanted = new Set([replaces, ...skips].filter((name) => name !== ''));
  const numbers = new Map<string, number>();
  for (const number of newestFirst(published.filter((one) => one !== revision))) {
    if (wanted.size === numbers.size) break;
    const name = (await bundleAt(number))?.name;
    if (name !== undefined && wanted.has(name) && !numbers.has(name)) numbers.set(name, number);
  }
  const replaced = numbers.get(replaces);
  const skipped = skips.flatMap((name) => numbers.get(name) ?? []);
  return {
    version,
    ...(replaced !== undefined && { replaces: replaced }),
    ...(skipped.length > 0 && { skips: skipped.sort((a, b) => a - b) }),
    ...(skipRange !== '' && { skipRange }),
  };
}

function newestFirst(published: readonly number[]): number[] {
  return published.toSorted((a, b) => b - a).slice(0, MAX_SEARCHED);
}
