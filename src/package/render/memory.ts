/** What renders of the same content may share: files that were read, and what came out of them. */
import type { SourceFile } from './read-resources.ts';
import type { Amounts } from './work-budget.ts';

/** What became of one file, for one chain of functions. */
export interface FileOutcome {
  /** The functions with their configurations and selectors, and where the file is. */
  readonly chain: string;
  /** The text afterwards, and its bytes where it differs. */
  readonly text: string;
  readonly bytes: Uint8Array | undefined;
  /** For each document and function what was told; `undefined` where the function was not meant for it. */
  readonly answers: readonly (readonly unknown[])[];
  /** What the functions did to find it out. */
  readonly work: Amounts;
}

/** Bounded: what was used longest ago goes first. Nothing in it may be changed. */
export interface RenderMemory {
  /** The file as it was read before, or as `read` reads it now. */
  readonly file: (path: string, text: string, read: () => SourceFile) => SourceFile;
  /** The outcome that was kept for a file of this memory. */
  readonly outcome: (source: SourceFile, chain: string) => FileOutcome | undefined;
  readonly keep: (source: SourceFile, outcome: FileOutcome) => void;
}

/** A memory for texts of so many characters; what is kept of one takes about 36 bytes. */
export function createRenderMemory(characters = 2 * 1024 * 1024): RenderMemory {
  const files = new Map<string, Map<string, SourceFile>>();
  const outcomes = new WeakMap<SourceFile, FileOutcome>();
  let held = 0;
  return {
    file(path, text, read) {
      // A text is mostly at one path; equal files at several paths share the entry.
      const known = files.get(text);
      const source = known?.get(path) ?? read();
      const entry = known ?? new Map<string, SourceFile>();
      if (known === undefined) held += text.length;
      entry.set(path, source);
      files.delete(text);
      files.set(text, entry);
      for (const oldest of files.keys()) {
        if (held <= characters || oldest === text) break;
        files.delete(oldest);
        held -= oldest.length;
      }
      return source;
    },
    outcome(source, chain) {
      const found = outcomes.get(source);
      return found?.chain === chain ? found : undefined;
    },
    keep: (source, outcome) => {
      outcomes.set(source, outcome);
    },
  };
}
