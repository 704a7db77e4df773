/**
 * Pages show what comes after them, as GitHub's do: a page asks once a second whether it would look different now, and
 * loads itself again when it would. Where the reader has written or unfolded something, it only says so. Without
 * scripts everything works, and the reader loads the page.
 */
import { createHash } from 'node:crypto';

import type { ForgeContext } from '../context.ts';
import type { AccountRecord } from '../records.ts';

/** How often a page in the foreground asks; its answer costs next to nothing while nothing is written to the forge. */
const EVERY_MS = 1000;
/** For so long it is taken to be on its way to another page. */
const LEAVING_MS = 30_000;

/** The one script of all pages. It puts nothing from anywhere into the page. */
export const SCRIPT = `
'use strict';
(() => {
  let version = document.documentElement.dataset.version;
  if (version === undefined) return;
  let touched = false;
  // To load a page again cancels a form or a link that is on its way; one that is a download leaves the page where it is.
  let left = -Infinity;
  addEventListener('beforeunload', () => { left = performance.now(); });
  const isLeaving = () => performance.now() - left < ${LEAVING_MS};
  const touch = () => { touched = true; };
  addEventListener('input', touch, true);
  addEventListener('click', (event) => { if (event.target.closest('summary')) touch(); }, true);
  const say = (id) => { document.getElementById(id).hidden = false; };
  const look = async () => {
    try {
      if (!document.hidden && !isLeaving()) {
        const headers = { accept: 'text/html', 'if-none-match': version };
        const reply = await fetch(location.pathname + location.search, { headers, cache: 'no-store', redirect: 'error' });
        if (reply.status !== 304 && !isLeaving()) return touched ? say('news') : location.reload();
        if (reply.status === 304) version = reply.headers.get('etag') ?? version;
      }
    } catch {
      return say('gone');
    }
    setTimeout(look, ${EVERY_MS});
  };
  setTimeout(look, ${EVERY_MS});
})();
`;

/** How a Content-Security-Policy names it. */
export const SCRIPT_HASH = `'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`;

/** Who sees the page, and how much had been written to the forge before it was made. */
export interface Moment {
  readonly viewer: number;
  readonly changes: number;
}

export const momentOf = ({ store }: ForgeContext, viewer: AccountRecord | undefined): Moment => ({
  viewer: viewer?.id ?? 0,
  changes: store.changes(),
});

const TAG = /^W\/"(\d+)-(\d+)-([\w-]+)"$/;

/** Whether nothing was written since the page that has this version was made for the same person. */
export function isUntouched(version: string | undefined, moment: Moment): boolean {
  const [, viewer, changes] = TAG.exec(version ?? '') ?? [];
  return Number(viewer) === moment.viewer && Number(changes) === moment.changes;
}

/** The version of a page, as an ETag. */
export function versionOf(text: string, { viewer, changes }: Moment): string {
  return `W/"${viewer}-${changes}-${createHash('sha256').update(text).digest('base64url')}"`;
}

/** Whether two versions are of the same person's page with the same content. */
export function looksSame(version: string | undefined, other: string): boolean {
  const [one, two] = [TAG.exec(version ?? ''), TAG.exec(other)];
  return one !== null && two !== null && one[1] === two[1] && one[3] === two[3];
}

/** The page with its version in it, where the script finds it. */
export const withVersion = (text: string, version: string): string =>
  text.replace('<html lang="en">', () => `<html lang="en" data-version='${version}'>`);
