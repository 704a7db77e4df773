/** How bytes and content of sources travel to a worker process, which takes packages. */

/** Bytes that are no package are its only file. */
export const ONLY = 'bytes';

/** The name of the package in which the content of a source travels. */
export function contentSet(id: string): string {
  return `content ${id}`;
}

/** The sets of files of a package beside the one that is reported on, before and after. */
export function otherSets(at: number): readonly [string, string] {
  return [`other before ${at}`, `other after ${at}`];
}
