import type { IncomingMessage } from 'node:http';

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body. */
  readonly milliseconds: number;
  /** The memory that all requests share; each takes from it while it holds bytes. */
  readonly shared: { left: number };
}

/** `gone`: the sender went away in the middle. `busy`: too much is held for other requests. */
export type BodyRefusal = 'too-large' | 'too-slow' | 'busy' | 'gone';

export interface Body {
  bytes(): Buffer;
  /** Gives the shared memory back; to be called once, when the bytes are no longer needed. */
  release(): void;
}

/**
 * Reads a request's body under its limits. A refusal stops the reading at once and drops what was held; the request is
 * left paused for the caller to answer.
 * @param onChunk sees every chunk as it comes
 */
export function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  onChunk: (chunk: Buffer) => void,
): Promise<Body | BodyRefusal> {
  const { promise, resolve } = Promise.withResolvers<Body | BodyRefusal>();
  let chunks: Buffer[] = [];
  let size = 0;
  const release = (): void => {
    limits.shared.left += size;
    size = 0;
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
    if (chunk.length > limits.shared.left) return refuse('busy');
    size += chunk.length;
    limits.shared.left -= chunk.length;
    chunks.push(chunk);
    onChunk(chunk);
  };
  const onEnd = (): void => settle({ bytes: () => Buffer.concat(chunks, size), release });
  const onGone = (): void => settle('gone');
  const timer = setTimeout(() => refuse('too-slow'), limits.milliseconds);
  request.on('data', onData).on('end', onEnd).on('close', onGone).on('error', onGone);
  return promise;
}
