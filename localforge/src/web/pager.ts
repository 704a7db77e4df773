import { html } from 'hono/html';

import type { Html } from './html.ts';
import type { Visit } from './visit.ts';

export const PER_PAGE = 50;

/** The number of the page that is asked for. */
export const pageNumber = ({ url }: Visit): number => {
  const text = url.searchParams.get('page') ?? '';
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1;
};

/** Links to the pages before and after; `more`: there is one after. */
export function pager(visit: Visit, more: boolean): Html {
  const number = pageNumber(visit);
  if (number === 1 && !more) return html``;
  const to = (page: number): string => {
    const url = new URL(visit.url);
    url.searchParams.set('page', String(page));
    return url.pathname + url.search;
  };
  return html`<nav class="line" aria-label="Pages">
    ${number > 1 ? html`<a href="${to(number - 1)}">Newer</a>` : ''}
    ${more ? html`<a href="${to(number + 1)}">Older</a>` : ''}
  </nav>`;
}

/** Whether a REST reply says that there is a next page. */
export const hasMore = (reply: { readonly headers: { readonly link?: string | undefined } }): boolean =>
  reply.headers.link?.includes('rel="next"') ?? false;
