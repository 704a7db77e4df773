/**
 * The page on this machine that creates the App: its form takes the manifest to the forge, and the forge sends the person
 * back with a code, which is good once and for an hour.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { PorticoError } from '../error.ts';

export interface RegistrationPage extends AsyncDisposable {
  readonly url: string;
  /** The code, once the forge has sent the person back. */
  readonly code: Promise<string>;
}

export interface PageOptions {
  /** The forge's page that takes the manifest. */
  readonly newAppUrl: string;
  /** The manifest as JSON, given where the forge is to send the person back. */
  readonly manifest: (redirectUrl: string) => string;
  readonly signal: AbortSignal;
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
const CODE = /^[A-Za-z0-9_-]{1,200}$/;

/** Opens the page on a free port of this machine alone. @throws PorticoError STOPPED by `code`, where the signal comes first */
export async function openRegistrationPage({
  newAppUrl,
  manifest,
  signal,
}: PageOptions): Promise<RegistrationPage> {
  const state = randomBytes(24).toString('base64url');
  const code = Promise.withResolvers<string>();
  // It may be awaited later than it fails.
  code.promise.catch(() => {});
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const origin = `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`;
  const stop = (): void => code.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });

  function answer(request: IncomingMessage, response: ServerResponse): void {
    // A name of somebody's that leads to this machine is not this page (DNS rebinding).
    if (request.headers.host !== new URL(origin).host)
      return send(response, 421, 'Open the address that was printed.');
    // Not every target is an address: `//` has no host.
    const url = URL.parse(request.url ?? '/', origin);
    if (url === null) return send(response, 400, 'Open the address that was printed.');
    if (request.method !== 'GET') return send(response, 405, 'This page is only read.');
    if (url.pathname === '/')
      return send(response, 200, form(`${newAppUrl}?state=${state}`, manifest(`${origin}/created`)));
    if (url.pathname !== '/created') return send(response, 404, 'There is nothing here.');
    const given = url.searchParams.get('code') ?? '';
    if (!isSame(url.searchParams.get('state') ?? '', state) || !CODE.test(given)) {
      return send(
        response,
        400,
        'This does not come from the form of this page. Nothing was done. Start again.',
      );
    }
    code.resolve(given);
    send(response, 200, '<h1>The App is created</h1><p>Go back to the terminal: it says what is next.</p>');
  }

  return {
    url: `${origin}/`,
    code: code.promise,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener('abort', stop);
      code.reject(new PorticoError('STOPPED', 'the page was closed', { blame: 'user' }));
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function form(action: string, manifest: string): string {
  return `<h1>Create the GitHub App</h1>
<p>The next page belongs to ${escaped(new URL(action).host)}. It shows the name of the App, which you can change, and creates it.</p>
<form method="post" action="${escaped(action)}">
<input type="hidden" name="manifest" value="${escaped(manifest)}">
<button>Continue to ${escaped(new URL(action).host)}</button>
</form>`;
}

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, HEADERS);
  response.end(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Portico</title>${body}</html>\n`);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
