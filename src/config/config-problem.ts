/** A mistake in a configuration file, as a value: shown by a check on the line where it is. */
export interface ConfigProblem {
  /** Stable, such as `unknown-field`. */
  readonly code: string;
  readonly file: string;
  /** Readable field path, such as `spec.guardrails.validators[0].image`; '' is the document. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** What to do. */
  readonly hint: string;
}
