import { createHash } from 'node:crypto';

import { html } from 'hono/html';

import { parsePatch } from './diff.ts';
import type { DiffLine, Hunk } from './diff.ts';
import { badge, encodePath } from './html.ts';
import type { Html } from './html.ts';
import type { Data, RepositoryVisit } from './visit.ts';

export type ChangedFile = NonNullable<Data<'repos', 'getCommit'>['files']>[number];

/** Something to be shown below a line of a file: an annotation, a thread. */
export interface LineMark {
  readonly path: string;
  readonly side: 'LEFT' | 'RIGHT';
  /** null: of the file as a whole, or no longer there. */
  readonly line: number | null;
  readonly shown: Html;
}

/** Longer changes are cut. */
const MAX_LINES = 3000;

/** Where a line of a file is on a page of changes; without a line, the file. */
export function lineAnchor(path: string, line?: number | null): string {
  const file = `diff-${createHash('sha256').update(path).digest('hex').slice(0, 12)}`;
  return line === undefined || line === null ? file : `${file}R${line}`;
}

/** One sentence and links to each of the files. */
export function changesSummary(files: readonly ChangedFile[]): Html {
  const added = files.reduce((sum, file) => sum + file.additions, 0);
  const removed = files.reduce((sum, file) => sum + file.deletions, 0);
  return html`<details>
    <summary>
      ${files.length} changed ${files.length === 1 ? 'file' : 'files'}, ${added}
      ${added === 1 ? 'line' : 'lines'} added, ${removed} removed
    </summary>
    <ul>
      ${files.map((file) => html`<li><a href="#${lineAnchor(file.filename)}">${file.filename}</a></li>`)}
    </ul>
  </details>`;
}

/**
 * A file's change with the marks of its lines in place. Marks of lines that are not shown stand above it.
 * @param sha the commit after the change
 * @param after what stands below the change: a form
 */
export function fileChange({
  visit: { root },
  sha,
  file,
  marks,
  after = '',
}: {
  readonly visit: RepositoryVisit;
  readonly sha: string;
  readonly file: ChangedFile;
  readonly marks: readonly LineMark[];
  readonly after?: Html | '' | undefined;
}): Html {
  const own = marks.filter((mark) => mark.path === file.filename);
  const hunks = parsePatch(file.patch ?? '');
  const inPlace = new Set(
    own.filter((mark) => hunks.some((hunk) => hunk.lines.some((line) => isAt(mark, line)))),
  );
  const above = own.filter((mark) => !inPlace.has(mark));
  const name =
    file.previous_filename === undefined ? file.filename : `${file.previous_filename} → ${file.filename}`;
  return html`<section class="box" id="${lineAnchor(file.filename)}">
    <header>
      <h3>
        ${
          file.status === 'removed'
            ? html`<b>${name}</b>`
            : html`<a href="${root}/blob/${sha}/${encodePath(file.filename)}"><b>${name}</b></a>`
        }
      </h3>
      ${file.status === 'modified' ? '' : badge(file.status)}
      <span class="count-add">+${file.additions}</span> <span class="count-remove">−${file.deletions}</span>
    </header>
    ${above.length === 0 ? '' : html`<div class="in">${above.map((mark) => mark.shown)}</div>`}
    ${
      file.patch === undefined
        ? html`<div class="in dim">
            There is no text to show: the file is not text, too large, or only its name or mode changed.
          </div>`
        : html`<div class="scroll" tabindex="0" role="region" aria-label="Change of ${file.filename}">
            <table class="code">
              ${hunkRows(file.filename, hunks, [...inPlace])}
            </table>
          </div>`
    }
    ${after}
  </section>`;
}

function hunkRows(path: string, hunks: readonly Hunk[], marks: readonly LineMark[]): Html[] {
  let room = MAX_LINES;
  const rows: Html[] = [];
  for (const hunk of hunks) {
    if (room <= 0) break;
    rows.push(
      html`<tr class="hunk">
        <td colspan="3">${hunk.header}</td>
      </tr>`,
    );
    for (const line of hunk.lines.slice(0, room)) {
      rows.push(lineRow(path, line));
      for (const mark of marks) {
        if (isAt(mark, line))
          rows.push(
            html`<tr class="mark">
              <td colspan="3">${mark.shown}</td>
            </tr>`,
          );
      }
    }
    room -= hunk.lines.length;
  }
  if (room < 0)
    rows.push(
      html`<tr class="hunk">
        <td colspan="3">The rest of this change is not shown.</td>
      </tr>`,
    );
  return rows;
}

const SIGNS = { context: ' ', add: '+', remove: '-', note: '' } as const;

function lineRow(path: string, line: DiffLine): Html {
  const cells = html`<td class="n">${line.old ?? ''}</td>
    <td class="n">${line.new ?? ''}</td>
    <td>${SIGNS[line.kind]}${line.text}</td>`;
  return line.new === null
    ? html`<tr class="${line.kind}">
        ${cells}
      </tr>`
    : html`<tr class="${line.kind}" id="${lineAnchor(path, line.new)}">
        ${cells}
      </tr>`;
}

const isAt = (mark: LineMark, line: DiffLine): boolean =>
  mark.line !== null && (mark.side === 'LEFT' ? line.old : line.new) === mark.line && line.kind !== 'note';
