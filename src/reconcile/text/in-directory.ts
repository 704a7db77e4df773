/** The path of a file from the top of the repository, for a directory there and a path in it. */
export function inDirectory(directory: string, path: string): string {
  return directory === '' ? path : `${directory}/${path}`;
}
