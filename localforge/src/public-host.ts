/** Names under which nobody should ask a forge that listens on this machine alone. */
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** Endings that nobody can register, so that no stranger's name leads here (RFC 2606, RFC 6761, RFC 6762; ICANN's `.internal`). */
const RESERVED = /(?:^|\.)(?:test|localhost|internal|local|example|invalid)$/;

/**
 * Whether a request came over the loopback by a public name other than the forge's own: then a stranger has pointed that name here (DNS
 * rebinding), and the pages of his site would act with the tokens of this forge, which are easy to guess.
 *
 * @param forge the forge's own address
 */
export function isByPublicName({ headers, socket }: IncomingMessage, forge: string): boolean {
  if (!/^(?:127\.|::1$|::ffff:127\.)/.test(socket.localAddress ?? '')) return false;
  const { host = '' } = headers;
  if (!URL.canParse(`http://${host}`)) return false;
  const hostname = new URL(`http://${host}`).hostname.replace(/\.$/, '');
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || !hostname.includes('.')) return false;
  return !RESERVED.test(hostname) && hostname !== new URL(forge).hostname;
}
