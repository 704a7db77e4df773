/** One REST or GraphQL call as it passed through the server. */
export interface HttpExchange {
  readonly method: string;
  readonly url: URL;
  /** '' where there was none. */
  readonly requestBody: string;
  readonly status: number;
  readonly replyBody: string;
  /** The reply's media type, or ''. */
  readonly replyType: string;
}

export type ExchangeListener = (exchange: HttpExchange) => void;

/** Shows every call to the listeners, after it was answered and before the answer goes out. */
export function observed(
  listeners: ReadonlySet<ExchangeListener>,
  answer: (request: Request) => Response | Promise<Response>,
): (request: Request) => Promise<Response> {
  return async (request) => {
    if (listeners.size === 0) return answer(request);
    const requestBody =
      request.method === 'GET' || request.method === 'HEAD' ? '' : await request.clone().text();
    const reply = await answer(request);
    const exchange: HttpExchange = {
      method: request.method,
      url: new URL(request.url),
      requestBody,
      status: reply.status,
      replyBody: await reply.clone().text(),
      replyType: reply.headers.get('content-type') ?? '',
    };
    for (const listener of listeners) listener(exchange);
    return reply;
  };
}
