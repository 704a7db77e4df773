import { PorticoError } from '../../error.ts';
import { foreignSentence } from './markdown-blocks.ts';

/**
 * What a person has to mend before this can go on, as Markdown: content that is too large, a name that no file may have, a
 * rule that forbids a tag. The place and the remedy. Null for an error that has another reason.
 */
export function whyRefused(error: unknown): string | null {
  if (!(error instanceof PorticoError) || error.blame !== 'user' || error.code === 'INSTALLATION_GONE')
    return null;
  const message = `${foreignSentence(error.message).replace(/\.$/, '')}.`;
  return error.hint === undefined ? message : `${message} ${foreignSentence(error.hint)}`;
}

/** What `work` comes to; where a person has to mend something first, what `otherwise` makes of the reason. */
export async function catchUserError<Result, Other>(
  work: () => Promise<Result>,
  otherwise: (why: string) => Other | Promise<Other>,
): Promise<Result | Other> {
  try {
    return await work();
  } catch (error) {
    const why = whyRefused(error);
    if (why === null) throw error;
    return otherwise(why);
  }
}
