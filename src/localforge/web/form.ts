import { html } from 'hono/html';

import { refusal } from '../refusal.ts';
import type { Html } from './html.ts';

/** A comment of 65,536 characters, every one written as `%XX%XX%XX`. */
const MAX_FORM = 700_000;

/**
 * The fields of a posted form, with line ends as `\n`.
 * @throws a 413 or 415 refusal
 */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\b/i.test(type)) throw refusal(415, 'This is not a form.');
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (Number(request.headers.get('content-length') ?? 0) > MAX_FORM)
    throw refusal(413, 'The form is too large.');
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_FORM) throw refusal(413, 'The form is too large.');
    chunks.push(chunk);
  }
  const fields = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(Buffer.concat(chunks).toString())) {
    fields.append(name, value.replaceAll(/\r\n?/g, '\n'));
  }
  return fields;
}

/** A path of ours to go back to; `/` for everything else. */
export function localPath(text: string | null, origin: string): string {
  if (text === null || !text.startsWith('/') || !URL.canParse(text, origin)) return '/';
  const url = new URL(text, origin);
  return url.origin === new URL(origin).origin ? url.pathname + url.search : '/';
}

/** A form that comes back to the page at `back` when it is refused, and by default also when it is done. */
export const form = (action: string, back: string, content: Html | readonly Html[]): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="back" value="${back}" />${content}
  </form>`;

/** A form of one button. */
export function buttonForm(
  action: string,
  back: string,
  label: string,
  fields: Readonly<Record<string, string>> = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return form(action, back, html`${hidden}<button>${label}</button>`);
}
