import type { FileMode, ResourceRef } from '../package.ts';

/**
 * What kind of difference a resource has, the weightiest first: its content, its file, only its comments, only the
 * order of its keys or documents, only how it is written (quotes, indentation, blank lines).
 */
export type ResourceChangeKind = 'added' | 'removed' | 'changed' | 'moved' | 'comments' | 'order' | 'format';

/** One field that differs. `before` or `after` undefined: the field is not there on that side. */
export interface FieldChange {
  /** Readable, such as `spec.template.spec.containers[name=web].image`. */
  readonly path: string;
  /** `moved`: the list holds the same items in another order. */
  readonly change: 'added' | 'removed' | 'changed' | 'moved';
  readonly before?: unknown;
  readonly after?: unknown;
  /** 1-based line of the value in the newer file, or in the older one where it was removed. */
  readonly line?: number;
}

export interface ResourceChange {
  readonly resource: ResourceRef;
  readonly change: ResourceChangeKind;
  /** Where it stands in the newer package; for `removed`, where it stood in the older one. */
  readonly file: string;
  /** Where it stood in the older package, when that was another file. */
  readonly from?: string;
  /** Fields that differ, in the order of the newer text; empty for `added` and `removed`. */
  readonly fields: readonly FieldChange[];
  /** The whole resource, if it is `added`. */
  readonly value?: unknown;
  /** True when comments differ too. */
  readonly comments: boolean;
  /** 1-based line of the resource in `file`. */
  readonly line: number;
  /** It is for tools alone and never applied to a cluster: a Kptfile, or what is annotated as local. */
  readonly local?: true;
}

/** A run of neighbouring lines that were replaced. `at` is 1-based, in the older and in the newer file. */
export interface LineHunk {
  readonly before: { readonly at: number; readonly lines: readonly string[] };
  readonly after: { readonly at: number; readonly lines: readonly string[] };
}

/** A file that is no resource file (or cannot be read as one), or a change of a file's mode or place. */
export interface FileChange {
  readonly file: string;
  readonly change: 'added' | 'removed' | 'changed' | 'moved' | 'mode';
  /** Where it stood before, when moved. */
  readonly from?: string;
  readonly mode?: { readonly before: FileMode; readonly after: FileMode };
  /** True when the content is not text, or too large to compare by lines; `hunks` is then empty. */
  readonly opaque: boolean;
  readonly hunks: readonly LineHunk[];
  /** Lines added and removed. */
  readonly added: number;
  readonly removed: number;
  /** Why a YAML file was compared as plain lines, such as a syntax error. */
  readonly reason?: string;
}

/**
 * `counts`: resources for the cluster, by their change; `files` counts the package's own files: the Kptfile, configuration of tools, and all
 * that holds no resources.
 */
export interface PackageDiff {
  /** True when nothing differs, not even a byte. */
  readonly same: boolean;
  readonly resources: readonly ResourceChange[];
  readonly files: readonly FileChange[];
  readonly counts: {
    readonly [kind in ResourceChangeKind]: number;
  } & { readonly files: number };
}
