/**
 * Packages that were just fetched and made here, every source of them: the proposal that brings one does not fetch and make it
 * once more to see that it is that.
 */
import { createHash } from 'node:crypto';

import type { PackageFiles } from '../package/package.ts';
import type { SourceSetting } from '../reconcile/source-port.ts';
import { keepNewest } from '../reconcile/text/keep-newest.ts';

export interface MadePackages {
  note(files: PackageFiles, setting: SourceSetting): void;
  /** True once for the very files that were made, with the same functions, targets and credentials: who asks again gets a new look. */
  takes(files: PackageFiles, setting: SourceSetting): boolean;
}

/** Packages that are remembered, the newest. */
const MAX_MADE = 2_000;
/** Bytes of a package that is remembered: digests of larger ones would keep everything else waiting. */
const MAX_BYTES = 8 * 1024 * 1024;
/** So long, in milliseconds: a publisher may take back what he gave. */
const MAX_AGE_MS = 60 * 60_000;

export function createMadePackages(now: () => number = Date.now): MadePackages {
  const made = new Map<string, number>();
  return {
    note(files, setting) {
      const key = keyOf(files, setting);
      if (key === undefined) return;
      keepNewest(made, key, now(), MAX_MADE);
    },
    takes(files, setting) {
      if (made.size === 0) return false;
      const key = keyOf(files, setting);
      const at = key === undefined ? undefined : made.get(key);
      if (key === undefined || at === undefined) return false;
      made.delete(key);
      return now() - at < MAX_AGE_MS;
    },
  };
}

function keyOf(files: PackageFiles, { owner, foreign, targets }: SourceSetting): string | undefined {
  let bytes = 0;
  for (const file of files.values()) bytes += file.bytes.length;
  if (bytes > MAX_BYTES) return undefined;
  const hash = createHash('sha256');
  const add = (text: string): void => void hash.update(`${Buffer.byteLength(text)}:${text}`);
  add(owner.toLowerCase());
  // Their digests are among what is left.
  const allowed = foreign.allowed.map((one) =>
    one.code.kind === 'wasm' ? { ...one, code: { ...one.code, bytes: one.code.bytes === null } } : one,
  );
  add(JSON.stringify({ ...foreign, allowed }));
  for (const all of [targets, files]) {
    add(String(all.size));
    for (const [path, file] of [...all].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      add(path);
      add(file.mode);
      add(String(file.bytes.length));
      hash.update(file.bytes);
    }
  }
  return hash.digest('hex');
}
