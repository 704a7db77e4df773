/** Who the reader is. There are no passwords: the pages are for whoever runs the forge, who may be any of its people. */
import { html } from 'hono/html';

import type { AccountRecord, Role } from '../records.ts';
import { ROLES } from '../records.ts';
import { form } from './form.ts';
import { count } from './html.ts';
import type { Html } from './html.ts';
import type { Visit } from './visit.ts';

/** Where forms that sign in are posted to. */
export const SIGN_IN = '/settings/viewer';
/** With more people than these, the header has a list to choose from. */
const MAX_BUTTONS = 6;

/** In the header of each page: everybody whom the reader can be, one click each. */
export function viewerForm(visit: Visit): Html {
  if (visit.users.length > MAX_BUTTONS) return viewerList(visit);
  const button = (login: string, label: string): Html =>
    login === (visit.viewer?.login ?? '')
      ? html`<button name="login" value="${login}" aria-pressed="true">${label}</button>`
      : html`<button name="login" value="${login}" aria-pressed="false">${label}</button>`;
  const people = visit.users.map((user) => button(user.login, user.login));
  return form(
    SIGN_IN,
    visit,
    html`<div class="who" role="group" aria-labelledby="who">
      <span id="who">You are</span> ${people} ${button('', 'nobody')}
    </div>`,
  );
}

function viewerList(visit: Visit): Html {
  const option = (login: string, label: string): Html =>
    login === (visit.viewer?.login ?? '')
      ? html`<option value="${login}" selected>${label}</option>`
      : html`<option value="${login}">${label}</option>`;
  const options = visit.users.map((user) => option(user.login, user.login));
  return form(
    SIGN_IN,
    visit,
    html`<div class="who">
      <label for="viewer">You are</label>
      <select id="viewer" name="login">
        ${options}${option('', 'nobody')}
      </select>
      <button>Switch</button>
    </div>`,
  );
}

/** For a reader who is nobody yet: the people with what they may do, to be one of them by a click. */
export function signIn(visit: Visit): Html {
  if (visit.users.length === 0) return html``;
  const rows = visit.users.map(
    (user) =>
      html`<li>
        ${form(
          SIGN_IN,
          visit,
          html`<button class="main" name="login" value="${user.login}">Be ${user.login}</button>
            <span class="dim">${rightsOf(visit, user)}</span>`,
        )}
      </li>`,
  );
  return html`<section aria-labelledby="sign-in">
    <h2 id="sign-in">Who are you?</h2>
    <p>There is no password. You can switch to another person at any time, at the top of each page.</p>
    <ul class="rows">
      ${rows}
    </ul>
  </section>`;
}

/** `admin of 3 repositories, read of 1 repository`. */
function rightsOf({ context }: Visit, user: AccountRecord): string {
  const roles = context.records.repositories
    .all()
    .map((repository) => context.access.roleOf(user, repository));
  const has = (role: Role): number => roles.filter((one) => one === role).length;
  const words = ROLES.toReversed()
    .filter((role) => role !== 'none' && has(role) > 0)
    .map((role) => `${role} of ${count(has(role), 'repository', 'repositories')}`);
  return words.length === 0 ? 'sees no repository' : words.join(', ');
}
