/** Tells people what only they can do something about: in an issue that is kept for it, once, in a comment that mentions them. */

import { repositoryName, type CatalogRepository } from '../../catalog/catalog.ts';
import { digestOf } from '../../revision/digest.ts';
import type { RepositoryWork } from '../ports.ts';
import { keepNewest } from '../text/keep-newest.ts';
import { findIssue, hasNoIssues, openIssue } from './kept-issue.ts';
import { mentionsOf } from './mentions.ts';

/** Comments that one call writes: the next call writes the others. */
const MAX_AT_ONCE = 20;

/** Comments that are known to be written. */
const MAX_REMEMBERED = 5_000;

/** What each says; without it the forge is asked. */
const createTold = (): Map<string, string> => new Map();

export interface News {
  /** What happened is told once for each of these, by each kind. */
  readonly key: string;
  /** Stands in the hidden mark of the comment. */
  readonly kind: 'rollout' | 'exemption';
  /** `@login` or `@organization/team`. */
  readonly people: readonly string[];
  /** Behind the mentions. */
  readonly text: string;
}

/**
 * May run twice: the comment is found again, and written only where it says something else. Who calls it for the same issue at once must
 * keep these apart. A repository without issues is told nothing.
 */
export async function tellPeople(
  { ports, access, signal }: RepositoryWork,
  repository: Pick<CatalogRepository, 'ref' | 'visibility'>,
  issue: { readonly title: string; readonly body: string },
  news: readonly News[],
): Promise<void> {
  const told = ports.memories.of(createTold);
  const open = news
    .map((one) => ({
      ...one,
      place: `${access.ref.id} ${newsMarker(one.kind, one.key)}`,
      digest: digestOf('portico alarm 1', [one.text]),
    }))
    .filter(({ place, digest }) => told.get(place) !== digest)
    .slice(0, MAX_AT_ONCE);
  if (open.length === 0) return;
  const { forge } = access;
  try {
    const found = await findIssue(ports, access, issue.title, signal);
    const number = found?.number ?? (await openIssue(ports, access, issue, signal));
    const comments = await forge.listComments(number, signal);
    for (const { kind, key, people, text } of open) {
      const marker = newsMarker(kind, key);
      const mentions = await mentionsOf(forge, repository, people, signal);
      const body = `${mentions.join(' ')} ${text}`;
      await forge.upsertStickyAmong(comments, { number, marker, body }, signal);
    }
  } catch (error) {
    if (!hasNoIssues(error)) throw error;
    ports.log.info({ repository: repositoryName(access) }, 'owners are not notified: issues are disabled');
  }
  for (const { place, digest } of open) keepNewest(told, place, digest, MAX_REMEMBERED);
}

/** The first line of the comment about this. */
export function newsMarker(kind: News['kind'], key: string): string {
  return `<!-- portico:${kind} ${digestOf('portico alarm key 1', [key]).slice(-16)} -->`;
}

/** Edits comments of that issue that are no longer true. What they said may become true again, and is written then. */
export async function correctNews(
  { ports, access, signal }: RepositoryWork,
  title: string,
  correct: (comment: string) => { readonly marker: string; readonly body: string } | undefined,
): Promise<void> {
  const { forge } = access;
  try {
    const issue = await findIssue(ports, access, title, signal);
    if (issue === null) return;
    const comments = await forge.listComments(issue.number, signal);
    for (const { author, body } of comments) {
      const corrected = author === ports.app.botLogin ? correct(body) : undefined;
      if (corrected === undefined) continue;
      await forge.upsertStickyAmong(comments, { number: issue.number, ...corrected }, signal);
      ports.memories.of(createTold).delete(`${access.ref.id} ${corrected.marker}`);
    }
  } catch (error) {
    if (!hasNoIssues(error)) throw error;
  }
}
