/** The code of a new App becomes its credentials, once. */
import { z } from 'zod';

import { PorticoError } from '../error.ts';

const conversion = z.object({
  id: z.number(),
  slug: z.string(),
  name: z.string(),
  html_url: z.string(),
  pem: z.string(),
  webhook_secret: z.string().nullish(),
});

export type NewApp = z.output<typeof conversion>;

const TIMEOUT_MS = 30_000;

/**
 * POST /app-manifests/{code}/conversions, which needs no token.
 * @throws PorticoError REGISTRATION_FAILED for any other answer; the code is good for one try
 */
export async function convertCode(apiUrl: string, code: string, signal: AbortSignal): Promise<NewApp> {
  const address = `${apiUrl}/app-manifests/${encodeURIComponent(code)}/conversions`;
  const either = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  const response = await fetch(address, {
    method: 'POST',
    headers: { accept: 'application/vnd.github+json' },
    redirect: 'error',
    signal: either,
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw failed('the forge could not be reached', cause);
  });
  if (response.status !== 201) throw failed(`the forge answered ${response.status}`);
  const read = conversion.safeParse(await response.json().catch(() => null));
  if (!read.success) throw failed('the answer of the forge cannot be read');
  return read.data;
}

function failed(why: string, cause?: unknown): PorticoError {
  return new PorticoError('REGISTRATION_FAILED', `the credentials of the new App were not given: ${why}`, {
    blame: 'forge',
    hint: 'Delete the App on its page, where it exists, and run portico app create again; or create a key there by hand.',
    cause,
  });
}
