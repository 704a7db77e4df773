/** Changing a file in the browser: a commit on its branch, or on a new branch that starts there. */
import { html } from 'hono/html';

import { roleAtLeast } from '../access.ts';
import type { TreeEntry } from '../git-objects.ts';
import { isRefName } from '../git-refs.ts';
import type { GitRepository } from '../git-repository.ts';
import { conflict, forbidden, notFound, unprocessable } from '../refusal.ts';
import type { Action } from './actions.ts';
import { typed } from './discussion-forms.ts';
import { form } from './form.ts';
import { encodePath } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage } from './layout.ts';
import { referenceOf } from './reference.ts';
import type { Reference } from './reference.ts';
import { openPullFrom } from './refs.ts';
import type { RepositoryVisit } from './visit.ts';

/** A form has room for it even where each character takes nine. */
const MAX_EDITED = 64 * 1024;

/** Whether the page of a file offers to edit it. */
export function mayEdit({ viewer, role }: RepositoryVisit): boolean {
  return viewer !== undefined && roleAtLeast(role, 'write');
}

/** `/edit/:branch/*` */
export async function editPage(visit: RepositoryVisit): Promise<Html> {
  const reference = await branchOf(visit);
  const git = visit.context.git(visit.repository);
  const file = textFile(await git.entry(reference.sha, reference.path), await readBlob(git, reference));
  return repositoryPage(visit, 'code', `Edit ${reference.path}`, await editForm(visit, reference, file));
}

/** `/new/:branch/*`: a file that is not there yet, in a directory. */
export async function newFilePage(visit: RepositoryVisit): Promise<Html> {
  const reference = await branchOf(visit);
  return repositoryPage(visit, 'code', 'New file', await editForm(visit, reference, undefined));
}

/** The branch in the address. @throws a 404 refusal for a tag or commit: nothing can be added to those */
async function branchOf(visit: RepositoryVisit): Promise<Reference> {
  if (!mayEdit(visit))
    throw forbidden('Only people with write access to the repository can change its files.');
  const reference = await referenceOf(visit, visit.param('words'));
  const branch = await visit.context.git(visit.repository).ref(`refs/heads/${reference.name}`);
  if (branch === undefined) throw notFound();
  return reference;
}

async function readBlob(git: GitRepository, { sha, path }: Reference): Promise<Buffer | undefined> {
  const entry = path === '' ? undefined : await git.entry(sha, path);
  return entry?.type === 'blob' ? (await git.object(entry.sha))?.content : undefined;
}

interface TextFile {
  readonly text: string;
  readonly lineEnd: '\n' | '\r\n';
}

/**
 * A file as a form can hold it, so that what is not changed stays as it is to the byte.
 * @throws a 404 refusal where there is no file, a 422 one for what a form would change
 */
function textFile(entry: TreeEntry | undefined, content: Buffer | undefined): TextFile {
  if (entry === undefined || content === undefined) throw notFound();
  const text = content.toString();
  const unix = text.replaceAll('\r\n', '\n');
  const lineEnd = unix.length === text.length ? '\n' : '\r\n';
  const faithful =
    content.length <= MAX_EDITED &&
    !text.includes('\0') &&
    !unix.includes('\r') &&
    Buffer.from(unix.replaceAll('\n', lineEnd)).equals(content);
  if (entry.mode === '120000' || !faithful) {
    throw unprocessable(
      `This file cannot be edited here: it is a link, larger than ${MAX_EDITED / 1024} KiB, not UTF-8 text, or has line ends of several kinds. Change it in a clone.`,
    );
  }
  return { text: unix, lineEnd };
}

async function editForm(visit: RepositoryVisit, at: Reference, file: TextFile | undefined): Promise<Html> {
  const { root, repository, refused } = visit;
  const again = refused?.form.get('form') === 'edit';
  const value = (field: string, otherwise: string): string =>
    again ? typed(visit, 'edit', field) : otherwise;
  const isDefault = at.name === repository.defaultBranch;
  const suggested =
    visit.url.searchParams.get('branch') ?? (isDefault ? await freeBranchName(visit) : at.name);
  const fields = html`<input type="hidden" name="form" value="edit" />
    <input type="hidden" name="base" value="${at.name}" />
    <input type="hidden" name="at" value="${value('at', at.sha)}" />
    ${
      file === undefined
        ? html`<label for="path">Path</label>
            <input
              type="text"
              class="wide"
              id="path"
              name="path"
              required
              maxlength="1000"
              value="${value('path', at.path === '' ? '' : `${at.path}/`)}"
            />`
        : html`<input type="hidden" name="path" value="${at.path}" />`
    }
    <label for="text">Content</label>
    <textarea
      id="text"
      name="text"
      class="mono"
      rows="22"
      spellcheck="false"
      autocapitalize="off"
      autocomplete="off"
    >
${value('text', file?.text ?? '')}</textarea>
    <label for="message">Commit message</label>
    <input
      type="text"
      class="wide"
      id="message"
      name="message"
      required
      maxlength="500"
      value="${value('message', file === undefined ? 'Add a file' : `Update ${at.path}`)}"
    />
    <label for="branch">Branch</label>
    <input
      type="text"
      class="wide"
      id="branch"
      name="branch"
      required
      maxlength="250"
      aria-describedby="branch-help"
      value="${value('branch', suggested)}"
    />
    <p class="dim" id="branch-help">
      A new name makes a new branch, which starts at <code>${at.name}</code>; <code>${at.name}</code> itself
      takes the commit where its rules allow that.
    </p>
    <p class="line">
      <button class="main">Commit changes</button>
      <a href="${root}/${file === undefined ? 'tree' : 'blob'}/${encodePath(`${at.name}/${at.path}`)}"
        >Cancel</a
      >
    </p>`;
  const title = file === undefined ? 'New file' : `Edit ${at.path}`;
  return html`<h1>${title}</h1>
    ${form(`${root}/edit`, visit, fields)}`;
}

