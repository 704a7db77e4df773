/** Answers of registries that are no success, as errors that say what to do. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';
import { readBody } from '../network/read-body.ts';
import { shorten } from '../text/cut-text.ts';
import { scrubSecrets } from '../text/secrets.ts';

/** Bytes of an error's body that are read. */
const MAX_BYTES = 64 * 1024;
/** Characters of a registry's message that are shown. */
const MAX_CHARACTERS = 300;

/** The distribution specification's list of errors. */
const errors = z.object({
  errors: z.array(z.object({ code: z.string(), message: z.string().optional() })).min(1),
});

/**
 * Reads an answer and says what is wrong. The body is read within limits, and shown without what looks like a secret and
 * without `hidden`.
 */
export async function registryError(
  answer: Response,
  what: string,
  hidden: readonly string[] = [],
): Promise<PorticoError> {
  const { status, headers } = answer;
  const why = await wordsOf(answer, hidden);
  const detail = why === '' ? '' : `: ${why}`;
  switch (status) {
    case 401:
      return new PorticoError('REGISTRY_AUTH', `${what}: the registry asks who you are${detail}`, {
        blame: 'user',
        hint: 'Give credentials for this registry, as docker login or skopeo login store them, or check those that were given.',
      });
    case 403:
      return new PorticoError('REGISTRY_DENIED', `${what}: the registry does not allow it${detail}`, {
        blame: 'user',
        hint: 'Ask for the right to do that in this repository of the registry.',
      });
    case 404:
      return new PorticoError('REGISTRY_NOT_FOUND', `${what} is not in the registry${detail}`, {
        blame: 'user',
        hint: 'Check the name and the tag. Some registries give the same answer if you lack read access.',
      });
    case 416:
      return new PorticoError('REGISTRY_RANGE', `${what}: the registry has a different part of it${detail}`, {
        blame: 'user',
        hint: 'Try again; the transfer starts over.',
      });
    case 429:
      return new PorticoError(
        'REGISTRY_LIMITED',
        `${what}: the registry accepts no more requests for now${detail}`,
        {
          blame: 'forge',
          hint: 'Try again later; many registries allow more requests after a login.',
          ...retryAfter(headers),
        },
      );
    default:
      return status >= 500 || status === 408
        ? new PorticoError('REGISTRY_UNAVAILABLE', `${what}: the registry answers ${status}${detail}`, {
            blame: 'forge',
            hint: 'Try again later.',
            ...retryAfter(headers),
          })
        : new PorticoError('REGISTRY_REFUSED', `${what}: the registry answers ${status}${detail}`, {
            blame: 'user',
            hint: 'Check the reference, and whether the registry takes artefacts of this kind.',
          });
  }
}

/** How long the answer asks to wait: seconds or a date (RFC 9110, section 10.2.3). */
function retryAfter(headers: Headers): { readonly retryAfter?: number } {
  const text = headers.get('retry-after')?.trim() ?? '';
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? {} : { retryAfter: Math.max(0, seconds) };
}

async function wordsOf(answer: Response, hidden: readonly string[]): Promise<string> {
  try {
    const bytes = await readBody(answer, MAX_BYTES);
    const read = errors.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
    const words = read.errors.map(({ code, message }) =>
      message === undefined ? code : `${code} ${message}`,
    );
    // Whoever asks may repeat in plain words what they were told.
    const masked = hidden.reduce((text, one) => text.replaceAll(one, '***'), words.join('; '));
    return shorten(scrubSecrets(masked), MAX_CHARACTERS);
  } catch {
    // No registry has to say why.
    return '';
  }
}
