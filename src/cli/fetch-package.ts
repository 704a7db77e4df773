import { PorticoError } from '../error.ts';
import { clonedPackage } from '../package/clone.ts';
import type { UpdateStrategy } from '../package/merge/merge-types.ts';
import type { PackageFiles } from '../package/package.ts';
import { remoteSubpackages } from '../package/remote-subpackages.ts';
import { withoutEnd } from '../text/ends.ts';
import { strategyOf } from './strategy.ts';
import type { Terminal } from './terminal.ts';
import type { UpstreamReader } from './user-git.ts';

/** How deep packages may fetch packages. */
const MAX_DEPTH = 8;

export interface Origin {
  readonly repo: string;
  /** Starts with `/`. */
  readonly directory: string;
  readonly ref: string | undefined;
}

/**
 * A package as a new downstream: upstream's files with the name, upstream and upstreamLock of the copy, marked with
 * the names they have upstream, and with the subpackages that upstream only points at. Throws what {@link UpstreamReader}
 * does, and `KPTFILE_MISSING`.
 */
export async function fetchPackage({
  git,
  origin,
  copy,
  terminal,
  depth = 0,
}: {
  readonly git: UpstreamReader;
  readonly origin: Origin;
  readonly copy: { readonly name: string; readonly strategy: UpdateStrategy; readonly deployment?: boolean };
  readonly terminal: Terminal;
  readonly depth?: number | undefined;
}): Promise<PackageFiles> {
  if (depth > MAX_DEPTH) {
    throw new PorticoError(
      'UPSTREAM_TOO_DEEP',
      `upstream references of packages are nested more than ${MAX_DEPTH} levels deep`,
      { blame: 'user', hint: 'Check for a package that refers to itself.' },
    );
  }
  const { repo, directory } = origin;
  terminal.progress(`fetching ${withoutEnd(repo, '/')}${directory}`);
  const found = await git.resolve(repo, directory, origin.ref);
  await git.fetch(repo, [found.commit]);
  const { files, commit, skipped } = await git.read(repo, directory, found.commit);
  for (const { path, reason } of skipped) terminal.warn(`${path} is a ${reason} and is skipped`);
  if (!files.has('Kptfile')) {
    throw new PorticoError('KPTFILE_MISSING', `there is no Kptfile in ${directory} of ${repo}`, {
      blame: 'user',
      hint: 'Name the directory of a package.',
    });
  }

  const place = { repo, directory };
  const result = new Map(
    clonedPackage(files, {
      ...copy,
      upstream: { ...place, ref: origin.ref ?? found.ref },
      lock: { ...place, ref: found.ref, commit },
    }),
  );
  for (const [below, sub] of remoteSubpackages(files)) {
    if (sub.upstreamLock !== undefined) continue;
    const fetched = await fetchPackage({
      git,
      origin: sub.upstream,
      copy: { name: sub.name, strategy: strategyOf(sub.strategy) },
      terminal,
      depth: depth + 1,
    });
    for (const [path, file] of fetched) result.set(`${below}/${path}`, file);
  }
  return result;
}
