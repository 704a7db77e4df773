import { html, raw } from 'hono/html';

import type { Html } from './html.ts';
import { badge } from './html.ts';
import { SCRIPT } from './live.ts';
import { viewerForm } from './sign-in.ts';
import { STYLE } from './style.ts';
import type { RepositoryVisit, Visit } from './visit.ts';

// The style sheet is a constant of ours, and the policy names it by its digest.
const STYLE_ELEMENT = raw(`<style>${STYLE}</style>`);
// So is the script.
const SCRIPT_ELEMENT = raw(`<script>${SCRIPT}</script>`);

/** A whole page: `title` for the window, `main` below the header. */
export function page(visit: Visit, title: string, main: Html, location?: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · local forge</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="home" href="/">Local forge</a>
          <a href="/settings/deliveries">Webhook deliveries</a>
          ${viewerForm(visit)}
        </header>
        ${location ?? ''}
        <main id="main" tabindex="-1">${refusedNote(visit)}${main}</main>
        <footer>
          A forge in one process, on this machine. Its REST API is at <code>${visit.context.urls.api}</code>.
        </footer>
        <p id="news" class="news" role="status" hidden>
          There is something new. <a href="">Load the page again</a>
        </p>
        <p id="gone" class="news" role="status" hidden>The forge does not answer any more.</p>
        ${SCRIPT_ELEMENT}
      </body>
    </html>`;
}

export type Tab = 'code' | 'branches' | 'tags' | 'pulls' | 'issues' | 'releases';

/** A page of a repository, with its tabs. */
export function repositoryPage(visit: RepositoryVisit, tab: Tab, title: string, main: Html): Html {
  const { at, root, repository } = visit;
  const tabs: readonly (readonly [Tab, string, string])[] = [
    ['code', 'Code', root],
    ['branches', 'Branches', `${root}/branches`],
    ['tags', 'Tags', `${root}/tags`],
    ['pulls', 'Pull requests', `${root}/pulls`],
    ['issues', 'Issues', `${root}/issues`],
    ['releases', 'Releases', `${root}/releases`],
  ];
  const location = html`<nav class="at" aria-label="Repository">
    <p>
      <a href="/${at.owner}">${at.owner}</a> / <a href="${root}"><b>${at.repo}</b></a>
      ${badge(repository.private ? 'private' : 'public')}
    </p>
    ${tabList(tabs, tab)}
  </nav>`;
  return page(visit, `${title} · ${at.owner}/${at.repo}`, main, location);
}

/** Links of which one is where the reader is. */
export function tabList(
  tabs: readonly (readonly [key: string, label: string, href: string])[],
  current: string,
  inner = false,
): Html {
  return html`<ul class="tabs${inner ? ' inner' : ''}">
    ${tabs.map(
      ([key, label, href]) =>
        html`<li>
          ${
            key === current
              ? html`<a href="${href}" aria-current="page">${label}</a>`
              : html`<a href="${href}">${label}</a>`
          }
        </li>`,
    )}
  </ul>`;
}

function refusedNote(visit: Visit): Html {
  if (visit.refused === undefined) return html``;
  return html`<div class="alert" role="alert">
    <p class="text"><b>That was refused (${visit.refused.status}):</b> ${visit.refused.message}</p>
  </div>`;
}
