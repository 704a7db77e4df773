/** Checks of a commit: what was reported, their annotations, and what a reader can do with them. */
import { html } from 'hono/html';

import { collaborationStore } from '../collaboration-store.ts';
import type { LineMark } from './diff-view.ts';
import { buttonForm } from './form.ts';
import { badge, count, encodePath, time } from './html.ts';
import type { Html, Tone } from './html.ts';
import { markdown } from './markdown.ts';
import type { Data, RepositoryVisit } from './visit.ts';

type Run = Data<'checks', 'get'>;
type Annotation = Data<'checks', 'listAnnotations'>[number];

export interface ReportedRun {
  readonly run: Run;
  readonly annotations: readonly Annotation[];
}

/** What is reported on a commit. */
export interface Reported {
  readonly runs: readonly ReportedRun[];
  readonly statuses: Data<'repos', 'getCombinedStatusForRef'>['statuses'];
}

/** More annotations of a run are not shown. */
const MAX_ANNOTATIONS = 500;

/** The newest runs and statuses of a commit, with all annotations. */
export async function reportedOn({ api, at }: RepositoryVisit, sha: string): Promise<Reported> {
  const runs = await api.paginate(api.rest.checks.listForRef, { ...at, ref: sha, per_page: 100 });
  const { data } = await api.rest.repos.getCombinedStatusForRef({ ...at, ref: sha, per_page: 100 });
  const withAnnotations = runs.map(async (run) => ({
    run,
    annotations: run.output.annotations_count === 0 ? [] : await annotationsOf(run.id),
  }));
  return {
    runs: (await Promise.all(withAnnotations)).toSorted((one, other) =>
      one.run.name.localeCompare(other.run.name),
    ),
    statuses: data.statuses,
  };

  async function annotationsOf(id: number): Promise<Annotation[]> {
    let found = 0;
    return api.paginate(
      api.rest.checks.listAnnotations,
      { ...at, check_run_id: id, per_page: 100 },
      (reply, done) => {
        found += reply.data.length;
        if (found >= MAX_ANNOTATIONS) done();
        return reply.data;
      },
    );
  }
}

/** `success`, `failure`, `in progress`. */
function verdict(run: Run): { readonly word: string; readonly tone: Tone } {
  if (run.status !== 'completed') return { word: run.status.replaceAll('_', ' '), tone: 'busy' };
  const word = run.conclusion ?? 'neutral';
  return { word: word.replaceAll('_', ' '), tone: TONES[word] ?? 'bad' };
}

/** What waits for somebody has not failed. */
const TONES: Readonly<Record<string, Tone>> = {
  success: 'good',
  neutral: 'plain',
  skipped: 'plain',
  action_required: 'busy',
};

const statusTone = (state: string): Tone =>
  state === 'success' ? 'good' : state === 'pending' ? 'busy' : 'bad';

/** A line for each check; `page`: where they are shown whole. */
export function checkLines({ runs, statuses }: Reported, page: string): Html {
  if (runs.length + statuses.length === 0)
    return html`<p class="dim">No checks were reported on this commit.</p>`;
  return html`<ul class="rows">
    ${runs.map(({ run, annotations }) => {
      const { word, tone } = verdict(run);
      return html`<li>
        ${badge(word, tone)} <a href="${page}#run-${run.id}"><b>${run.name}</b></a> ${run.output.title ?? ''}
        ${annotations.length === 0 ? '' : html`<span class="dim">${count(annotations.length, 'annotation')}</span>`}
      </li>`;
    })}
    ${statuses.map(
      (status) =>
        html`<li>
          ${badge(status.state, statusTone(status.state))}
          <b>${status.context}</b> ${status.description ?? ''}
        </li>`,
    )}
  </ul>`;
}

/**
 * A check whole, with its buttons.
 * @param changes the page on which lines of files are
 */
