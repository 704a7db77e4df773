import { existsSync } from 'node:fs';

import { holdsCredentials } from '../text/secrets.ts';
import { usageError } from './exit-code.ts';

/** A package in a git repository as the user names it. `ref` is absent where none was typed. */
export interface UpstreamLocation {
  /** Without a final `.git`, as kpt writes it into Kptfiles. */
  readonly repo: string;
  /** Starts with `/`. */
  readonly directory: string;
  readonly ref: string | undefined;
}

/**
 * Reads `REPO.git[/PATH][@REF]`; `.git` may be missing behind `https://github.com/OWNER/NAME`. A path to a repository
 * on this machine becomes absolute. Throws `CLI_USAGE`.
 *
 * @param resolvePath makes a typed path absolute
 */
export function parseUpstream(typed: string, resolvePath: (path: string) => string): UpstreamLocation {
  if (holdsCredentials(typed)) {
    throw usageError(
      'the address contains a user name, password or token, which would be written into the Kptfile',
      "Remove it from the address and configure the credential in git (see git help credentials); Portico uses git's credentials.",
    );
  }
  const parts =
    /^(?<repo>.*?)\.git(?:\/(?<directory>[^@]*))?(?:@(?<ref>.+))?$/.exec(typed) ??
    /^(?<repo>https:\/\/github\.com\/[^/@]+\/[^/@]+)(?:\/(?<directory>[^@]*))?(?:@(?<ref>.+))?$/.exec(typed);
  const { repo = '', directory = '', ref } = parts?.groups ?? {};
  if (repo === '' || repo.startsWith('-')) {
    throw usageError(
      `${typed} is not a package in a git repository`,
      'Write REPO.git/PATH@REF, such as https://github.com/acme/blueprints.git/database@v3.',
    );
  }
  const path = directory.replaceAll(/^\/+|(?<!\/)\/+$/g, '');
  if (path.split('/').some((part) => part === '..' || part === '.')) {
    throw usageError(`${typed} leads outside the repository`, 'Write the path without . and .. parts.');
  }
  return { repo: isRemote(repo) ? repo : localRepo(resolvePath(repo)), directory: `/${path}`, ref };
}

/** Splits `DIR[@REF]`; a directory whose name holds `@` is taken as it is. */
export function parseTarget(
  typed: string,
  resolvePath: (path: string) => string,
): [string, string | undefined] {
  if (existsSync(resolvePath(typed))) return [typed, undefined];
  const at = typed.lastIndexOf('@');
  if (at === -1) return [typed, undefined];
  const ref = typed.slice(at + 1);
  if (ref === '' || ref.includes('@')) {
    throw usageError(`${typed} has no revision`, 'Write DIR@REF, such as ./orders-database@v4.');
  }
  return [at === 0 ? '.' : typed.slice(0, at), ref];
}

/** True for URLs and for `user@host:path`. */
export function isRemote(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(repo) || /^[\w.-]+@[\w.-]+:/.test(repo);
}

/** `DIR/.git` is the repository in DIR. */
function localRepo(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '') || '/';
}
