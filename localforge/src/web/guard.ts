/** Who may ask for a page at all. The pages let their reader act as any configured user, so only this machine's own pages may. */
import { isIP } from 'node:net';

import { NEW_APP } from './app-registration.ts';
import { SCRIPT_HASH } from './live.ts';
import { STYLE_HASH } from './style.ts';

const POLICY = [
  "default-src 'none'",
  `style-src ${STYLE_HASH}`,
  // Our own script alone, which asks this forge alone.
  `script-src ${SCRIPT_HASH}`,
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** On every page. `no-referrer` would make browsers hide the origin that `isOwnPost` asks for. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY,
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
};

/**
 * Why a request may not have a page; undefined: it may.
 * @param localAddress the end of the connection on our side
 * @param forge the forge's own address
 */
export function objectionTo(
  request: Request,
  localAddress: string | undefined,
  forge: string,
): { readonly status: number; readonly message: string } | undefined {
  if (localAddress === undefined || !/^(?:127\.|::1$|::ffff:127\.)/.test(localAddress)) {
    return { status: 403, message: 'The pages are for this machine alone. Use the API, with a token.' };
  }
  if (!isOwnHost(request, forge)) return { status: 421, message: `Open the forge at ${forge}.` };
  const isManifest = NEW_APP.test(new URL(request.url).pathname);
  if (request.method === 'POST' && !isManifest && !isOwnPost(request)) {
    return { status: 403, message: 'Forms are taken from pages of this forge alone.' };
  }
  return undefined;
}

/**
 * Whether the request was sent to an address and not to a name that somebody else may have pointed here (DNS
 * rebinding): a number, `localhost`, or the host of the forge's own address.
 */
function isOwnHost(request: Request, origin: string): boolean {
  const { hostname } = new URL(request.url);
  return (
    isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === new URL(origin).hostname
  );
}

/** Whether a POST comes from one of our own pages. A browser always says where from; what says nothing is refused. */
function isOwnPost(request: Request): boolean {
  const site = request.headers.get('sec-fetch-site');
  const origin = request.headers.get('origin');
  if (site === null && origin === null) return false;
  const host = new URL(request.url).host;
  const sameOrigin = origin === null || (URL.canParse(origin) && new URL(origin).host === host);
  return sameOrigin && (site === null || site === 'same-origin');
}