/** As GitHub names a branch that begins with an edit in the browser. */
async function freeBranchName({ context, repository, viewer }: RepositoryVisit): Promise<string> {
  const prefix = `${viewer?.login ?? 'somebody'}-patch-`;
  const taken = await context.git(repository).refs(`refs/heads/${prefix}`);
  const numbers = taken.map(({ ref }) => Number(ref.slice(`refs/heads/${prefix}`.length)) || 0);
  return `${prefix}${Math.max(0, ...numbers) + 1}`;
}

/** `POST …/edit`: makes the commit, and leads to where the branch can be proposed. */
export const commitFile: Action = async (visit, fields) => {
  const { context, repository, root } = visit;
  const field = (name: string): string => fields.get(name) ?? '';
  const [path, base, at] = [field('path').trim(), field('base'), field('at')];
  const branch = field('branch').trim();
  if (!/^[0-9a-f]{40}$/.test(at)) throw unprocessable('The form does not say which commit it is about.');
  const git = context.git(repository);
  if ((await git.commit(at)) === undefined)
    throw unprocessable(`There is no such commit as ${at.slice(0, 7)}. Load the page of the file again.`);
  const entry = await git.entry(at, path);
  const before = entry?.type === 'blob' ? (await git.object(entry.sha))?.content : undefined;
  const lineEnd = entry === undefined ? '\n' : textFile(entry, before).lineEnd;
  const content = Buffer.from(field('text').replaceAll('\n', lineEnd));
  if (before?.equals(content) === true) throw unprocessable('Nothing is changed yet.');
  const change = { path, message: field('message'), content, entry };
  if (branch === base) await commitOn(visit, branch, change);
  else await commitOnNew(visit, branch, at, change);
  const open = openPullFrom(visit, branch);
  if (open !== undefined) return `${root}/pull/${open}`;
  const { defaultBranch } = repository;
  return branch === defaultBranch
    ? `${root}/blob/${encodePath(`${branch}/${path}`)}`
    : `${root}/compare/${encodePath(defaultBranch)}...${encodePath(branch)}`;
};

interface Change {
  readonly path: string;
  readonly message: string;
  readonly content: Buffer;
  /** What is there now. */
  readonly entry: TreeEntry | undefined;
}

async function commitOn({ api, at }: RepositoryVisit, branch: string, change: Change): Promise<void> {
  const { path, message, content, entry } = change;
  const blob = entry === undefined ? {} : { sha: entry.sha };
  try {
    const encoded = content.toString('base64');
    await api.rest.repos.createOrUpdateFileContents({
      ...at,
      path,
      message,
      content: encoded,
      branch,
      ...blob,
    });
  } catch (error) {
    if (!(error instanceof Error) || !/does not match|wasn't supplied/.test(error.message)) throw error;
    throw conflict(
      `${path} was changed on ${branch} since this page was shown. Name a new branch, which keeps your change beside that one, or load the page again.`,
    );
  }
}

/** The branch appears with the commit on it, so that nobody hears of it without. */
async function commitOnNew(
  { api, at, context, repository }: RepositoryVisit,
  branch: string,
  from: string,
  { path, message, content, entry }: Change,
): Promise<void> {
  if (!isRefName(`refs/heads/${branch}`)) {
    throw unprocessable(
      `No branch can be named “${branch}”. Letters, digits, “-”, “_”, “.” and “/” make a name.`,
    );
  }
  if ((await context.git(repository).ref(`refs/heads/${branch}`)) !== undefined) {
    throw conflict(`There is a branch ${branch} already. Edit the file there, or name another.`);
  }
  const { data: blob } = await api.rest.git.createBlob({
    ...at,
    content: content.toString('base64'),
    encoding: 'base64',
  });
  const mode = entry?.mode === '100755' ? '100755' : '100644';
  const { data: tree } = await api.rest.git.createTree({
    ...at,
    base_tree: from,
    tree: [{ path, mode, type: 'blob', sha: blob.sha }],
  });
  const { data: commit } = await api.rest.git.createCommit({
    ...at,
    message,
    tree: tree.sha,
    parents: [from],
  });
  await api.rest.git.createRef({ ...at, ref: `refs/heads/${branch}`, sha: commit.sha });
}
