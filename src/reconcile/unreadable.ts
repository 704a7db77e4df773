import { PorticoError } from '../error.ts';
import { told } from './markdown-blocks.ts';

/**
 * Why content cannot be looked at that is too large, or named as no file may be: the place and the remedy as Markdown.
 * Null for an error that has another reason.
 */
export function unreadable(error: unknown): string | null {
  if (!(error instanceof PorticoError) || error.blame !== 'user' || error.code === 'INSTALLATION_GONE')
    return null;
  const message = `${told(error.message).replace(/\.$/, '')}.`;
  return error.hint === undefined ? message : `${message} ${told(error.hint)}`;
}