export function checkBox(visit: RepositoryVisit, { run, annotations }: ReportedRun, changes: string): Html {
  const { root, context } = visit;
  const { word, tone } = verdict(run);
  const actions = collaborationStore(context.store).runs.get(run.id)?.actions ?? [];
  const at = `${root}/runs/${run.id}`;
  const shownActions = run.status === 'completed' ? actions : [];
  const { title, summary, text } = run.output;
  return html`<section class="box" id="run-${run.id}">
    <header>
      <h3>
        <a href="${at}"><b>${run.name}</b></a>
      </h3>
      ${badge(word, tone)}
      <span class="dim">by ${run.app?.name ?? 'somebody'}</span> ${time(run.completed_at ?? run.started_at)}
    </header>
    <div class="in">
      ${title === null ? '' : html`<p><b>${title}</b></p>`}
      ${summary === null ? '' : html`<div class="md">${markdown(summary, { repository: root })}</div>`}
      ${text === null || text === undefined ? '' : html`<div class="md">${markdown(text, { repository: root })}</div>`}
      ${annotations.length === 0 ? '' : annotationList(visit, run, annotations, changes)}
      <div class="line">
        ${shownActions.map((action) =>
          buttonForm(`${at}/action`, visit, `${action.label}: ${action.description}`, {
            identifier: action.identifier,
          }),
        )}
        ${buttonForm(`${at}/rerequest`, visit, `Run ${run.name} again`)}
      </div>
    </div>
  </section>`;
}

/** Annotations to be shown on the lines of a change. */
export function annotationMarks({ runs }: Reported): LineMark[] {
  return runs.flatMap(({ run, annotations }) =>
    annotations.map((annotation, index) => ({
      path: annotation.path,
      side: 'RIGHT' as const,
      line: annotation.end_line,
      shown: annotationNote(run, annotation, noteAnchor(run, index)),
    })),
  );
}

const noteAnchor = (run: Run, index: number): string => `annotation-${run.id}-${index}`;

function annotationNote(run: Run, annotation: Annotation, anchor: string): Html {
  const level = annotation.annotation_level ?? 'notice';
  return html`<div class="note ${level}" id="${anchor}">
    <p>
      ${levelBadge(level)} <b>${annotation.title ?? run.name}</b>
      <span class="dim">${lineWords(annotation)}, from ${run.name}</span>
    </p>
    <p class="text">${annotation.message ?? ''}</p>
    ${rawDetails(annotation)}
  </div>`;
}

function annotationList(
  { root }: RepositoryVisit,
  run: Run,
  annotations: readonly Annotation[],
  changes: string,
): Html {
  const left = run.output.annotations_count - annotations.length;
  return html`<h4>${count(run.output.annotations_count, 'annotation')}</h4>
    <ul>
      ${annotations.map((annotation, index) => {
        const { path, end_line: line } = annotation;
        const href =
          changes === ''
            ? `${root}/blob/${run.head_sha}/${encodePath(path)}#L${line}`
            : `${changes}#${noteAnchor(run, index)}`;
        return html`<li>
          ${levelBadge(annotation.annotation_level ?? 'notice')}
          <a href="${href}"><code>${path}</code>, ${lineWords(annotation)}</a>:
          ${annotation.title === null ? '' : html`<b>${annotation.title}.</b>`} ${annotation.message ?? ''}
          ${rawDetails(annotation)}
        </li>`;
      })}
    </ul>
    ${left > 0 ? html`<p>${left} more are not shown.</p>` : ''}`;
}

const levelBadge = (level: string): Html =>
  badge(level, level === 'failure' ? 'bad' : level === 'warning' ? 'busy' : 'plain');

const lineWords = ({ start_line: start, end_line: end }: Annotation): string =>
  start === end ? `line ${end}` : `lines ${start} to ${end}`;

const rawDetails = ({ raw_details: raw }: Annotation): Html | '' =>
  raw === null || raw === ''
    ? ''
    : html`<details>
        <summary>Details</summary>
        <pre tabindex="0"><code>${raw}</code></pre>
      </details>`;
