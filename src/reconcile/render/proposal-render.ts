import { type PackageFiles, sameFile } from '../../package/package.ts';
import type { GateResult } from '../../package/readiness-gates.ts';
import type { Finding, FunctionRun, RenderResult } from '../../package/render/render-types.ts';
import { digestOf } from '../../revision/digest.ts';
import { fileIn, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import type { FileChanges } from '../git-port.ts';
import type { RepositoryAccess, Ports } from '../ports.ts';
import type { ProposalPackage, ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { isDenied, runtimeFor } from './foreign-functions.ts';
import { contextOf, type LoadedGuardrails } from './guardrails.ts';

/** What rendering one touched package came to. Files are named from the top of the repository. */
export interface RenderedPackage {
  readonly package: ProposalPackage;
  readonly ok: boolean;
  readonly runs: readonly FunctionRun[];
  readonly findings: readonly Finding[];
  readonly problem?: NonNullable<RenderResult['problem']>;
  /** The readiness gates of its Kptfile, computed; absent where it has none. */
  readonly gates?: readonly GateResult[];
  /** What has to be written so that the branch holds the rendered package. */
  readonly changes: FileChanges;
  /** Set when rendering the rendered package changes it again: then nothing is written. */
  readonly unstable?: { readonly paths: readonly string[] };
}

/** Remembers renders by content, guardrails and function versions; the oldest are dropped. */
export interface RenderCache {
  get(key: string): Omit<RenderedPackage, 'package'> | undefined;
  set(key: string, value: Omit<RenderedPackage, 'package'>): void;
}

/** Results of rendered packages, by everything that they follow from; the oldest of `entries` goes first. */
export function createRenderCache(entries = 500): RenderCache {
  const cache = new Map<string, Omit<RenderedPackage, 'package'>>();
  return {
    get(key) {
      const found = cache.get(key);
      if (found !== undefined) {
        cache.delete(key);
        cache.set(key, found);
      }
      return found;
    },
    set(key, value) {
      keepNewest(cache, key, value, entries);
    },
  };
}

/** Renders every package that the proposal touches and does not remove, with the guardrails of the base branch. */
export async function renderProposal({
  ports,
  access,
  snapshot,
  guardrails,
  cache,
  signal,
}: {
  readonly ports: Pick<Ports, 'runtime' | 'runtimeVersion' | 'metrics' | 'content'>;
  readonly access: Pick<RepositoryAccess, 'git'> & Partial<Pick<RepositoryAccess, 'ref'>>;
  readonly snapshot: Pick<ProposalSnapshot, 'packages' | 'head'> &
    Partial<Pick<ProposalSnapshot, 'writable'>>;
  readonly guardrails: LoadedGuardrails;
  readonly cache: RenderCache;
  readonly signal?: AbortSignal | undefined;
}): Promise<RenderedPackage[]> {
  const rendered: RenderedPackage[] = [];
  const runtime = runtimeFor(ports.runtime, guardrails, snapshot);
  for (const touched of snapshot.packages) {
    const tree = touched.trees.head;
    if (tree === null) continue;
    // What is newly hidden is judged by the base, and so are policies that compare.
    const compared = guardrails.forPackage(touched.path).length > 0;
    const key = digestOf('portico render 1', [
      tree,
      ...(compared ? [touched.trees.base] : []),
      touched.path,
      touched.directory,
      guardrails.digest,
      ports.runtimeVersion,
      ...(isDenied(guardrails, snapshot) ? ['built-in functions only'] : []),
    ]);
    let result = cache.get(key);
    if (result === undefined) {
      const began = performance.now();
      result = await renderOne({
        ports: { runtime, content: ports.content },
        access,
        head: snapshot.head.oid,
        touched,
        loaded: guardrails,
        signal,
      });
      cache.set(key, result);
      ports.metrics?.rendered(result.ok ? 'ok' : 'failed', (performance.now() - began) / 1_000);
    }
    rendered.push({ package: touched, ...result });
  }
  return rendered;
}

async function renderOne({
  ports,
  access,
  head,
  touched,
  loaded,
  signal,
}: {
  readonly ports: Pick<Ports, 'runtime' | 'content'>;
  readonly access: Pick<RepositoryAccess, 'git'> & Partial<Pick<RepositoryAccess, 'ref'>>;
  readonly head: string;
  readonly touched: ProposalPackage;
  readonly loaded: LoadedGuardrails;
  readonly signal: AbortSignal | undefined;
}): Promise<Omit<RenderedPackage, 'package'>> {
  const found = await access.git.readPackage(head, touched.directory, {}, signal);
  const files: PackageFiles = found?.files ?? new Map();
  const guardrails = loaded.forPackage(touched.path);
  // The base as it is now: what is merged is what is compared.
  const place = {
    path: touched.path,
    treeish: touched.trees.base,
    directory: TOP,
    ...(found && { head: found }),
    ...(loaded.deploy && { deploy: loaded.deploy }),
  };
  const context = await contextOf(access, guardrails, place, signal);
  const { runtime, content } = ports;
  const {
    files: after,
    unstable,
    ...outcome
  } = await content.renderSettled({
    files,
    runtime,
    guardrails,
    context,
    ...(signal && { signal }),
  });
  return {
    ...outcome,
    runs: [...outcome.runs, ...loaded.brokenFor(touched.path)],
    changes: unstable === undefined ? changesBetween(touched.directory, files, after) : new Map(),
    ...(unstable && { unstable: { paths: unstable.map((path) => fileIn(touched.directory, path)) } }),
  };
}

/** What turns one state of a package's directory into another, named from the top of the repository. */
export function changesBetween(
  directory: RepositoryDirectory,
  before: PackageFiles,
  after: PackageFiles,
): FileChanges {
  const changes = new Map<string, { mode: '100644' | '100755'; bytes: Uint8Array } | null>();
  const place = (path: string): string => fileIn(directory, path);
  for (const [path, file] of after) {
    if (!sameFile(before.get(path), file)) changes.set(place(path), { mode: file.mode, bytes: file.bytes });
  }
  for (const path of before.keys()) if (!after.has(path)) changes.set(place(path), null);
  return changes;
}
