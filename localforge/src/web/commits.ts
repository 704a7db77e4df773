/** A commit, the comparison of two branches, and a check run by itself. */
import { html } from 'hono/html';

import { annotationMarks, checkBox, checkLines, reportedOn } from './checks.ts';
import { changesSummary, fileChange } from './diff-view.ts';
import { typed } from './discussion-forms.ts';
import { form } from './form.ts';
import { commitRows } from './history.ts';
import { encodePath, sha, time } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage } from './layout.ts';
import { openPullFrom } from './refs.ts';
import type { RepositoryVisit } from './visit.ts';

/** `/commit/:sha` */
export async function commitPage(visit: RepositoryVisit): Promise<Html> {
  const { api, at, root } = visit;
  const { data } = await api.rest.repos.getCommit({ ...at, ref: visit.param('sha') });
  const reported = await reportedOn(visit, data.sha);
  const [title = '', ...rest] = data.commit.message.split('\n');
  const files = data.files ?? [];
  const marks = annotationMarks(reported);
  const main = html`<h1>${title}</h1>
    ${rest.join('').trim() === '' ? '' : html`<pre tabindex="0"><code>${rest.join('\n').trim()}</code></pre>`}
    <p>
      Commit <code>${data.sha}</code> by ${data.commit.author?.name ?? 'somebody'},
      ${time(data.commit.committer?.date)} ·
      <a href="${root}/tree/${data.sha}">files at this commit</a>
    </p>
    <p>
      ${data.parents.length === 1 ? 'Parent' : 'Parents'}:
      ${data.parents.map((parent) => html`${sha(root, parent.sha)} `)}
    </p>
    <h2>Checks</h2>
    ${checkLines(reported, '')}
    <h2>Changes</h2>
    ${changesSummary(files)} ${files.map((file) => fileChange({ visit, sha: data.sha, file, marks }))}
    ${reported.runs.map((run) => checkBox(visit, run, ''))}`;
  return repositoryPage(visit, 'code', title, main);
}

/** `/runs/:run`: the page of a check run. */
export async function runPage(visit: RepositoryVisit): Promise<Html> {
  const { data } = await visit.api.rest.checks.get({ ...visit.at, check_run_id: Number(visit.param('run')) });
  const { runs } = await reportedOn(visit, data.head_sha);
  const found = runs.find(({ run }) => run.id === data.id) ?? { run: data, annotations: [] };
  const pull = data.pull_requests[0]?.number;
  const main = html`<h1>Check ${data.name}</h1>
    <p>
      On ${sha(visit.root, data.head_sha)}
      ${pull === undefined ? '' : html`of <a href="${visit.root}/pull/${pull}">pull request #${pull}</a>`}
    </p>
    ${checkBox(visit, found, pull === undefined ? '' : `${visit.root}/pull/${pull}/files`)}`;
  return repositoryPage(visit, 'pulls', data.name, main);
}

/** `/compare` and `/compare/base...head`: what a pull request would bring, and the form to open it. */
export async function comparePage(visit: RepositoryVisit): Promise<Html> {
  const { api, at, root, repository } = visit;
  const [base = '', head = ''] = visit.param('words').split('...');
  const branches = await api.paginate(api.rest.repos.listBranches, { ...at, per_page: 100 });
  const names = branches.map((branch) => branch.name);
  const asked = visit.url.searchParams;
  const chosen = {
    base: base || (asked.get('base') ?? repository.defaultBranch),
    head: head || (asked.get('head') ?? ''),
  };
  const select = (name: 'base' | 'head', label: string): Html =>
    html`<label for="${name}">${label}</label>
      <select id="${name}" name="${name}">
        ${names.map((one) =>
          one === chosen[name]
            ? html`<option value="${one}" selected>${one}</option>`
            : html`<option value="${one}">${one}</option>`,
        )}
      </select>`;
  const choose = html`<form action="${root}/compare" method="get">
    <p class="line">${select('base', 'Into')} ${select('head', 'from')} <button>Compare</button></p>
  </form>`;
  const result = chosen.head === '' ? '' : await comparison(visit, chosen, names.includes(chosen.head));
  const main = html`<h1>Compare branches</h1>
    ${choose} ${result}`;
  return repositoryPage(visit, 'pulls', 'Compare', main);
}

async function comparison(
  visit: RepositoryVisit,
  { base, head }: { readonly base: string; readonly head: string },
  isBranch: boolean,
): Promise<Html> {
  const { api, at, root } = visit;
  const basehead = `${base}...${head}`;
  const { data } = await api.rest.repos.compareCommitsWithBasehead({ ...at, basehead, per_page: 100 });
  const files = data.files ?? [];
  const tip = data.commits.at(-1)?.sha ?? data.base_commit.sha;
  if (data.ahead_by === 0)
    return html`<p><code>${head}</code> has no commits that <code>${base}</code> lacks.</p>`;
  const open = openPullFrom(visit, head);
  const offer =
    open !== undefined
      ? html`<p>There is <a href="${root}/pull/${open}">pull request #${open}</a> from this branch.</p>`
      : isBranch && visit.viewer !== undefined
        ? pullForm(visit, base, head, data.commits[0]?.commit.message ?? '')
        : '';
  return html`${offer}
    <h2>${data.ahead_by} new ${data.ahead_by === 1 ? 'commit' : 'commits'}</h2>
    ${commitRows(visit, data.commits)}
    <p class="dim">
      From <a href="${root}/tree/${encodePath(head)}"><code>${head}</code></a>
    </p>
    ${changesSummary(files)} ${files.map((file) => fileChange({ visit, sha: tip, file, marks: [] }))}`;
}

function pullForm(visit: RepositoryVisit, base: string, head: string, message: string): Html {
  const title = typed(visit, 'pull', 'title') || message.split('\n')[0] || head;
  const fields = html`<input type="hidden" name="form" value="pull" />
    <input type="hidden" name="base" value="${base}" />
    <input type="hidden" name="head" value="${head}" />
    <label for="title">Title</label>
    <input type="text" class="wide" id="title" name="title" required maxlength="256" value="${title}" />
    <label for="body">Description</label>
    <textarea id="body" name="body" rows="4">${typed(visit, 'pull')}</textarea>
    <p class="check">
      <label><input type="checkbox" name="draft" value="yes" /> As a draft</label>
    </p>
    <p><button class="main">Open pull request</button></p>`;
  return html`<h2>Open a pull request as ${visit.viewer?.login ?? 'nobody'}</h2>
    ${form(`${visit.root}/pulls`, visit, fields)}`;
}
