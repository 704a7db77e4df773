/** One thing that one subject may do. `url` stands for a path outside of resources. */
export interface Grant {
  readonly subject: string;
  /** '' is every namespace. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  /** '' is every name. */
  readonly name: string;
  readonly verb: string;
  readonly url?: string;
  /** The directories of what gives it: each may be for another cluster. */
  readonly scope: string;
  /** False where a tool may skip what gives it. */
  readonly isSure: boolean;
}

/** A grant with its place. */
export interface PlacedGrant extends Grant {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
