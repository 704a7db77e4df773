import { parseProvenance } from '../revision/provenance.ts';
import type { Downstream } from './downstream.ts';
import { code } from './markdown-blocks.ts';
import { tagOf, taggedRevisions } from './package-revisions.ts';

/** How many revisions are listed, the newest first. */
const MOST = 10;

/** What the tags of the revisions on the way tell: one line each, the newest first. */
export async function revisionsOnTheWay(
  { upstream, exists }: Downstream,
  to: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const names = taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name);
  const last = names.indexOf(to);
  const first = upstream.current === undefined || !exists ? last - 1 : names.indexOf(upstream.current);
  // On the way back only where it leads is told.
  const passed = first < last ? names.slice(Math.max(first + 1, last + 1 - MOST), last + 1) : [to];
  const lines: string[] = [];
  for (const name of passed.toReversed()) {
    const tag = tagOf(upstream.refs, upstream.directory, name);
    if (tag === undefined) continue;
    const said = parseProvenance((await upstream.access.git.tag(tag.oid, signal))?.message ?? '');
    const approved = said?.approvedBy.map(code).join(', ') ?? '';
    lines.push(
      [
        `- ${code(name)} at ${code(tag.commit.slice(0, 12))}`,
        ...(said?.proposal === undefined ? [] : [`proposal ${code(`#${said.proposal}`)}`]),
        ...(approved === '' ? [] : [`approved by ${approved}`]),
        ...(said?.restoredFrom === undefined ? [] : [`brings back ${code(said.restoredFrom)}`]),
      ].join(', '),
    );
  }
  return lines;
}
