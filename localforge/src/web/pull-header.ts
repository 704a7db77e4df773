import { html } from 'hono/html';

import { backgroundSettled } from '../background.ts';
import type { ForgeContext } from '../context.ts';
import { badge, count, encodePath, person } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage, tabList } from './layout.ts';
import type { Data, RepositoryVisit } from './visit.ts';

export type Pull = Data<'pulls', 'get'>;

/** How long a page waits for the forge to find out whether a pull request can be merged. */
const PATIENCE_MS = 3000;

/** The pull request of the address, with its mergeability unless that takes long. */
export async function loadPull({ api, at, param, context }: RepositoryVisit): Promise<Pull> {
  const wanted = { ...at, pull_number: Number(param('number')) };
  const { data } = await api.rest.pulls.get(wanted);
  if (data.state === 'closed' || data.mergeable !== null) return data;
  await settledSoon(context);
  return (await api.rest.pulls.get(wanted)).data;
}

async function settledSoon(context: ForgeContext): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  await Promise.race([backgroundSettled(context), promise]);
  clearTimeout(timer);
}

/** Open, draft, merged or closed. */
export function pullState(pull: {
  readonly state: string;
  readonly draft?: boolean | undefined;
  readonly merged_at: string | null;
}): Html {
  if (pull.merged_at !== null) return badge('merged', 'done');
  if (pull.state === 'closed') return badge('closed', 'bad');
  return pull.draft === true ? badge('draft') : badge('open', 'good');
}

/** A page of a pull request: its title and tabs, then `main`. */
export function pullPage(
  visit: RepositoryVisit,
  pull: Pull,
  tab: 'conversation' | 'commits' | 'files' | 'checks',
  main: Html,
): Html {
  const { root } = visit;
  const own = `${root}/pull/${pull.number}`;
  const { base, head } = pull;
  const tabs = [
    ['conversation', 'Conversation', own],
    ['commits', `Commits (${pull.commits})`, `${own}/commits`],
    ['files', `Changes (${pull.changed_files})`, `${own}/files`],
    ['checks', 'Checks', `${own}/checks`],
  ] as const;
  const whole = html`<h1>${pull.title} <span class="dim">#${pull.number}</span></h1>
    <p>
      ${pullState(pull)}
      ${pull.merged_at === null ? html`${person(pull.user)} wants to merge` : html`${person(pull.merged_by)} merged`}
      ${count(pull.commits, 'commit')} into
      <a href="${root}/tree/${encodePath(base.ref)}"><code>${base.ref}</code></a> from
      <a href="${root}/tree/${encodePath(head.ref)}"><code>${head.ref}</code></a>
    </p>
    <nav aria-label="Pull request">${tabList(tabs, tab, true)}</nav>
    ${main}`;
  return repositoryPage(visit, 'pulls', `${pull.title} · #${pull.number}`, whole);
}
