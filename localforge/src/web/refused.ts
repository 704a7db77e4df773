import { HTTPException } from 'hono/http-exception';

/** What the API, or a part of the forge itself, refused, in words for a page; undefined for a failure. */
export function refusedOf(error: unknown): { readonly status: number; readonly message: string } | undefined {
  if (error instanceof HTTPException) {
    return error.status < 400 ? undefined : { status: error.status, message: error.message };
  }
  if (!(error instanceof Error)) return undefined;
  const { status, response, errors } = error as Error & {
    status?: number;
    response?: { data?: unknown };
    errors?: unknown;
  };
  // GraphQL answers 200 and lists what is wrong.
  if (error.name === 'GraphqlResponseError') return { status: 422, message: sentences(errors).join('\n') };
  if (status === undefined || status >= 500 || status < 400) return undefined;
  const data = (response?.data ?? {}) as { message?: unknown; errors?: unknown };
  const message = typeof data.message === 'string' ? data.message : error.message;
  return { status, message: [message, ...sentences(data.errors)].join('\n') };
}

/** The entries of `errors`: a sentence, or an object with a sentence or a field and what is wrong with it. */
function sentences(errors: unknown): string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((one: unknown) => {
    if (typeof one === 'string') return one;
    const { message, field, code } = (one ?? {}) as Record<string, unknown>;
    if (typeof message === 'string') return message;
    return `${typeof field === 'string' ? field : 'A field'}: ${typeof code === 'string' ? code.replaceAll('_', ' ') : 'wrong'}`;
  });
}
