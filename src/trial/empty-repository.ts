import { z } from 'zod';

import type { Mirror } from '../git/mirror-types.ts';
import type { RefUpdate } from '../reconcile/git-port.ts';
import { notPlayed } from './not-played.ts';
import { FIRST_COMMIT, MARK_FILE, MARK_TEXT } from './repositories.ts';
import { COMMITTER, refusalOf } from './repository.ts';
import type { Rest } from './rest.ts';
import { answerText } from './rest.ts';

const MAIN = 'refs/heads/main';

const numbered = z.array(z.object({ number: z.number(), pull_request: z.unknown().optional() }));
const released = z.array(z.object({ id: z.number() }));

interface Emptied {
  readonly rest: Rest;
  readonly mirror: Mirror;
  /** `/repos/<owner>/<name>` */
  readonly path: string;
}

/**
 * Takes a repository of a trial back to its first commit: no other branch, no tag, no ref of Portico's, no release, and
 * no open pull request or issue. Closed ones stay: the forge lets no App delete them. A repository without any commit
 * gets the first one. Answers what could not be done.
 */
export async function emptyRepository(place: Emptied, signal: AbortSignal): Promise<readonly string[]> {
  const { mirror } = place;
  const failures = await closeEverything(place);
  const refs = await mirror.remoteRefs([], signal);
  const first = await firstCommit(mirror, signal);
  const updates: RefUpdate[] = [...refs]
    .filter(([ref]) => /^refs\/(?:heads|tags|portico)\//.test(ref))
    .map(([ref, { oid }]) => ({ ref, to: ref === MAIN ? first : null, expect: oid }))
    .filter(({ to, expect }) => to !== expect);
  if (!refs.has(MAIN)) updates.push({ ref: MAIN, to: first, expect: null });
  // Not all at once: where a rule protects one of them, the others go all the same.
  for (const update of updates) {
    const refused = await refusalOf(() => mirror.push([update], signal));
    if (refused !== '') failures.push(`${update.ref}: ${refused}`);
  }
  return failures;
}

/** The same in every repository and trial, so that it is found again. */
async function firstCommit(mirror: Mirror, signal: AbortSignal): Promise<string> {
  const files = new Map([[MARK_FILE, { mode: '100644' as const, bytes: Buffer.from(MARK_TEXT) }]]);
  const tree = await mirror.writeTree(null, files, signal);
  const date = new Date('2026-01-01T00:00:00Z');
  return mirror.commitTree(
    { tree, parents: [], message: `${FIRST_COMMIT}\n`, committer: COMMITTER, date },
    signal,
  );
}

async function closeEverything({ rest, path }: Emptied): Promise<string[]> {
  const failures: string[] = [];
  const change = async (...call: Parameters<Rest['ask']>): Promise<void> => {
    const answer = await rest.ask(...call);
    if (answer.status >= 300 && answer.status !== 404) failures.push(answerText(answer));
  };
  for (const { id } of await listed(rest, released, `${path}/releases`)) {
    await change('DELETE', `${path}/releases/${id}`);
  }
  // Pull requests are issues.
  for (const { number, pull_request: pull } of await listed(rest, numbered, `${path}/issues?state=open`)) {
    const kind = pull === undefined ? 'issues' : 'pulls';
    await change('PATCH', `${path}/${kind}/${number}`, { body: { state: 'closed' } });
  }
  return failures;
}

/** A trial makes fewer than a hundred of anything. */
async function listed<T>(rest: Rest, schema: z.ZodType<T[]>, path: string): Promise<T[]> {
  const answer = await rest.ask('GET', `${path}${path.includes('?') ? '&' : '?'}per_page=100`);
  const known = schema.safeParse(answer.body);
  if (answer.status !== 200 || !known.success) throw notPlayed(answerText(answer));
  return known.data;
}
