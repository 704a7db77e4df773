import { createHash } from 'node:crypto';

/** Porch's limit, and what it leaves of a longer name before the dash and the hash. */
const MAX_LENGTH = 63;
const CUT = 54;

const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/**
 * Name of a generated variant, as Porch makes it: `<set>-<repository>-<package>`, or where that has more than 63 bytes
 * its first 54, a dash, and 8 hexadecimal digits of the SHA-1 of the whole. What Kubernetes does not take as a name (a
 * package in a folder) is made legal and gets the hash as well, so that no two meet.
 */
export function variantName(set: string, repo: string, packagePath: string): string {
  const identifier = `${set}-${repo}-${packagePath}`;
  const bytes = new TextEncoder().encode(identifier);
  const hash = createHash('sha1').update(bytes).digest('hex').slice(0, 8);
  if (!SUBDOMAIN.test(identifier)) return `${legalName(identifier).slice(0, CUT)}-${hash}`;
  return bytes.length <= MAX_LENGTH ? identifier : `${identifier.slice(0, CUT)}-${hash}`;
}

/** False where a set of that name cannot have generated a variant of this name. */
export function mayBeGenerated(name: string, set: string): boolean {
  const start = `${set}-`;
  return [start, legalName(start)].some((one) => name.startsWith(one.slice(0, CUT)));
}

function legalName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replace(/^-+/, '');
}
