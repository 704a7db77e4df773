import type { Downstream } from '../downstream/downstream.ts';
import type { Ports } from '../ports.ts';
import { publishedRefs, tagOf, taggedRevisions } from '../repository/package-revisions.ts';
import { provenanceOf } from '../repository/tag-provenance.ts';
import { code, foreignSentence } from '../text/markdown-blocks.ts';

/** What the upstream tells of the revisions on the way, the newest first. */
export interface UpstreamChangelog {
  /** One Markdown line for each, from its tag. */
  readonly revisions: readonly string[];
  /** Inert Markdown: what people wrote about them. */
  readonly notes: readonly string[];
}

export type ReadUpstreamChangelog = (down: Downstream, to: string) => Promise<UpstreamChangelog>;

interface RevisionNotes {
  readonly line: string;
  readonly note: string | null;
}

/** How many revisions are listed, the newest first. */
const MAX_COUNT = 10;
/** Milliseconds that what a release says is remembered: the same revision goes to many packages at once. */
const REMEMBERED_MS = 300_000;
/** Revisions whose notes are remembered at a time. */
const MAX_REMEMBERED = 1_000;

/** Tells where the revisions come from, and what their tags and releases say. */
export function createUpstreamChangelog(ports: Pick<Ports, 'now'>): ReadUpstreamChangelog {
  const known = new Map<string, { readonly at: number; readonly notes: Promise<RevisionNotes> }>();
  return async (down, to) => {
    const all: RevisionNotes[] = [];
    for (const name of passedRevisions(down, to)) {
      const { upstream } = down;
      const tag = tagOf(upstream.refs, upstream.directory, name);
      if (tag === undefined) continue;
      const key = `${upstream.address ?? upstream.access.ref.id} ${upstream.directory} ${name} ${tag.oid}`;
      const now = ports.now().getTime();
      const before = known.get(key);
      const isRecent = before !== undefined && Math.abs(now - before.at) < REMEMBERED_MS;
      // Shared by whoever asks: no single one of them may end it.
      const one = isRecent ? before.notes : readNotes(down, name, tag);
      if (!isRecent) {
        if (known.size >= MAX_REMEMBERED) known.clear();
        known.set(key, { at: now, notes: one });
        one.catch(() => known.delete(key));
      }
      all.push(await one);
    }
    return { revisions: all.map(({ line }) => line), notes: all.flatMap(({ note }) => note ?? []) };
  };
}

/** On the way back only where it leads is told. */
function passedRevisions({ upstream, exists }: Downstream, to: string): string[] {
  const names = taggedRevisions(upstream.refs, upstream.directory).map(({ name }) => name);
  const last = names.indexOf(to);
  const first = upstream.current === undefined || !exists ? last - 1 : names.indexOf(upstream.current);
  return first < last ? names.slice(Math.max(first + 1, last + 1 - MAX_COUNT), last + 1).toReversed() : [to];
}

async function readNotes(
  { upstream }: Downstream,
  name: string,
  tag: { readonly oid: string; readonly commit: string },
): Promise<RevisionNotes> {
  const message = (await upstream.access.git.tag(tag.oid))?.message ?? '';
  const provenance = await provenanceOf({
    git: upstream.access.git,
    refs: upstream.refs,
    directory: upstream.directory,
    revision: name,
  });
  const approved = provenance?.approvedBy.map(code).join(', ') ?? '';
  const line = [
    `- ${code(name)} at ${code(tag.commit.slice(0, 12))}`,
    ...(provenance?.proposal === undefined ? [] : [`proposal ${code(`#${provenance.proposal}`)}`]),
    ...(approved === '' ? [] : [`approved by ${approved}`]),
    ...(provenance?.unapproved === true ? ['published without the required approvals'] : []),
    ...(provenance?.restoredFrom === undefined ? [] : [`restores ${code(provenance.restoredFrom)}`]),
  ].join(', ');
  const ref = publishedRefs(upstream.directory, name).tag;
  const released = withoutOurs((await upstream.access.forge.releaseNotes(ref)) ?? '');
  const note = released === '' && provenance === undefined ? tagNote(message, [name, ref]) : released;
  return { line, note: note === '' ? null : `**${code(name)}**\n\n${cut(note)}` };
}

/** Notes that Portico made of a revision say what changed, which the update shows itself; what people wrote beside is kept. */
function withoutOurs(notes: string): string {
  return notes
    .replace(/(?:^|\n)(?:First revision\.|Since `[^`\n]+`:)\n[^]*\bContent `sha256:[0-9a-f]{64}`\./, '\n')
    .trim();
}

/** The message of a tag that a person made, a paragraph each; one that only repeats its name says nothing. */
function tagNote(message: string, names: readonly string[]): string {
  const words = (message.split('\n-----BEGIN ', 1)[0] ?? '').trim();
  if (names.includes(words)) return '';
  return words
    .split(/\n\s*\n/)
    .map((paragraph) => foreignSentence(paragraph))
    .join('\n\n');
}

/** Longest notes of one revision, in characters. */
const MAX_LENGTH = 4_000;

function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const end = text.lastIndexOf('\n', MAX_LENGTH);
  const kept = text.slice(0, end > MAX_LENGTH / 2 ? end : MAX_LENGTH).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}\n\n*(${text.length - kept.length} characters are omitted here.)*`;
}
