import type { RepositoryWork } from '../ports.ts';
import type { ProposalSnapshot } from '../repository/proposal-snapshot.ts';
import type { Fix } from './fixes.ts';
import { suggestionsOf, type BothTexts } from './suggestions.ts';

const MARKER = '<!-- portico:suggestions ';

/**
 * Writes what would mend the proposal as suggestions on the lines of its diff: one review for a head at most, and no
 * suggestion twice, which the reviews themselves remember. Those that a later push overtook are folded by the forge.
 */
export async function suggestFixes(
  { ports: { app }, access: { git, forge }, signal }: RepositoryWork<'app', 'git' | 'forge'>,
  { pull, mergeBase }: Pick<ProposalSnapshot, 'pull' | 'mergeBase'>,
  head: string,
  fixes: readonly Fix[],
): Promise<void> {
  if (fixes.length === 0 || pull.locked) return;
  const texts = new Map<string, BothTexts>();
  for (const path of new Set(fixes.flatMap(({ changes }) => [...changes.keys()]))) {
    const now = await git.readFile(head, path, signal);
    if (now === null) continue;
    texts.set(path, { head: now, before: await git.readFile(mergeBase, path, signal) });
  }
  const suggestions = suggestionsOf(fixes, texts);
  if (suggestions.length === 0) return;
  const ours = (await forge.listReviews(pull.number, signal)).filter(
    ({ author, body }) => author === app.botLogin && body.startsWith(MARKER),
  );
  if (ours.some(({ commitId }) => commitId === head)) return;
  const suggested = new Set(ours.flatMap(({ body }) => keysIn(body)));
  const news = suggestions.filter(({ key }) => !suggested.has(key));
  if (news.length === 0) return;
  const keys = news.map(({ key }) => key).join(' ');
  const what = news.length === 1 ? '1 change is suggested' : `${news.length} changes are suggested`;
  await forge.remark(
    pull.number,
    {
      commitId: head,
      body: `${MARKER}${keys} -->\n${what} below. If the check has a **Fix** button, it commits all of the check's changes at once.`,
      comments: news,
    },
    signal,
  );
}

function keysIn(body: string): string[] {
  const end = body.indexOf(' -->');
  return body.slice(MARKER.length, Math.max(MARKER.length, end)).split(' ');
}
