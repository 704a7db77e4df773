/** Which files of a package a file of a tool names. */
import type { PackageFiles } from '../package.ts';
import { isMap } from '../plain-values.ts';
import { readFileOf, UnreadableFile } from '../render/read-resources.ts';

/** A path as written in a file → from the top of the package; undefined outside of it. */
export function placeFrom(file: string, written: string): string | undefined {
  if (written.startsWith('/')) return undefined;
  const parts = file.split('/').slice(0, -1);
  for (const part of written.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return undefined;
  }
  return parts.length === 0 ? '.' : parts.join('/');
}

/** All texts in a value, at any depth. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isMap(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** Past these, all files of the package count as named. */
const MAX_NAMED = 2_000;

/** Files that a document may take in, and what those name in turn: any text that is a path, or follows a `=`. */
export function namedFiles(path: string, value: unknown, files: PackageFiles): string[] {
  const named = new Set<string>();
  const directories = directoriesOf(files);
  const open: [string, unknown][] = [[path, value]];
  for (const [file, content] of open) {
    // Where kustomize looks for charts if nothing else is said.
    for (const text of ['charts', ...stringsIn(content)]) {
      // A document that is written as a text: its paths begin at the file around it.
      if (text.includes('\n')) open.push([file, documentsIn(file, Buffer.from(text))]);
      for (const written of [text, text.slice(text.indexOf('=') + 1)]) {
        const place = placeFrom(file, written);
        if (place === undefined || place === '.') continue;
        const below = directories.has(place)
          ? [...files.keys()].filter((one) => one.startsWith(`${place}/`))
          : [];
        for (const one of files.has(place) ? [place] : below) {
          if (named.has(one) || one === path) continue;
          named.add(one);
          if (named.size > MAX_NAMED) return [...files.keys()];
          open.push([one, contentOf(one, files)]);
        }
      }
    }
  }
  return [...named];
}

function directoriesOf(files: PackageFiles): Set<string> {
  const directories = new Set<string>();
  for (const path of files.keys())
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
      directories.add(path.slice(0, end));
  return directories;
}

/** What a file says, whatever it is called; nothing for text that is no YAML. */
export function contentOf(path: string, files: PackageFiles): unknown[] {
  return documentsIn(path, files.get(path)?.bytes ?? new Uint8Array());
}

function documentsIn(path: string, bytes: Uint8Array): unknown[] {
  try {
    return readFileOf(path, bytes, { resourcesOnly: true }).documents.map(({ value }) => value);
  } catch (error) {
    if (error instanceof UnreadableFile) return [];
    throw error;
  }
}
