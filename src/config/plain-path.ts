/** A path without slashes at its ends, as people write folders. */
export function plainPath(written: string): string {
  return written.replaceAll(/^\/+|(?<!\/)\/+$/g, '');
}
