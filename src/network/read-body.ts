import type { Hash } from 'node:crypto';

import { PorticoError } from '../error.ts';

/**
 * The whole body of an answer, which is broken off where it has more bytes than it may. What the answer says of its length
 * is believed only where it says too much. Throws `ANSWER_TOO_LARGE`.
 *
 * @param hash is told of every byte on its way
 */
export async function readBody(response: Response, most: number, hash?: Hash): Promise<Uint8Array> {
  const { body } = response;
  if (body === null) return new Uint8Array();
  const tooLarge = (): PorticoError =>
    new PorticoError('ANSWER_TOO_LARGE', `the answer has more than ${most} bytes`, { blame: 'user' });
  if (Number(response.headers.get('content-length') ?? 0) > most) {
    await body.cancel();
    throw tooLarge();
  }
  const parts: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop cancels the body.
  for await (const part of body) {
    length += part.length;
    if (length > most) throw tooLarge();
    hash?.update(part);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
