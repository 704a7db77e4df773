/** A command that is not carried out: the code is stable, the sentences are for the person who asked. */
export interface Refusal {
  readonly kind: 'refuse';
  readonly code: string;
  readonly message: string;
  /** What to do instead. */
  readonly hint: string;
}

/** `message` becomes a sentence: a capital first, a full stop last. */
export function refuse(code: string, message: string, hint: string): Refusal {
  return { kind: 'refuse', code, message: sentence(message), hint };
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.?!]$/.test(capital) ? capital : `${capital}.`;
}
