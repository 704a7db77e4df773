/** One POST as a hook makes it, over connections that are kept. */
import { Agent, request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly reason: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface Poster extends Disposable {
  /** Follows no redirect. Rejects where no whole answer comes, or by `signal`. */
  post(
    request: { readonly url: string; readonly headers: Record<string, string>; readonly body: string },
    signal: AbortSignal,
  ): Promise<Answer>;
}

/** The receiver may close a kept connection in the moment that it is used again: then it has read nothing. */
const UNREAD = new Error('the kept connection was closed');

/** The client of `fetch` costs three times as much of a processor, and a forge sends twenty of these for a pull request. */
export function createPoster(): Poster {
  const plain = new Agent({ keepAlive: true });
  const secure = new SecureAgent({ keepAlive: true });

  function once({ url, headers, body }: Parameters<Poster['post']>[0], signal: AbortSignal): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const target = new URL(url);
    const how = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      signal,
    };
    const answered = (incoming: IncomingMessage): void => {
      text(incoming).then((read) => resolve(answerOf(incoming, read)), reject);
    };
    const outgoing =
      target.protocol === 'https:'
        ? secureRequest(target, { ...how, agent: secure }, answered)
        : plainRequest(target, { ...how, agent: plain }, answered);
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      reject(outgoing.reusedSocket && error.code === 'ECONNRESET' ? UNREAD : error);
    });
    outgoing.end(body);
    return promise;
  }

  return {
    async post(request, signal) {
      try {
        return await once(request, signal);
      } catch (error) {
        if (error !== UNREAD) throw error;
        return once(request, signal);
      }
    },
    [Symbol.dispose]() {
      plain.destroy();
      secure.destroy();
    },
  };
}

function answerOf(incoming: IncomingMessage, body: string): Answer {
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)] as const);
  return {
    status: incoming.statusCode ?? 0,
    reason: incoming.statusMessage ?? '',
    headers: Object.fromEntries(headers),
    body,
  };
}
