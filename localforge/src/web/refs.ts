/** Branches, tags and releases. */
import { html } from 'hono/html';

import { collaborationStore } from '../collaboration-store.ts';
import type { GitTag } from '../git-objects.ts';
import { badge, encodePath, person, sha, time } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage } from './layout.ts';
import { markdown } from './markdown.ts';
import { hasMore, pager, pageNumber, PER_PAGE } from './pager.ts';
import type { Data, RepositoryVisit } from './visit.ts';

/** `/branches` */
export async function branchesPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at, root, repository } = visit;
  const reply = await api.rest.repos.listBranches({ ...at, per_page: PER_PAGE, page: pageNumber(visit) });
  const rows = reply.data.map((branch) => {
    const isDefault = branch.name === repository.defaultBranch;
    const pull = openPullFrom(visit, branch.name);
    const compare = `${root}/compare/${encodePath(repository.defaultBranch)}...${encodePath(branch.name)}`;
    const next =
      pull === undefined
        ? html`<a href="${compare}">Open a pull request<span class="dim"> from ${branch.name}</span></a>`
        : html`<a href="${root}/pull/${pull}">Pull request #${pull}</a>`;
    return html`<li>
      <a href="${root}/tree/${encodePath(branch.name)}"><b>${branch.name}</b></a>
      ${sha(root, branch.commit.sha)} ${isDefault ? badge('default') : ''}
      ${branch.protected ? badge('protected') : ''} ${isDefault ? '' : html`<p>${next}</p>`}
    </li>`;
  });
  const main = html`<h1>Branches</h1>
    <ul class="rows">
      ${rows}
    </ul>
    ${pager(visit, hasMore(reply))}`;
  return repositoryPage(visit, 'branches', 'Branches', main);
}

/** The number of the open pull request from a branch. */
export function openPullFrom({ context, repository }: RepositoryVisit, branch: string): number | undefined {
  const { pulls, issues } = collaborationStore(context.store);
  const found = pulls.find('head', [repository.id, branch], { order: 'desc' });
  return found.find((pull) => issues.get(pull.issueId)?.state === 'open')?.number;
}

/** `/tags`, with the message of those that have one. */
export async function tagsPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at, root, context, repository } = visit;
  const reply = await api.rest.repos.listTags({ ...at, per_page: PER_PAGE, page: pageNumber(visit) });
  const git = context.git(repository);
  const rows = await Promise.all(
    reply.data.map(async (tag) => {
      const ref = await git.ref(`refs/tags/${tag.name}`);
      const annotated = ref?.type === 'tag' ? await git.tag(ref.sha) : undefined;
      return html`<li>
        <a href="${root}/tree/${encodePath(tag.name)}"><b>${tag.name}</b></a> ${sha(root, tag.commit.sha)}
        ${annotated === undefined ? '' : annotation(annotated)}
      </li>`;
    }),
  );
  const main = html`<h1>Tags</h1>
    ${
      rows.length === 0
        ? html`<p>No tags yet.</p>`
        : html`<ul class="rows">
            ${rows}
          </ul>`
    }
    ${pager(visit, hasMore(reply))}`;
  return repositoryPage(visit, 'tags', 'Tags', main);
}

/** When and with what message a tag was made; a long one unfolds. */
function annotation({ tagger, message }: GitTag): Html {
  const [title = '', ...rest] = message.trim().split('\n');
  const when = time(tagger?.date);
  if (rest.length === 0) return html`${when} <span class="dim">${title}</span>`;
  return html`${when}
    <details>
      <summary>${title}</summary>
      <pre tabindex="0"><code>${rest.join('\n').trim()}</code></pre>
    </details>`;
}

type Release = Data<'repos', 'getRelease'>;

/** `/releases` */
export async function releasesPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at } = visit;
  const reply = await api.rest.repos.listReleases({ ...at, per_page: PER_PAGE, page: pageNumber(visit) });
  const main = html`<h1>Releases</h1>
    ${reply.data.length === 0 ? html`<p>No releases yet.</p>` : reply.data.map((release) => releaseBox(visit, release))}
    ${pager(visit, hasMore(reply))}`;
  return repositoryPage(visit, 'releases', 'Releases', main);
}

/** `/releases/tag/*` */
export async function releasePage(visit: RepositoryVisit): Promise<Html> {
  const { data } = await visit.api.rest.repos.getReleaseByTag({ ...visit.at, tag: visit.param('words') });
  const main = html`<h1>Release ${data.tag_name}</h1>
    ${releaseBox(visit, data)}`;
  return repositoryPage(visit, 'releases', data.tag_name, main);
}

function releaseBox({ root }: RepositoryVisit, release: Release): Html {
  const tag = encodePath(release.tag_name);
  return html`<section class="box">
    <header>
      <h3>
        <a href="${root}/releases/tag/${tag}"><b>${release.name ?? release.tag_name}</b></a>
      </h3>
      ${release.draft ? badge('draft', 'busy') : ''} ${release.prerelease ? badge('pre-release', 'busy') : ''}
      by ${person(release.author)} ${time(release.published_at ?? release.created_at)} · files at
      <a href="${root}/tree/${tag}"><code>${release.tag_name}</code></a>
    </header>
    <div class="in md">${markdown(release.body ?? '', { repository: root })}</div>
  </section>`;
}
