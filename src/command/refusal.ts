/** A command that is not carried out: the code is stable, the sentences are for the person who asked. */
export interface Refusal {
  readonly kind: 'refuse';
  readonly code: string;
  readonly message: string;
  /** What to do instead. */
  readonly hint: string;
}

export function refuse(code: string, message: string, hint: string): Refusal {
  return { kind: 'refuse', code, message, hint };
}
