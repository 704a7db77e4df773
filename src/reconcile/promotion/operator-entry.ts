/** The place in channels that the bundle of an operator asks for: of names of bundles become revisions. */
import type { MemberFacts } from '../../channels/change-file.ts';
import type { OperatorEntry } from '../../channels/operator-entry.ts';
import type { RepositoryDirectory } from '../../revision/package-path.ts';
import type { Git } from '../git-port.ts';
import type { Ports } from '../ports.ts';
import { mayHoldBundle } from '../repository/index-packages.ts';
import { tagOf, type RevisionRefs } from '../repository/package-revisions.ts';
import { catchUserError } from '../text/why-refused.ts';

export interface OperatorPlace {
  readonly git: Git;
  readonly refs: RevisionRefs;
  readonly directory: RepositoryDirectory;
}

/** Revisions that are searched for the bundles that one names, the newest first. */
const MAX_SEARCHED = 200;

/** What a revision says of itself as an operator's bundle; null where it holds none, or one that cannot be read. */
export async function operatorAt(
  { content }: Pick<Ports, 'content'>,
  { git, refs, directory }: OperatorPlace,
  revision: number,
  signal?: AbortSignal,
): Promise<OperatorEntry | null> {
  const commit = tagOf(refs, directory, `v${revision}`)?.commit;
  if (commit === undefined) return null;
  if (!(await mayHoldBundle(git, commit, directory, signal))) return null;
  const found = await git.readPackage(commit, directory, {}, signal);
  if (found === null) return null;
  // Its check has said what is wrong with it.
  return catchUserError(
    () => content.operator(found.files, signal),
    () => null,
  );
}

/** Undefined for what holds no bundle. An edge to a bundle that is no revision here is left out. */
export async function memberFacts(
  ports: Pick<Ports, 'content'>,
  place: OperatorPlace,
  { revision, published }: { readonly revision: number; readonly published: readonly number[] },
  signal?: AbortSignal,
): Promise<MemberFacts | undefined> {
  const entry = await operatorAt(ports, place, revision, signal);
  if (entry === null) return undefined;
  const { replaces, skips, skipRange, version } = entry;
  const wanted = new Set([replaces, ...skips].filter((name) => name !== ''));
  const numbers = new Map<string, number>();
  const others = published.filter((one) => one !== revision).toSorted((a, b) => b - a);
  for (const number of others.slice(0, MAX_SEARCHED)) {
    if (wanted.size === numbers.size) break;
    const name = (await operatorAt(ports, place, number, signal))?.name;
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
