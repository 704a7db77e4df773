import { html } from 'hono/html';

import { refusal } from '../refusal.ts';
import type { Html } from './html.ts';
import type { Visit } from './visit.ts';

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

/** A form of the page of this visit, which comes back to it when it is refused, and by default also when it is done. */
export const form = (
  action: string,
  { here, viewer }: Pick<Visit, 'here' | 'viewer'>,
  content: Html | readonly Html[],
): Html =>
  html`<form method="post" action="${action}">
    <input type="hidden" name="back" value="${here}" />
    <input type="hidden" name="as" value="${viewer?.login ?? ''}" />${content}
  </form>`;

/**
 * Another tab may have signed in as somebody else since the page with the form was shown.
 * @throws a 409 refusal when the form says that it is another person's
 */
export function demandSamePerson(fields: URLSearchParams, viewer: Visit['viewer']): void {
  const shownTo = fields.get('as');
  const now = viewer?.login ?? '';
  if (shownTo === null || shownTo === now) return;
  throw refusal(
    409,
    `This page was shown to ${shownTo || 'nobody'}, but you are now ${now || 'nobody'}. Nothing was done. Submit it again to do it as ${now || 'nobody'}.`,
  );
}

/** A form of one button. */
export function buttonForm(
  action: string,
  visit: Pick<Visit, 'here' | 'viewer'>,
  label: string,
  fields: Readonly<Record<string, string>> = {},
): Html {
  const hidden = Object.entries(fields).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`,
  );
  return form(action, visit, html`${hidden}<button>${label}</button>`);
}
