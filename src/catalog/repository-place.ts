/**
 * `host/owner/name` in lower case: `https://host/owner/name.git`, `git@host:owner/name` and a trailing slash all
 * name one place. A port stays part of the host.
 */
export function repositoryPlace(url: string): string {
  return url
    .trim()
    .toLowerCase()
    .replace(/^[a-z+]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?!\d+\/)/, '$1/')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '');
}
