/** The files of a repository at a branch, tag or commit. */
import { html } from 'hono/html';

import type { TreeEntry } from '../git-objects.ts';
import { notFound } from '../refusal.ts';
import { mayEdit } from './edit.ts';
import { count, encodePath, sha, time } from './html.ts';
import type { Html } from './html.ts';
import { repositoryPage } from './layout.ts';
import { markdown } from './markdown.ts';
import { referenceOf } from './reference.ts';
import type { Reference } from './reference.ts';
import type { RepositoryVisit } from './visit.ts';

/** Larger files are only linked. */
const MAX_SHOWN = 512 * 1024;

/** `/:owner/:repo`: the files of the default branch. */
export async function codePage(visit: RepositoryVisit): Promise<Html> {
  const branch = visit.repository.defaultBranch;
  if ((await visit.context.git(visit.repository).ref(`refs/heads/${branch}`)) === undefined) {
    const address = `${visit.context.urls.repoWeb(visit.repository)}.git`;
    const main = html`<h1>${visit.at.repo}</h1>
      <p>There is nothing here yet. Push a branch:</p>
      <pre><code>git push ${address} HEAD:${branch}</code></pre>`;
    return repositoryPage(visit, 'code', 'Code', main);
  }
  return treeOf(visit, await referenceOf(visit, branch));
}

/** `/tree/:ref/*` */
export async function treePage(visit: RepositoryVisit): Promise<Html> {
  return treeOf(visit, await referenceOf(visit, visit.param('words')));
}

/** `/blob/:ref/*` */
export async function blobPage(visit: RepositoryVisit): Promise<Html> {
  const reference = await referenceOf(visit, visit.param('words'));
  const { content } = await blobAt(visit, reference);
  const raw = html`<a href="${visit.root}/raw/${encodePath(`${reference.name}/${reference.path}`)}"
    >Raw file</a
  >`;
  const markdownFile = /\.(?:md|markdown)$/i.test(reference.path);
  const plain = visit.url.searchParams.has('plain');
  const other = markdownFile
    ? plain
      ? html` · <a href="${visit.url.pathname}">As a page</a>`
      : html` · <a href="${visit.url.pathname}?plain=1">As text</a>`
    : '';
  const text = textOf(content);
  const shown =
    text === undefined
      ? html`<p>This file is not text, or larger than ${MAX_SHOWN / 1024} KiB.</p>`
      : markdownFile && !plain
        ? html`<div class="box"><div class="in md">${readme(visit, reference, text)}</div></div>`
        : lineTable(reference.path, text);
  const main = html`<h1>${crumbs(visit, reference)}</h1>
    <p class="dim">
      ${count(content.length, 'byte')} at ${referenceLink(visit, reference)} · ${raw}${other} ·
      ${historyLink(visit, reference)}${await changeLink(visit, reference, 'edit', 'Edit')}
    </p>
    ${shown}`;
  return repositoryPage(visit, 'code', reference.path, main);
}

/** `/raw/:ref/*`: always as text, so that nothing in it is run. */
export async function rawFile(visit: RepositoryVisit): Promise<Response> {
  const { content } = await blobAt(visit, await referenceOf(visit, visit.param('words')));
  return new Response(new Uint8Array(content), { headers: { 'content-type': 'text/plain; charset=utf-8' } });
}

async function treeOf(visit: RepositoryVisit, reference: Reference): Promise<Html> {
  const git = visit.context.git(visit.repository);
  const entry = reference.path === '' ? undefined : await git.entry(reference.sha, reference.path);
  if (reference.path !== '' && entry?.type !== 'tree') throw notFound();
  const entries = await git.tree(entry?.sha ?? reference.sha);
  const latest = await latestCommit(visit, reference);
  const found = entries.find((one) => /^readme\.md$/i.test(one.path) && one.type === 'blob');
  const text = found && textOf((await git.object(found.sha))?.content ?? Buffer.alloc(0));
  const main = html`<h1>${crumbs(visit, reference)}</h1>
    <p class="dim">
      At ${referenceLink(visit, reference)}${latest} ·
      ${historyLink(visit, reference)}${await changeLink(visit, reference, 'new', 'New file')}
    </p>
    <ul class="rows">
      ${entries
        .toSorted((one, other) => Number(other.type === 'tree') - Number(one.type === 'tree'))
        .map((one) => html`<li>${entryLink(visit, reference, one)}</li>`)}
    </ul>
    ${
      text === undefined
        ? ''
        : html`<section class="box" aria-label="Read me">
            <div class="in md">
              ${readme(visit, { ...reference, path: join(reference.path, 'README.md') }, text)}
            </div>
          </section>`
    }
    ${
      reference.path === ''
        ? html`<h2>Clone</h2>
            <pre><code>git clone ${cloneAddress(visit)}</code></pre>
            <p class="dim">
              git asks for a password: it is the token of ${visit.viewer?.login ?? 'the user'}.
            </p>`
        : ''
    }`;
  return repositoryPage(visit, 'code', reference.path || visit.at.repo, main);
}

