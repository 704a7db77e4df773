/** Requests that a page of another site makes a browser send. The tokens of this forge are easy to guess, so that they would be obeyed. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

import { NEW_APP } from './web/app-registration.ts';

/** Endings that nobody can register, so that no stranger's name leads here (RFC 2606, RFC 6761, RFC 6762; ICANN's `.internal`). */
const RESERVED = /(?:^|\.)(?:test|localhost|internal|local|example|invalid)$/;

/**
 * Why a request is refused, or undefined.
 * @param forge the forge's own address
 */
export function foreignObjection(
  request: IncomingMessage,
  forge: string,
): { readonly status: number; readonly message: string } | undefined {
  if (isByPublicName(request, forge)) return { status: 421, message: `Ask the forge at ${forge}.` };
  if (!isFromAnotherSite(request)) return undefined;
  return { status: 403, message: 'Pages of other sites may not use this forge.' };
}

/** Whether a browser says that a page of another site sent it. Links to our pages are followed, and anyone's form can carry a manifest. */
function isFromAnotherSite({ headers, method = '', url = '' }: IncomingMessage): boolean {
  const [path = ''] = url.split('?', 1);
  if (method === 'POST' && NEW_APP.test(path)) return false;
  if (/^(?:GET|HEAD)$/.test(method) && headers['sec-fetch-mode'] === 'navigate') return false;
  const { origin, 'sec-fetch-site': site = 'none' } = headers;
  return (
    !/^(?:none|same-origin)$/.test(site) || (origin !== undefined && URL.parse(origin)?.host !== headers.host)
  );
}

/**
 * Whether a request came over the loopback by a public name other than the forge's own: then a stranger has pointed that name here (DNS
 * rebinding).
 */
function isByPublicName({ headers, socket }: IncomingMessage, forge: string): boolean {
  if (!/^(?:127\.|::1$|::ffff:127\.)/.test(socket.localAddress ?? '')) return false;
  const { host = '' } = headers;
  if (!URL.canParse(`http://${host}`)) return false;
  const hostname = new URL(`http://${host}`).hostname.replace(/\.$/, '');
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || !hostname.includes('.')) return false;
  return !RESERVED.test(hostname) && hostname !== new URL(forge).hostname;
}
