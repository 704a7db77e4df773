import { html } from 'hono/html';

import { badge, person, time } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage, tabList } from './layout.ts';
import { hasMore, pager, pageNumber, PER_PAGE } from './pager.ts';
import { pullState } from './pull-header.ts';
import type { RepositoryVisit } from './visit.ts';

const STATES = ['open', 'closed', 'all'] as const;

/** The state that the address asks for. */
const stateOf = ({ url }: RepositoryVisit): (typeof STATES)[number] =>
  STATES.find((state) => state === url.searchParams.get('state')) ?? 'open';

const stateTabs = (page: string, state: string): Html =>
  html`<nav aria-label="State">
    ${tabList(
      STATES.map((one) => [one, `${one[0]?.toUpperCase() ?? ''}${one.slice(1)}`, `${page}?state=${one}`]),
      state,
      true,
    )}
  </nav>`;

/** `/pulls` */
export async function pullsPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at, root } = visit;
  const state = stateOf(visit);
  const reply = await api.rest.pulls.list({ ...at, state, per_page: PER_PAGE, page: pageNumber(visit) });
  const main = html`<h1>Pull requests</h1>
    <p><a href="${root}/compare">Open a pull request</a></p>
    ${stateTabs(`${root}/pulls`, state)}
    ${
      reply.data.length === 0
        ? html`<p>None.</p>`
        : html`<ul class="rows">
            ${reply.data.map(
              (pull) =>
                html`<li>
                  ${pullState(pull)} <a href="${root}/pull/${pull.number}"><b>${pull.title}</b></a>
                  ${pull.labels.map((label) => badge(label.name))}
                  <p class="dim">
                    #${pull.number} by ${person(pull.user)} from <code>${pull.head.ref}</code>,
                    ${time(pull.created_at)}
                  </p>
                </li>`,
            )}
          </ul>`
    }
    ${pager(visit, hasMore(reply))}`;
  return repositoryPage(visit, 'pulls', 'Pull requests', main);
}

/** `/issues`, without pull requests. */
export async function issuesPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at, root } = visit;
  const state = stateOf(visit);
  const reply = await api.rest.issues.listForRepo({
    ...at,
    state,
    per_page: PER_PAGE,
    page: pageNumber(visit),
  });
  const issues = reply.data.filter((issue) => issue.pull_request === undefined);
  const main = html`<h1>Issues</h1>
    <p><a href="${root}/issues/new">Write an issue</a></p>
    ${stateTabs(`${root}/issues`, state)}
    ${
      issues.length === 0
        ? html`<p>None.</p>`
        : html`<ul class="rows">
            ${issues.map(
              (issue) =>
                html`<li>
                  ${badge(issue.state, issue.state === 'open' ? 'good' : 'done')}
                  <a href="${root}/issues/${issue.number}"><b>${issue.title}</b></a>
                  ${issue.labels.map((label) => badge(typeof label === 'string' ? label : (label.name ?? '')))}
                  <p class="dim">#${issue.number} by ${person(issue.user)}, ${time(issue.created_at)}</p>
                </li>`,
            )}
          </ul>`
    }
    ${pager(visit, hasMore(reply))}`;
  return repositoryPage(visit, 'issues', 'Issues', main);
}
