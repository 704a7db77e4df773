/** Small pieces that every page uses. */
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

/** Markup whose values were escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The segments of a path encoded, its slashes kept. */
export const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

/** `1 file`, `2 files`. */
export const count = (number: number, one: string, many = `${one}s`): string =>
  `${number} ${number === 1 ? one : many}`;

/** A moment, to the minute in UTC. */
export function time(iso: string | null | undefined): Html {
  if (iso === null || iso === undefined || iso === '') return html``;
  const utc = new Date(iso).toISOString();
  return html`<time datetime="${utc}">${utc.slice(0, 10)} ${utc.slice(11, 16)} UTC</time>`;
}

/** Somebody's name, with a badge when it is a bot. */
export function person(
  user: { readonly login: string; readonly type?: string | undefined } | null | undefined,
  viaApp = false,
): Html {
  if (user === null || user === undefined) return html`<b>somebody</b>`;
  const bot = user.type === 'Bot' || viaApp;
  const name = bot ? html`<b>${user.login}</b>` : html`<a href="/${user.login}"><b>${user.login}</b></a>`;
  return bot ? html`${name} ${badge('bot')}` : name;
}

export type Tone = 'plain' | 'good' | 'bad' | 'busy' | 'done';

/** A short word in a frame. The word says it all: the colour is only for those who see it. */
export const badge = (word: string, tone: Tone = 'plain'): Html =>
  html`<span class="badge ${tone}">${word}</span>`;

/** A commit's short id. */
export const sha = (repository: string, id: string): Html =>
  html`<a class="sha" href="${repository}/commit/${id}"><code>${id.slice(0, 7)}</code></a>`;
