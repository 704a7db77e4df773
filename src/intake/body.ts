import type { IncomingMessage } from 'node:http';

import type { MemoryShare } from './memory-share.ts';

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body. */
  readonly milliseconds: number;
}

/** `gone`: the sender went away in the middle. `busy`: the memory is needed for others. */
export type BodyRefusal = 'too-large' | 'too-slow' | 'busy' | 'gone';

export interface Body {
  bytes(): Buffer;
  /** Gives the shared memory back; to be called once, when the bytes are no longer needed. */
  release(): void;
}

/**
 * Reads a request's body under its limits. A refusal stops the reading at once and drops what was held; the request is
 * left paused for the caller to answer.
 * @param memory what all bodies share
 * @param sender whose share of it this body is of
 * @param onChunk sees every chunk as it comes
 */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  { memory, sender }: { readonly memory: MemoryShare; readonly sender: string },
  onChunk: (chunk: Buffer) => void,
): Promise<Body | BodyRefusal> {
  const { promise, resolve } = Promise.withResolvers<Body | BodyRefusal>();
  let chunks: Buffer[] = [];
  let size = 0;
  const seat = memory.seat(sender, () => refuse('busy'));
  const release = (): void => {
    seat.leave();
    chunks = [];
  };
  const settle = (result: Body | BodyRefusal): void => {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('close', onGone).off('error', onGone);
    if (typeof result === 'string') release();
    resolve(result);
  };
  const refuse = (refusal: BodyRefusal): void => {
    request.pause();
    settle(refusal);
  };
  const onData = (chunk: Buffer): void => {
    if (size + chunk.length > limits.maxBytes) return refuse('too-large');
    if (!seat.take(chunk.length)) return refuse('busy');
    size += chunk.length;
    chunks.push(chunk);
    onChunk(chunk);
  };
  const onEnd = (): void => {
    seat.keep();
    settle({ bytes: () => Buffer.concat(chunks, size), release });
  };
  const onGone = (): void => settle('gone');
  const timer = setTimeout(() => refuse('too-slow'), limits.milliseconds);
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  return promise;
}
