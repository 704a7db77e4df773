import { PorticoError } from '../error.ts';
import type { LockedSource } from '../sources/sources-lock.ts';
import { shortenValue } from '../text/cut-text.ts';

/** What a lock pins a source to. */
export type Pin = Pick<LockedSource, 'resolved' | 'version'>;

/** `ADDRESS@sha256:…`. Throws `SOURCES_LOCK`. */
export function splitDigest(resolved: string): { readonly address: string; readonly digest: string } {
  const [, address, digest] = /^(.+)@(sha256:[0-9a-f]{64})$/.exec(resolved) ?? [];
  if (address === undefined || digest === undefined || !URL.canParse(address)) throw noPin(resolved);
  return { address, digest };
}

/** `REPOSITORY@COMMIT`. Throws `SOURCES_LOCK`. */
export function splitCommit(resolved: string): { readonly repo: string; readonly commit: string } {
  const [, repo, commit] = /^(.+)@([0-9a-f]{40}(?:[0-9a-f]{24})?)$/.exec(resolved) ?? [];
  if (repo === undefined || commit === undefined || !URL.canParse(repo)) throw noPin(resolved);
  return { repo, commit };
}

function noPin(resolved: string): PorticoError {
  return new PorticoError(
    'SOURCES_LOCK',
    `the lock pins nothing by ${JSON.stringify(shortenValue(resolved, 200))}`,
    { blame: 'user', hint: 'Restore the lock from git, or resolve the source again with --update.' },
  );
}
