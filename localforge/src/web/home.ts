import { html } from 'hono/html';

import { collaborationStore } from '../collaboration-store.ts';
import type { RepositoryRecord } from '../records.ts';
import { notFound } from '../refusal.ts';
import { badge, count } from './html.ts';
import type { Html } from './html.ts';
import { page } from './layout.ts';
import { signIn } from './sign-in.ts';
import type { Visit } from './visit.ts';

/** `/`: all repositories that the viewer may see. */
export function homePage(visit: Visit): Html {
  const shown = visible(visit, visit.context.records.repositories.all());
  const main = html`<h1>Repositories</h1>
    ${visit.viewer === undefined ? signIn(visit) : ''}
    ${shown.length === 0 ? html`<p>None that you may see.</p>` : repositoryList(visit, shown)}`;
  return page(visit, 'Repositories', main);
}

/** `/:owner`: those of one owner. */
export function ownerPage(visit: Visit): Html {
  const { records } = visit.context;
  const account = records.accountByLogin(visit.param('owner'));
  if (account === undefined) throw notFound();
  const shown = visible(visit, records.repositories.find('owner', [account.id]));
  const kind = account.type === 'Organization' ? 'organization' : account.type === 'Bot' ? 'bot' : 'user';
  const main = html`<h1>${account.login} ${badge(kind)}</h1>
    ${shown.length === 0 ? html`<p>No repositories that you may see.</p>` : repositoryList(visit, shown)}`;
  return page(visit, account.login, main);
}

function visible({ context, viewer }: Visit, repositories: readonly RepositoryRecord[]): RepositoryRecord[] {
  return repositories.filter((repository) =>
    viewer === undefined ? !repository.private : context.access.roleOf(viewer, repository) !== 'none',
  );
}

function repositoryList({ context }: Visit, repositories: readonly RepositoryRecord[]): Html {
  const { urls } = context;
  const sorted = repositories.toSorted((one, other) =>
    urls.fullName(one).localeCompare(urls.fullName(other)),
  );
  return html`<ul class="rows">
    ${sorted.map((repository) => {
      const open = openPulls(context, repository);
      return html`<li>
        <a href="/${urls.fullName(repository)}"><b>${urls.fullName(repository)}</b></a>
        ${badge(repository.private ? 'private' : 'public')}
        ${
          open === 0
            ? ''
            : html`· <a href="/${urls.fullName(repository)}/pulls">${count(open, 'open pull request')}</a>`
        }
        ${repository.description === null ? '' : html`<p class="dim">${repository.description}</p>`}
      </li>`;
    })}
  </ul>`;
}

function openPulls(context: Visit['context'], repository: RepositoryRecord): number {
  const { issues } = collaborationStore(context.store);
  return issues.find('state', [repository.id, 'open']).filter((issue) => issue.pullId !== null).length;
}
