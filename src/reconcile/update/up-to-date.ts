import { sameFiles } from '../../package/package.ts';
import type { Downstream } from '../downstream/downstream.ts';
import { asVariant, variantDigest } from '../downstream/variant-content.ts';
import { updatedPackage } from '../merge/update-content.ts';
import type { Ports } from '../ports.ts';
import { filesAt } from '../repository/package-files.ts';

export type IsUpToDate = (
  ports: Ports,
  down: Downstream,
  revision: string,
  signal?: AbortSignal,
) => Promise<boolean>;

/** How many answers are remembered. */
const MAX_COUNT = 10_000;

/**
 * Whether a variant's package is as its document and the inventory want it at this revision. Asked again of the same
 * package and documents it remembers.
 */
export function createIsUpToDate(): IsUpToDate {
  const settled = new Map<string, string>();
  return async (ports, down, revision, signal) => {
    const { planned, access, base, directory, facts } = down;
    if (planned === undefined) return true;
    const place = `${facts.id}:${down.path}`;
    const tree = await access.git.treeId(base.oid, directory, signal);
    const state = `${tree} ${variantDigest(planned)} ${revision}`;
    if (settled.get(place) === state) return true;
    const local = await filesAt(access.git, base.oid, directory, signal);
    const wanted = await asVariant({
      content: ports.content,
      files: local,
      planned,
      options: { fresh: down.fresh },
      signal,
    });
    // Functions may have changed what was set, so that only the rendered package tells.
    if (!wanted.ok || !sameFiles(wanted.value, local)) {
      const updated = await updatedPackage(ports, down, revision, signal);
      if ('kind' in updated || !sameFiles(updated.files, local)) return false;
    }
    if (settled.size >= MAX_COUNT) settled.clear();
    settled.set(place, state);
    return true;
  };
}
