import { repositoryDirectory, TOP, type RepositoryDirectory } from '../revision/package-path.ts';
import { refProblem } from '../revision/ref-rules.ts';
import { holdsCredentials } from '../text/secrets.ts';
import { shown } from './arguments.ts';
import type { UpstreamWish } from './draft-request.ts';
import { readPackagePath } from './package-name.ts';
import { type Refusal, refuse } from './refusal.ts';

const FORMS =
  'Write dir@v3 (of the default upstream), owner/name:dir@v3 (on this forge) or https://host/owner/name.git/dir@v3; after @ comes a revision, channel, branch, tag or commit.';

/**
 * Reads what a package is to be cloned from: `basens@v1`, `acme/blueprints:basens@v1`, `acme/blueprints/basens@v1` or
 * `https://host/acme/blueprints.git/basens@v1`. Nothing is looked up here.
 */
export function readUpstream(written: string): UpstreamWish | Refusal {
  const bad = (why: string): Refusal => refuse('bad-upstream', `${shown(written)} ${why}`, FORMS);
  if (holdsCredentials(written)) {
    return refuse(
      'bad-upstream',
      'the address holds a user name, password or token',
      'Everyone who can read this comment can see it: revoke it where it was issued. Portico uses its own credentials.',
    );
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(written)?.[1]?.toLowerCase();
  if (written.startsWith('-')) return bad('starts with a dash');
  if (/^[\w.-]+@[\w.-]+:/.test(written)) return bad('is an ssh address, but only https is supported');
  const isUrl = scheme !== undefined && written.includes('://');
  if (isUrl && scheme !== 'https' && scheme !== 'http')
    return bad(`uses ${scheme}, but only https is supported`);
  if (scheme === 'ext' || scheme === 'file') return bad(`uses ${scheme}, but only https is supported`);
  const at = written.indexOf('@', isUrl ? written.indexOf('://') + 3 : 0);
  const place = at < 0 ? written : written.slice(0, at);
  const ref = at < 0 ? undefined : written.slice(at + 1);
  if (ref !== undefined && refProblem(ref) !== undefined) {
    return bad(`has no valid revision after @: ${refProblem(ref)?.message ?? ''}`);
  }
  const wish = isUrl ? readUrl(place) : readPlace(place);
  if (typeof wish === 'string') return bad(wish);
  return { ...wish, ...(ref !== undefined && { ref }) };
}

/** A sentence's end where it cannot be read. */
function readUrl(place: string): UpstreamWish | string {
  // Encoded and relative parts are how paths are smuggled; a plain path needs none.
  if (/%|\\|\/\.{1,2}(?:\/|$)/.test(place)) return 'contains encoded or relative parts';
  if (!URL.canParse(place)) return 'is not a URL';
  const url = new URL(place);
  // A user name would end the place at its @, and a password has no business in a comment.
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    return 'contains more than a location';
  }
  const [, repository, below] =
    /^\/(.+?)\.git(?:\/(.*))?$/.exec(url.pathname) ??
    /^\/([^/]+\/[^/]+)(?:\/(.*))?$/.exec(url.pathname) ??
    [];
  if (repository === undefined || !repository.split('/').every((part) => PLAIN.test(part))) {
    return 'names no repository';
  }
  const directory = directoryOf(below ?? '');
  if (directory === undefined) return 'names no directory of a repository';
  return { kind: 'url', repo: `${url.origin}/${repository}`, directory };
}

const PLAIN = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

function readPlace(place: string): UpstreamWish | string {
  const [, owner, name, below] = /^([^/:]+)\/([^/:]+):(.*)$/.exec(place) ?? [];
  if (owner !== undefined && name !== undefined) {
    if (!PLAIN.test(owner) || !PLAIN.test(name)) return 'names no repository';
    const directory = directoryOf(below ?? '');
    if (directory === undefined) return 'names no directory of a repository';
    return { kind: 'repository', repo: `${owner}/${name}`, directory };
  }
  const directory = place === '' ? undefined : directoryOf(place);
  if (directory === undefined) return 'names no package';
  return { kind: 'path', repo: '', directory };
}

function directoryOf(written: string): RepositoryDirectory | undefined {
  const plain = repositoryDirectory(written);
  if (plain === TOP) return TOP;
  return typeof readPackagePath(plain) === 'string' ? plain : undefined;
}
