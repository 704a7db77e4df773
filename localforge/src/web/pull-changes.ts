import { html } from 'hono/html';

import { annotationMarks, checkBox, reportedOn } from './checks.ts';
import { changesSummary, fileChange } from './diff-view.ts';
import type { ChangedFile, LineMark } from './diff-view.ts';
import { lineForm, reviewForm } from './discussion-forms.ts';
import { encodePath, sha } from './html.ts';
import type { Html } from './html.ts';
import { loadPull, pullPage } from './pull-header.ts';
import type { Pull } from './pull-header.ts';
import { lineComments, threadMarks } from './threads.ts';
import type { Data, RepositoryVisit } from './visit.ts';

/** More changed files are not shown. */
const MAX_FILES = 300;

/** `/pull/:number/files`: the changes, with annotations and threads on their lines. */
export async function changesPage(visit: RepositoryVisit): Promise<Html> {
  const pull = await loadPull(visit);
  const [files, comments, reported] = await Promise.all([
    changedFiles(visit, pull.number),
    lineComments(visit),
    reportedOn(visit, pull.head.sha),
  ]);
  const marks = [...annotationMarks(reported), ...threadMarks(visit, comments)];
  const paths = new Set(files.map((file) => file.filename));
  const elsewhere = marks.filter((mark) => !paths.has(mark.path));
  const writable = visit.viewer !== undefined && pull.state === 'open';
  const main = html`<h2>Changes</h2>
    ${changesSummary(files)}
    ${files.map((file, index) =>
      fileChange({
        visit,
        sha: pull.head.sha,
        file,
        marks,
        after: writable ? lineForm(visit, pull, file.filename, index) : '',
      }),
    )}
    ${files.length < pull.changed_files ? html`<p>${pull.changed_files - files.length} more files are not shown.</p>` : ''}
    ${elsewhere.length === 0 ? '' : unchanged(visit, pull, elsewhere)}
    ${writable ? reviewForm(visit, pull) : ''}`;
  return pullPage(visit, pull, 'files', main);
}

async function changedFiles({ api, at }: RepositoryVisit, number: number): Promise<ChangedFile[]> {
  let found = 0;
  return api.paginate(
    api.rest.pulls.listFiles,
    { ...at, pull_number: number, per_page: 100 },
    (reply, done) => {
      found += reply.data.length;
      if (found >= MAX_FILES) done();
      return reply.data;
    },
  );
}

/** What was said of files that did not change. */
function unchanged({ root }: RepositoryVisit, pull: Pull, marks: readonly LineMark[]): Html {
  const byPath = [...Map.groupBy(marks, (mark) => mark.path)];
  return html`<h2>Findings in unchanged files</h2>
    ${byPath.map(
      ([path, own]) =>
        html`<section class="box">
          <header>
            <h3>
              <a href="${root}/blob/${pull.head.sha}/${encodePath(path)}"><b>${path}</b></a>
            </h3>
          </header>
          <div class="in">${own.map((mark) => mark.shown)}</div>
        </section>`,
    )}`;
}

/** `/pull/:number/checks` */
export async function checksPage(visit: RepositoryVisit): Promise<Html> {
  const pull = await loadPull(visit);
  const reported = await reportedOn(visit, pull.head.sha);
  const changes = `${visit.root}/pull/${pull.number}/files`;
  const main = html`<h2>Checks on ${sha(visit.root, pull.head.sha)}</h2>
    ${reported.runs.length === 0 ? html`<p>No checks were reported on this commit.</p>` : ''}
    ${reported.runs.map((run) => checkBox(visit, run, changes))}
    ${reported.statuses.length === 0 ? '' : statusTable(reported.statuses)}`;
  return pullPage(visit, pull, 'checks', main);
}

function statusTable(statuses: Data<'repos', 'getCombinedStatusForRef'>['statuses']): Html {
  return html`<h2>Statuses</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Statuses">
      <table class="data">
        <thead>
          <tr>
            <th scope="col">Context</th>
            <th scope="col">State</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          ${statuses.map(
            (status) =>
              html`<tr>
                <td>${status.context}</td>
                <td>${status.state}</td>
                <td>${status.description ?? ''}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </div>`;
}

/** `/pull/:number.diff` and `.patch` */
export const changeText =
  (format: 'diff' | 'patch') =>
  async ({ api, at, param }: RepositoryVisit): Promise<Response> => {
    const number = Number.parseInt(param('file'), 10);
    // With a media type of text the data is that text, whatever the types say.
    const { data }: { readonly data: unknown } = await api.rest.pulls.get({
      ...at,
      pull_number: number,
      mediaType: { format },
    });
    return new Response(typeof data === 'string' ? data : JSON.stringify(data), {
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
  };
