/** A kind of hostile document, and what the server does with it. */
import { PorticoError } from '../../../src/error.ts';
import type { Content } from '../../../src/reconcile/content-port.ts';
import type { Choices } from './choices.ts';

/** `ok`, or the code of a refusal. */
export type Answer = string;

export interface Subject {
  /** How many of a hundred documents. */
  readonly weight: number;
  /** Makes the document, and gives what is done with it; `content` is the work in processes of its own. */
  readonly prepare: (choices: Choices) => (content: Content) => Answer | Promise<Answer>;
}

/** A refusal that a person can do something about is an answer; anything else is a crash. */
export async function orRefusal(run: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof PorticoError && error.message !== '' && error.blame === 'user') return error.code;
    throw error;
  }
}
