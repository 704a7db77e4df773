import { html } from 'hono/html';

import { collaborationStore } from '../collaboration-store.ts';
import { person, time } from './html.ts';
import type { Html } from './html.ts';
import { markdown } from './markdown.ts';
import type { Data, RepositoryVisit } from './visit.ts';

interface Written {
  readonly id: number;
  readonly user: { readonly login: string; readonly type?: string } | null;
  readonly body?: string | null | undefined;
  readonly created_at: string;
  readonly updated_at?: string;
  readonly performed_via_github_app?: object | null | undefined;
  readonly reactions?: Data<'issues', 'getComment'>['reactions'];
}

const EMOJI = {
  '+1': ['👍', 'thumbs up'],
  '-1': ['👎', 'thumbs down'],
  laugh: ['😄', 'laugh'],
  confused: ['😕', 'confused'],
  heart: ['❤️', 'heart'],
  hooray: ['🎉', 'hooray'],
  rocket: ['🚀', 'rocket'],
  eyes: ['👀', 'eyes'],
} as const;

/** What somebody wrote, in a box. `anchor` as GitHub names it: `issuecomment-12`. */
export function commentBox({
  visit,
  written,
  anchor,
  what,
  minimized = null,
}: {
  readonly visit: RepositoryVisit;
  readonly written: Written;
  readonly anchor: string;
  readonly what: Html | string;
  readonly minimized?: string | null | undefined;
}): Html {
  const viaApp = written.performed_via_github_app !== null && written.performed_via_github_app !== undefined;
  const text = written.body ?? '';
  const shown = html`<div class="md">
      ${text === '' ? html`<p class="dim">Nothing was written.</p>` : markdown(text, { repository: visit.root })}
    </div>
    ${reactionList(written.reactions)}`;
  // The time of an issue moves with whatever happens to it, not only with its text.
  const { updated_at: updated, created_at: created } = written;
  const edited = !anchor.startsWith('issue-') && updated !== undefined && updated !== created;
  return html`<article class="box" id="${anchor}">
    <header>
      <h3>${person(written.user, viaApp)} ${what}</h3>
      <a href="#${anchor}">${time(written.created_at)}</a>${edited ? ', edited' : ''}
    </header>
    <div class="in">
      ${
        minimized === null
          ? shown
          : html`<details>
              <summary>Hidden as ${minimized}</summary>
              <div>${shown}</div>
            </details>`
      }
    </div>
  </article>`;
}

/** A comment of an issue or pull request. */
export function issueComment(visit: RepositoryVisit, comment: Data<'issues', 'getComment'>): Html {
  const minimized = collaborationStore(visit.context.store).comments.get(comment.id)?.minimized ?? null;
  return commentBox({
    visit,
    written: comment,
    anchor: `issuecomment-${comment.id}`,
    what: 'commented',
    minimized,
  });
}

function reactionList(reactions: Written['reactions']): Html | '' {
  if (reactions === undefined || reactions.total_count === 0) return '';
  const kinds = Object.keys(EMOJI) as (keyof typeof EMOJI)[];
  return html`<ul class="reactions" aria-label="Reactions">
    ${kinds
      .filter((kind) => reactions[kind] > 0)
      .map((kind) => {
        const [sign, name] = EMOJI[kind];
        return html`<li><span aria-hidden="true">${sign}</span> ${name} ${reactions[kind]}</li>`;
      })}
  </ul>`;
}
