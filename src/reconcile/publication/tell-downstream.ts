/** Where a published revision went: its proposal's comment and its release follow the updates downstream. */
import { packagePathOf, type RepositoryDirectory } from '../../revision/package-path.ts';
import { markedPart, partIn, withPart } from '../../text/marked-part.ts';
import { DONE, nothing, type Reconciler } from '../answer.ts';
import { downstreamSteps, progressText } from '../downstream/downstream-progress.ts';
import type { Comment } from '../forge/comments.ts';
import type { RepositoryRef, Ports, RepositoryWork } from '../ports.ts';
import {
  loadRevisionRefs,
  newestRevision,
  publishedRefs,
  taggedRevisions,
} from '../repository/package-revisions.ts';
import { openRegistered } from '../repository/registered.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import { dated, undated } from '../text/as-of.ts';
import { code } from '../text/markdown-blocks.ts';
import { downstreamPart, SUMMARY_MARKER } from '../text/summary-marker.ts';

const RELEASE_PART = 'downstream';

/** The part of a new release, still empty; `src/forge/releases.ts` leaves it out of what it quotes. */
export const NO_DOWNSTREAM = markedPart(RELEASE_PART, '');

/** What is said of a revision downstream, as Markdown; '' where there is nobody to tell of. */
function downstreamText(
  { catalog }: Pick<Ports, 'catalog'>,
  { id }: Pick<RepositoryRef, 'id'>,
  directory: RepositoryDirectory,
  {
    name,
    called,
    newest,
  }: { readonly name: string; readonly called: string; readonly newest: string | undefined },
): string {
  const upstream = catalog.get(id);
  if (upstream === undefined) return '';
  const steps = downstreamSteps(catalog, upstream, directory, name);
  if (newest === undefined || newest === name) return progressText(called, steps);
  if (steps.length === 0) return '';
  return `**Downstream of ${code(called)}:** the updates now bring ${code(newest)}.`;
}

/** How many revisions are told of: the newest, and those that it has only just taken the place of. */
const MAX_TOLD = 3;

/** Brings releases and comments of the newest revisions of a package up to date. */
export function createDownstreamReconciler(ports: Ports): Reconciler<'downstream'> {
  return async ({ repository, directory }, signal) => {
    const access = await ports.open(repository, signal);
    const found = await openRegistered(access, {}, signal);
    if (found.kind === 'none') return nothing(found.reason);
    const refs = await loadRevisionRefs(access.git, signal);
    const newest = newestRevision(refs, directory)?.name;
    const { config } = found;
    for (const { name } of taggedRevisions(refs, directory).slice(-MAX_TOLD)) {
      const provenance = await provenanceOf({ git: access.git, refs, directory, revision: name, signal });
      if (provenance === undefined) continue;
      const called = `${provenance.package}@${name}`;
      const text = downstreamText(ports, repository, directory, { name, called, newest });
      if (config.publish.release) await tellRelease({ ports, access, signal }, directory, name, text);
      const path = packagePathOf(config.directory, directory) ?? directory;
      if (provenance.proposal !== undefined)
        await tellProposal({ ports, access, signal }, provenance.proposal, path, text);
    }
    return DONE;
  };
}

async function tellProposal(
  { ports, access: { forge, ref }, signal }: RepositoryWork<'app' | 'now' | 'runExclusive', 'forge' | 'ref'>,
  number: number,
  path: string,
  text: string,
): Promise<void> {
  await ports.runExclusive(summaryLock(ref, number), async () => {
    const comments = await forge.listComments(number, signal);
    const summary = ourSummary(ports, comments)?.body.replaceAll('\r\n', '\n') ?? '';
    const body = withNews(summary, downstreamPart(path), { text, now: ports.now() });
    if (body === summary) return;
    const shown = body.slice(SUMMARY_MARKER.length).trimStart();
    await forge.upsertStickyAmong(comments, { number, marker: SUMMARY_MARKER, body: shown }, signal);
  });
}

/** The same where that part says so already, whatever its date. */
function withNews(
  body: string,
  part: string,
  { text, now }: { readonly text: string; readonly now: Date },
): string {
  return undated(partIn(body, part)) === text ? body : withPart(body, part, dated(text, now));
}

/** Two write the comment of a merged proposal, a part each. */
export function summaryLock({ id }: Pick<RepositoryRef, 'id'>, number: number): string {
  return `summary ${id}#${number}`;
}

/** The comment of ours that sums a proposal up. */
export function ourSummary({ app }: Pick<Ports, 'app'>, comments: readonly Comment[]): Comment | undefined {
  return comments.find(({ author, body }) => author === app.botLogin && body.startsWith(SUMMARY_MARKER));
}

async function tellRelease(
  { ports, access: { forge }, signal }: RepositoryWork<'now', 'forge'>,
  directory: RepositoryDirectory,
  revision: string,
  text: string,
): Promise<void> {
  const { tag } = publishedRefs(directory, revision);
  const release = await forge.getRelease(tag, signal);
  if (release === null) return;
  const before = release.body.replaceAll('\r\n', '\n');
  const body = withNews(before, RELEASE_PART, { text, now: ports.now() });
  if (body !== before) await forge.upsertRelease({ tag, name: release.name, body }, signal);
}
