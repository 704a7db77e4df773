/** The API's side of the door: what of a request is passed on, and how it is answered. */
import type { IncomingMessage, ServerResponse } from 'node:http';

import { faultAnswer, type ApiAnswer, type ApiRequest } from './message.ts';
import { createRateLimit } from './rate-limit.ts';

/** Requests of one sender in a minute, whatever tokens they carry: each costs the server a message. */
const MAX_REQUESTS_PER_MINUTE = 600;

/** Answers with what `ask` finds, which gives undefined where there is no API. Bodies of requests are not read. */
export function answerApi(
  ask: (request: ApiRequest) => Promise<ApiAnswer | undefined>,
  now: () => number,
): (request: IncomingMessage, response: ServerResponse, sender: string) => Promise<void> {
  const limit = createRateLimit(MAX_REQUESTS_PER_MINUTE, now);
  return async (request, response, sender) => {
    const { method = '', url = '', headers } = request;
    const wait = limit.take(sender);
    const {
      status,
      headers: told,
      body,
    } = wait > 0
      ? faultAnswer({
          status: 429,
          code: 'TOO_MANY',
          message: `A sender may ask ${MAX_REQUESTS_PER_MINUTE} times a minute.`,
          hint: 'Wait.',
          retryAfter: wait,
        })
      : ((await ask({
          method,
          url,
          authorization: headers.authorization,
          known: headers['if-none-match'],
          sender,
        })) ?? faultAnswer(NO_API));
    const isUnread = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
    response.writeHead(status, {
      ...told,
      'x-content-type-options': 'nosniff',
      ...(isUnread && { connection: 'close' }),
    });
    response.end(method === 'HEAD' ? '' : body);
  };
}

const NO_API = {
  status: 404,
  code: 'NO_SUCH_PATH',
  message: 'This server has no API.',
  hint: 'Start it with API=on.',
} as const;
