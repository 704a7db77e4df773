/** What running processors came to. A refusal is an outcome, not an error. */
import type { ErrorCode } from '../error-code.ts';
import type { Refusal } from '../error.ts';
import type { Tree } from '../package/tree-digest.ts';

export interface ProcessorStep {
  /** Its kind, such as `helm`. */
  readonly processor: string;
  /** The directory that it fills. */
  readonly out: string;
  /** What did it, by digest or version: `helm@sha256:…`. */
  readonly tool: string;
  /** The version that the tool says it has, for people. */
  readonly version?: string;
  /** Over what it was told and all files that it read: the same again gives the same output, with the same tool. */
  readonly inputDigest: string;
  /** `treeDigest` of the directory that it fills. */
  readonly outputDigest: string;
  /** Files that it added, changed or removed, by path. */
  readonly changed: readonly ChangedFile[];
  /** What was left out, or could not be done as meant, for whoever reviews it. */
  readonly notes: readonly string[];
}

export interface ChangedFile {
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed';
}

export type Processed =
  | { readonly tree: Tree; readonly steps: readonly ProcessorStep[] }
  | {
      /** `processor` is its place, such as `processors[0].helm`. */
      readonly refused: Refusal & { readonly processor: string };
      /** Those that ran before it. */
      readonly steps: readonly ProcessorStep[];
    };

/** What one processor made: the files of its directory. */
export type Produced =
  | {
      readonly files: Tree;
      readonly tool: string;
      readonly version?: string;
      readonly notes: readonly string[];
    }
  | { readonly refused: Refusal };

export function refuse(code: ErrorCode, message: string, hint: string): { readonly refused: Refusal } {
  return { refused: { code, message, hint } };
}
