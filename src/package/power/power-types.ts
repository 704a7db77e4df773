/** Where a power stems from. */
export type PowerKind = 'rbac' | 'workload' | 'admission' | 'api' | 'cloud' | 'isolation';

/** One power that a package gains or gives up by a change. */
export interface PowerChange {
  readonly direction: 'wider' | 'narrower';
  readonly kind: PowerKind;
  /** Who has it: a subject of RBAC, or a resource. Foreign text. */
  readonly who: string;
  /** What may be done. Foreign text. */
  readonly what: string;
  /** Why a reviewer should look twice; absent where it is ordinary. */
  readonly danger?: string;
  /** The place that says so: in the newer package, or in the older one for what is narrower. 1-based. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface PowerDiff {
  /** True when anything is wider than before. */
  readonly grown: boolean;
  /** The wider ones first, dangerous ones before others. */
  readonly changes: readonly PowerChange[];
  /** Files that could not be read, and links to what is not read: what they permit is unknown, so the package may permit more than `changes` tell. */
  readonly unread: readonly string[];
}

/** One power of one side. Two with the same `id` are the same power. */
export interface Power extends Omit<PowerChange, 'direction'> {
  readonly id: string;
  /** A protection rather than a power: to lose it is to widen. */
  readonly protects?: boolean;
}
