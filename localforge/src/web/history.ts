/** Lists of commits: of a branch, a directory or a file, and of a pull request. */
import { html } from 'hono/html';

import { encodePath, sha, time } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage } from './layout.ts';
import { hasMore, pager, pageNumber, PER_PAGE } from './pager.ts';
import { loadPull, pullPage } from './pull-header.ts';
import { referenceOf } from './reference.ts';
import type { Data, RepositoryVisit } from './visit.ts';

/** `/commits` and `/commits/:ref/*`, newest first. */
export async function commitsPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at, root, repository } = visit;
  const {
    name,
    sha: from,
    path,
  } = await referenceOf(visit, visit.param('words') || repository.defaultBranch);
  const reply = await api.rest.repos.listCommits({
    ...at,
    sha: from,
    ...(path === '' ? {} : { path }),
    per_page: PER_PAGE,
    page: pageNumber(visit),
  });
  const tree = `${root}/tree/${encodePath(name)}`;
  const main = html`<h1>${path === '' ? 'Commits' : `Commits of ${path}`}</h1>
    <p class="dim">
      On <a href="${tree}"><code>${name}</code></a>
    </p>
    ${reply.data.length === 0 ? html`<p>None.</p>` : commitRows(visit, reply.data)}
    ${pager(visit, hasMore(reply))}`;
  return repositoryPage(visit, 'code', path === '' ? 'Commits' : `Commits of ${path}`, main);
}

/** `/pull/:number/commits`, oldest first. */
export async function pullCommitsPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at } = visit;
  const pull = await loadPull(visit);
  const commits = await api.paginate(api.rest.pulls.listCommits, {
    ...at,
    pull_number: pull.number,
    per_page: 100,
  });
  const main = html`<h2>Commits</h2>
    ${commitRows(visit, commits)}`;
  return pullPage(visit, pull, 'commits', main);
}

type Commit = Pick<Data<'repos', 'listCommits'>[number], 'sha' | 'commit' | 'author'>;

/** A row for each commit: what it says, who made it and when. */
export function commitRows({ root }: RepositoryVisit, commits: readonly Commit[]): Html {
  return html`<ul class="rows">
    ${commits.map(({ sha: id, commit, author }) => {
      const title = commit.message.split('\n')[0] ?? '';
      return html`<li>
        <a href="${root}/commit/${id}"><b>${title === '' ? 'No message' : title}</b></a>
        <p class="dim">
          ${author?.login ?? commit.author?.name ?? 'somebody'} ${sha(root, id)}
          ${time(commit.committer?.date ?? commit.author?.date)}
        </p>
      </li>`;
    })}
  </ul>`;
}
