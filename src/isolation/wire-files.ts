/**
 * Packages on their way to a worker process and back. A content that git names is sent once: afterwards its name is
 * enough. What a worker gives back unchanged is named, not sent.
 */
import type { FileMode, PackageFile, PackageFiles } from '../package/package.ts';

/** `name` is that of the content; git's, unless it starts with `#`. */
export type SentFile = readonly [path: string, mode: FileMode, name: string];

/** A file of the answer: one of the request, or its content. */
export type GivenFile = readonly [
  path: string,
  mode: FileMode,
  from: readonly [set: string, path: string] | Uint8Array,
];

/** Contents by their names, as many as one message takes. */
export type Contents = readonly (readonly [name: string, bytes: Uint8Array])[];

export type Packages = Readonly<Record<string, PackageFiles>>;

/** What a process was sent before, as whoever sends it knows. */
export interface Sent {
  readonly names: Set<string>;
  bytes: number;
}

/** Of contents that a process keeps. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

/** More are sent in another message, so that no message holds the server up. */
const MESSAGE_BYTES = 2 * 1024 * 1024;

export function nothingSent(): Sent {
  return { names: new Set(), bytes: 0 };
}

/** True where the process has to forget what it was sent, because it holds enough. */
export function forgets(sent: Sent): boolean {
  if (sent.bytes <= MAX_KEPT_BYTES) return false;
  sent.names.clear();
  sent.bytes = 0;
  return true;
}

/** The files by the names of their contents, and, message by message, the contents that were not sent before. */
export function sendPackages(
  packages: Packages,
  sent: Sent,
): { readonly sets: Readonly<Record<string, readonly SentFile[]>>; readonly contents: Contents[] } {
  const contents: (readonly [string, Uint8Array])[][] = [];
  let room = 0;
  let unnamed = 0;
  const nameOf = ({ id, bytes }: PackageFile): string => {
    if (id !== undefined && sent.names.has(id)) return id;
    const name = id ?? `#${(unnamed += 1)}`;
    if (id !== undefined) {
      sent.names.add(id);
      sent.bytes += bytes.length;
    }
    // An empty file needs no room, but a message to go with.
    if (contents.length === 0 || bytes.length > room) {
      contents.push([]);
      room = MESSAGE_BYTES;
    }
    room -= bytes.length;
    contents.at(-1)?.push([name, bytes]);
    return name;
  };
  const sets = Object.fromEntries(
    Object.entries(packages).map(([set, files]) => [
      set,
      [...files].map(([path, file]): SentFile => [path, file.mode, nameOf(file)]),
    ]),
  );
  return { sets, contents };
}

/** In the process: the files again. */
export function receiveFiles(
  files: readonly SentFile[],
  kept: ReadonlyMap<string, Uint8Array>,
): PackageFiles {
  return new Map(
    files.map(([path, mode, name]): readonly [string, PackageFile] => {
      const bytes = kept.get(name);
      if (bytes === undefined) throw new Error(`the content ${name} was not sent`);
      return [path, { mode, bytes, ...(!name.startsWith('#') && { id: name }) }];
    }),
  );
}

/** In the process: files that are those of the request are named by where they stand there. */
export function giveFiles(files: PackageFiles, request: Packages): GivenFile[] {
  const known = new Map<PackageFile, readonly [string, string]>();
  for (const [set, of] of Object.entries(request)) {
    for (const [path, file] of of) known.set(file, [set, path]);
  }
  return [...files].map(([path, file]) => [path, file.mode, known.get(file) ?? file.bytes]);
}

/** The files of an answer. Throws where a file is named that was never sent. */
export function takeFiles(files: readonly GivenFile[], request: Packages): PackageFiles {
  return new Map(
    files.map(([path, mode, from]): readonly [string, PackageFile] => {
      if (from instanceof Uint8Array) return [path, { mode, bytes: from }];
      const [set, at] = from;
      const file = request[set]?.get(at);
      if (file === undefined) throw new Error(`${set} has no file ${at}`);
      return [path, file];
    }),
  );
}
