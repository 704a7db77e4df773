import { z } from 'zod';

import { parseWhySubject, whyLines, type Why } from '../command/why.ts';
import { PorticoError } from '../error.ts';
import { EXIT, usageError } from './exit-code.ts';
import type { Call } from './verb.ts';

/** The server gives up earlier. */
const TIMEOUT_MS = 20_000;

const failure = z.object({ error: z.object({ code: z.string(), message: z.string(), hint: z.string() }) });

/** `portico why SUBJECT`: asks a running server. */
export async function why({ positionals: [about = ''], terminal, text, signal }: Call): Promise<number> {
  if (parseWhySubject(about) === undefined) {
    throw usageError(
      `${about} is not a delivery id, OWNER/REPOSITORY, OWNER/REPOSITORY#NUMBER or OWNER/REPOSITORY:PACKAGE`,
      'See portico why --help.',
    );
  }
  const answer = await ask(serverOf(text('server')), about, signal);
  if (terminal.json) terminal.document(answer);
  else {
    for (const line of whyLines(answer, (name) => name)) terminal.print(line.replaceAll('`', ''));
    if (!answer.complete) terminal.warn('the server is still reading repositories; ask again in a minute');
  }
  return EXIT.ok;
}

function serverOf(typed: string | undefined): URL {
  const address = typed ?? process.env['PORTICO_URL'] ?? 'http://localhost:3000';
  const url = URL.parse(address);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw usageError(
    `${address} is not an address`,
    'Pass the address of the server, such as --server https://portico.example.com.',
  );
}

async function ask(
  server: URL,
  about: string,
  signal: AbortSignal,
): Promise<Why & { readonly complete: boolean }> {
  const token = process.env['GITHUB_TOKEN'] ?? process.env['GH_TOKEN'];
  if (token === undefined) {
    throw usageError(
      'GITHUB_TOKEN is missing',
      'Set it to a token that can read the repository, such as GITHUB_TOKEN=$(gh auth token).',
    );
  }
  const url = new URL('/api/v1/why', server);
  url.searchParams.set('about', about);
  const { ok, status, body } = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
    .then(async (response) => ({
      ok: response.ok,
      status: response.status,
      body: await response.json(),
    }))
    .catch((cause: unknown) => {
      signal.throwIfAborted();
      throw new PorticoError('SERVER_UNREACHABLE', `${server.origin} does not answer as Portico`, {
        blame: 'forge',
        cause,
        hint: 'Pass the address of the server with --server or PORTICO_URL, and check that it runs (/readyz).',
      });
    });
  if (ok) return body as Why & { readonly complete: boolean };
  const refused = failure.safeParse(body).data?.error;
  const isOurs = status < 500 && status !== 429;
  throw new PorticoError(
    isOurs ? 'SERVER_REFUSED' : 'SERVER_UNREACHABLE',
    refused === undefined ? `${server.origin} answers ${status}` : `${refused.code}: ${refused.message}`,
    { blame: isOurs ? 'user' : 'forge', hint: refused?.hint ?? 'Check the address of the server.' },
  );
}
