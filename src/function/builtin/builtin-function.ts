/** What a built-in function is. One function per file; table.ts lists them. */
import type { KnownVersion } from '../image.ts';
import type { ReadEach } from './each.ts';
import type { Builtin } from './krm.ts';

export interface BuiltinVersion extends KnownVersion {
  readonly run: Builtin;
  /** The same for one resource at a time, where that can be. */
  readonly each?: ReadEach;
}

export interface BuiltinFunction {
  /** As its image is called in the catalog. */
  readonly name: string;
  /** Oldest first. A version that is not listed is another program and is never answered by a close one. */
  readonly versions: readonly BuiltinVersion[];
  readonly type: 'mutator' | 'validator' | 'mutator or validator';
  readonly summary: string;
  /** Forms of its functionConfig. */
  readonly config: readonly string[];
  /** What it may change. */
  readonly fields: string;
  /** `yes` where running it again changes nothing; else what that depends on. */
  readonly idempotent: string;
}