async function latestCommit(visit: RepositoryVisit, { sha: from, path }: Reference): Promise<Html> {
  const git = visit.context.git(visit.repository);
  const [newest] = await git.log({ include: [from], limit: 1, ...(path === '' ? {} : { paths: [path] }) });
  const commit = newest === undefined ? undefined : await git.commit(newest);
  if (commit === undefined) return html``;
  return html` · ${sha(visit.root, commit.sha)} ${commit.message.split('\n')[0]} · ${commit.author.name},
  ${time(commit.committer.date)}`;
}

async function blobAt(visit: RepositoryVisit, reference: Reference): Promise<{ readonly content: Buffer }> {
  const git = visit.context.git(visit.repository);
  const entry = reference.path === '' ? undefined : await git.entry(reference.sha, reference.path);
  const blob = entry?.type === 'blob' ? await git.object(entry.sha) : undefined;
  if (blob === undefined) throw notFound();
  return blob;
}

function textOf(content: Buffer): string | undefined {
  if (content.length > MAX_SHOWN || content.includes(0)) return undefined;
  return content.toString();
}

function lineTable(path: string, text: string): Html {
  const lines = text.replace(/\n$/, '').split('\n');
  return html`<div class="box scroll" tabindex="0" role="region" aria-label="${path}">
    <table class="code">
      ${lines.map(
        (line, at) =>
          html`<tr id="L${at + 1}">
            <td class="n">${at + 1}</td>
            <td>${line}</td>
          </tr>`,
      )}
    </table>
  </div>`;
}

function readme(visit: RepositoryVisit, reference: Reference, text: string): Html {
  const folder = reference.path.split('/').slice(0, -1).join('/');
  const base = `${visit.root}/blob/${encodePath(join(reference.name, folder))}/`;
  return markdown(text, { repository: visit.root, base, breaks: false });
}

function entryLink(visit: RepositoryVisit, { name, path }: Reference, entry: TreeEntry): Html {
  const to = encodePath(join(name, join(path, entry.path)));
  if (entry.type === 'tree') return html`<a href="${visit.root}/tree/${to}">${entry.path}/</a>`;
  if (entry.type === 'commit') return html`${entry.path} <span class="dim">submodule at ${entry.sha}</span>`;
  return html`<a href="${visit.root}/blob/${to}">${entry.path}</a>`;
}

/** The address for git, with the name of whoever reads. */
function cloneAddress({ context, repository, viewer }: RepositoryVisit): string {
  const address = new URL(`${context.urls.repoWeb(repository)}.git`);
  address.username = viewer?.login ?? '';
  return address.href;
}

const historyLink = (visit: RepositoryVisit, { name, path }: Reference): Html =>
  html`<a href="${visit.root}/commits/${encodePath(join(name, path))}">History</a>`;

/** The way to change this, for those who may; only branches can be added to. */
async function changeLink(
  visit: RepositoryVisit,
  { name, path }: Reference,
  page: 'edit' | 'new',
  label: string,
): Promise<Html> {
  const branch = await visit.context.git(visit.repository).ref(`refs/heads/${name}`);
  if (branch === undefined || !mayEdit(visit)) return html``;
  return html` · <a href="${visit.root}/${page}/${encodePath(join(name, path))}">${label}</a>`;
}

const referenceLink = (visit: RepositoryVisit, { name }: Reference): Html =>
  html`<a href="${visit.root}/tree/${encodePath(name)}"><code>${name}</code></a>`;

/** The path, each folder of it a link. */
function crumbs(visit: RepositoryVisit, { name, path }: Reference): Html {
  const parts = path.split('/').filter((part) => part !== '');
  if (parts.length === 0) return html`${visit.at.repo}`;
  const above = parts.slice(0, -1).map((part, at) => {
    const to = encodePath(join(name, parts.slice(0, at + 1).join('/')));
    return html`<a href="${visit.root}/tree/${to}">${part}</a> / `;
  });
  return html`<a href="${visit.root}/tree/${encodePath(name)}">${visit.at.repo}</a> /
    ${above}${parts.at(-1) ?? ''}`;
}

const join = (one: string, other: string): string =>
  one === '' || other === '' ? one + other : `${one}/${other}`;
