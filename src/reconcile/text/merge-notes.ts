/** Pure: what a merge decided by itself and tells beside its conflicts, such as a comment that both sides changed. */

import type { MergeNote } from '../../package/merge/merge-types.ts';
import { fileIn, TOP, type RepositoryDirectory } from '../../revision/package-path.ts';
import { shortenValue } from '../../text/cut-text.ts';
import { scrubSecrets } from '../../text/secrets.ts';
import { code, details, foreignSentence } from './markdown-blocks.ts';

/** A note whose package is told too, by its directory from the top of the repository. */
interface PlacedNote extends Pick<MergeNote, 'file' | 'message'> {
  readonly directory?: RepositoryDirectory;
}

/** The notes that are told, and how many there are beside them. */
export interface MergeNotes {
  readonly listed: readonly PlacedNote[];
  readonly more: number;
}

export const NO_NOTES: MergeNotes = { listed: [], more: 0 };

/** Notes that are written out; the others are counted. */
const MAX_NOTES = 20;
/** More than these are folded. */
const MAX_OPEN = 3;
/** Characters of one message, of one path, and of all together. */
const MAX_MESSAGE_LENGTH = 300;
const MAX_PATH_LENGTH = 300;
const ROOM = 4_000;

/** The first of them, each once and cut to a length. */
export function mergeNotes(notes: readonly PlacedNote[]): MergeNotes {
  const known = new Map(notes.map((note) => [`${placeOf(note)}: ${note.message}`, note]));
  const listed = [...known.values()].slice(0, MAX_NOTES).map((note) => ({
    ...(note.directory !== undefined && { directory: note.directory }),
    // What is secret is taken out first: half of it would not be known again.
    file: cut(scrubSecrets(note.file), MAX_PATH_LENGTH),
    message: cut(scrubSecrets(note.message), MAX_MESSAGE_LENGTH),
  }));
  return { listed, more: known.size - listed.length };
}

/** The notes of several merges as those of one. */
export function joinedNotes(all: readonly MergeNotes[]): MergeNotes {
  const { listed, more } = mergeNotes(all.flatMap((one) => one.listed));
  return { listed, more: all.reduce((sum, one) => sum + one.more, more) };
}

/** The notes as Markdown, a few of them open and more in a fold; '' where there are none. */
export function mergeNotesText({ listed, more }: MergeNotes): string {
  const count = listed.length + more;
  if (count === 0) return '';
  let room = ROOM;
  const lines = listed.map((note) => `- ${code(placeOf(note))}: ${foreignSentence(note.message)}`);
  const fitting = lines.filter((line) => (room -= line.length + 1) >= 0);
  const left = count - fitting.length;
  const list = [...fitting, ...(left > 0 ? [`- … and ${left} more`] : [])].join('\n');
  const text =
    count <= MAX_OPEN
      ? `**The merge decided this automatically.** Check that it is right:\n\n${list}`
      : details(`The merge decided ${count} things automatically; check that they are right`, list);
  // As the client writes it: what is compared with what the forge holds must not differ by that.
  return scrubSecrets(text);
}

function placeOf({ directory = TOP, file }: PlacedNote): string {
  return fileIn(directory, file);
}

function cut(text: string, most: number): string {
  return shortenValue(text, most);
}
